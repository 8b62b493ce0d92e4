import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.significance_power import detectable_difference, questions_needed, questions_to_add


@pytest.mark.parametrize(
    ("difference", "deviation", "needed"), [(0.10, 0.25, 55), (0.05, 0.25, 212), (0.05, 0.20, 137)]
)
def test_the_questions_needed_follow_the_formula(difference, deviation, needed):
    from scipy import stats

    reach = stats.norm.ppf(0.98) + stats.norm.ppf(0.80)
    plain = reach**2 * deviation**2 / difference**2 + stats.norm.ppf(0.98) ** 2 / 2

    assert questions_needed(difference, deviation) == int(np.ceil(plain)) == needed
    assert questions_needed(-difference, deviation) == needed


@pytest.mark.parametrize("nothing", [0.0, 1e-300, -1e-17])
def test_for_no_difference_no_number_would_do(nothing):
    assert questions_needed(nothing, 0.2) is None


@given(st.integers(3, 5000), st.floats(0.01, 1))
def test_the_least_difference_that_shows_needs_just_these_questions(n, deviation):
    difference = detectable_difference(n, deviation)

    assert questions_needed(difference * (1 + 1e-9), deviation) == n


def test_the_promised_power_is_eighty_percent_at_the_least_difference_that_shows():
    from scipy import stats

    n, deviation = 50, 0.2
    differences = np.random.default_rng(80).normal(detectable_difference(n, deviation), deviation, (4000, n))

    found = stats.ttest_1samp(differences, 0, axis=1).pvalue <= 0.04

    assert found.mean() == pytest.approx(0.80, abs=0.025)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_queries_show_nothing(n):
    assert detectable_difference(n, 0.2) is None


def test_before_ten_queries_a_deviation_of_a_quarter_is_assumed():
    assert questions_to_add(0.1, 0.01, 9) == questions_to_add(0.1, 0.25, 9) == 50
    assert questions_to_add(0.1, 0.01, 10) is None


def test_the_questions_to_add_are_rounded_up_to_five():
    assert questions_to_add(0.10, 0.25, 24) == 35
    assert questions_to_add(0.10, 0.25, 25) == 30


def test_a_small_gap_is_asked_about_as_five_points():
    assert questions_to_add(0.01, 0.20, 100) == questions_to_add(0.05, 0.20, 100) == 40


def test_no_number_is_named_that_should_have_shown_it_or_is_out_of_reach():
    assert questions_to_add(0.20, 0.20, 100) is None
    assert questions_to_add(0.01, 0.40, 20) is None
