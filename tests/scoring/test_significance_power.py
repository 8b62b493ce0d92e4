import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.scoring.significance_power import detectable_difference, outlook_of, questions_needed


@pytest.mark.parametrize(
    ("difference", "deviation", "needed"),
    [(0.10, 0.25, 51), (0.05, 0.25, 199), (0.10, 0.20, 34), (0.05, 0.20, 128), (0.02, 0.20, 787)],
)
def test_the_questions_needed_are_the_published_ones(difference, deviation, needed):
    assert questions_needed(difference, deviation) == needed
    assert questions_needed(-difference, deviation) == needed


@pytest.mark.parametrize("nothing", [0.0, 1e-300, -1e-17])
def test_for_no_difference_no_number_would_do(nothing):
    assert questions_needed(nothing, 0.2) is None
    assert outlook_of(nothing, 0.2, scored=20, walked=20).too_close


@given(st.integers(2, 5000), st.floats(0.01, 1))
def test_the_least_difference_that_shows_needs_just_these_questions(n, deviation):
    difference = detectable_difference(n, deviation)

    assert questions_needed(difference * (1 + 1e-9), deviation) == n


def test_the_promised_power_is_eighty_percent_at_the_least_difference_that_shows():
    from scipy import stats

    n, deviation = 50, 0.2
    differences = np.random.default_rng(80).normal(detectable_difference(n, deviation), deviation, (4000, n))

    found = stats.ttest_1samp(differences, 0, axis=1).pvalue <= 0.05

    assert found.mean() == pytest.approx(0.80, abs=0.025)


def test_one_query_shows_nothing():
    assert detectable_difference(1, 0.2) is None


def test_before_ten_queries_a_deviation_of_a_quarter_is_assumed():
    assert outlook_of(0.1, 0.01, scored=9, walked=0).deviation == 0.25
    assert outlook_of(0.1, None, scored=0, walked=0).deviation == 0.25
    assert outlook_of(0.1, 0.01, scored=10, walked=0).deviation == 0.01


def test_the_questions_still_needed_are_rounded_up_to_five():
    assert outlook_of(0.02, 0.25, scored=20, walked=12).more == 190
    assert outlook_of(0.10, 0.25, scored=20, walked=11).more == 40
    assert outlook_of(0.10, 0.25, scored=20, walked=10).more == 45


def test_a_difference_of_five_points_would_have_shown_by_now():
    outlook = outlook_of(0.01, 0.10, scored=60, walked=60)

    assert outlook.target == 0.05
    assert outlook.would_have_shown


def test_a_small_difference_says_what_it_would_take_itself():
    outlook = outlook_of(-0.04, 0.20, scored=30, walked=30)

    assert outlook.present_total == questions_needed(0.04, 0.20) == 199
    assert not outlook.too_close


@pytest.mark.parametrize("mean", [0.0, 0.02])
def test_what_needs_more_than_three_hundred_is_too_close_to_call(mean):
    outlook = outlook_of(mean, 0.20, scored=30, walked=30)

    assert outlook.too_close
    assert outlook.present_total is None


@given(st.floats(-1, 1), st.floats(0, 0.6), st.integers(10, 400))
def test_a_large_difference_is_never_too_close(mean, deviation, walked):
    assume(abs(mean) >= 0.05)

    outlook = outlook_of(mean, deviation, scored=walked, walked=walked)

    assert not outlook.too_close
    assert outlook.target == abs(mean)
    assert outlook.present_total is None
