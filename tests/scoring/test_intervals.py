import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.scoring.intervals import (
    mean_interval,
    means_and_deviations,
    normal_quantile,
    t_cdf,
    t_quantile,
)

FREEDOM = [1, 2, 3, 7, 9, 12, 30, 99, 224, 499, 999]
shares = st.floats(0, 1, allow_subnormal=False)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_the_distribution_of_t_agrees_with_scipy(freedom):
    places = np.array([-50, -5, -1.96, -1, -0.1, -1e-6, 0, 1e-6, 0.3, 1, 2.5, 8, 200])

    ours = [t_cdf(place, freedom) for place in places]

    np.testing.assert_allclose(ours, stats.t.cdf(places, freedom), rtol=1e-10)


@pytest.mark.parametrize("freedom", FREEDOM)
def test_the_quantiles_of_t_agree_with_scipy(freedom):
    shares = np.array([1e-6, 0.01, 0.025, 0.3, 0.5, 0.500001, 0.8, 0.9, 0.975, 0.995, 0.999999])

    ours = [t_quantile(share, freedom) for share in shares]

    np.testing.assert_allclose(ours, stats.t.ppf(shares, freedom), rtol=1e-10, atol=1e-15)


@given(st.floats(0.001, 0.999), st.integers(1, 2000))
def test_the_quantile_undoes_the_distribution(share, freedom):
    assert t_cdf(t_quantile(share, freedom), freedom) == pytest.approx(share, rel=1e-9)


def test_the_normal_quantile_is_the_limit_of_t():
    assert normal_quantile(0.975) == pytest.approx(stats.norm.ppf(0.975), rel=1e-14)
    assert t_quantile(0.975, 1e6) == pytest.approx(normal_quantile(0.975), rel=1e-5)


@pytest.mark.parametrize("share", [0, 1, -0.1, math.nan])
def test_a_probability_off_its_range_is_refused(share):
    with pytest.raises(ValueError, match="probability lies between 0 and 1"):
        t_quantile(share, 9)


@pytest.mark.parametrize("freedom", [0, -1, 0.5, math.nan])
def test_less_than_one_degree_of_freedom_is_refused(freedom):
    with pytest.raises(ValueError, match="degree"):
        t_quantile(0.9, freedom)
    if not freedom > 0:
        with pytest.raises(ValueError, match="positive"):
            t_cdf(1, freedom)


def test_a_quantile_is_a_plain_number_whoever_asked_for_it_first():
    t_quantile.cache_clear()
    first = t_quantile(0.975, np.int64(9))

    assert [type(first), type(t_quantile(0.975, 9))] == [float, float]


@given(st.lists(shares, min_size=8, max_size=40), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_interval_of_a_mean_is_the_one_of_scipy(values, level):
    found = mean_interval(values, level=level, clip=None)

    error = stats.sem(values)
    expected = stats.t.ppf(0.5 + level / 2, len(values) - 1) * error
    assert found.mean == math.fsum(values) / len(values)
    assert found.low == pytest.approx(found.mean - expected, rel=1e-9, abs=1e-15)
    assert found.high == pytest.approx(found.mean + expected, rel=1e-9, abs=1e-15)


@given(st.lists(shares, max_size=7))
def test_below_eight_values_there_is_no_interval(values):
    found = mean_interval(values)

    assert (found.low, found.high) == (None, None)
    assert found.mean == (math.fsum(values) / len(values) if values else None)
    assert found.n == len(values)


def test_the_interval_of_a_score_is_clipped():
    values = [0.0] * 7 + [1.0]

    clipped, free = mean_interval(values), mean_interval(values, clip=None)

    assert clipped.low == 0.0 > free.low
    assert clipped.high == free.high


@given(st.lists(shares, min_size=8, max_size=30), st.randoms(use_true_random=False))
def test_the_order_of_the_queries_moves_no_bit(values, random):
    shuffled = random.sample(values, len(values))

    assert mean_interval(shuffled) == mean_interval(np.array(values))


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf])
def test_values_that_are_not_finite_are_refused(strange):
    with pytest.raises(ValueError, match="every value finite"):
        mean_interval([0.5] * 8 + [strange])


def test_a_level_off_its_range_is_refused():
    with pytest.raises(ValueError, match="level lies between"):
        mean_interval([0.5] * 8, level=95)


def test_one_value_has_no_deviation():
    means, deviations = means_and_deviations(np.array([[0.25]]))

    assert (means.tolist(), deviations.tolist()) == ([0.25], [0.0])


@given(
    st.lists(st.integers(0, 1000).map(lambda steps: steps / 1000), min_size=1, max_size=30),
    st.integers(-1000, 1000),
)
def test_scores_of_any_size_have_the_same_digits(values, power):
    sized = np.ldexp(np.array(values), power)

    means, deviations = means_and_deviations(np.array([values, sized]))

    # Sums are exact, so the mean is that of exact arithmetic, rounded once.
    assert means[0] == math.fsum(values) / len(values)
    assert means[1] == math.ldexp(means[0], power)
    assert deviations[1] == math.ldexp(deviations[0], power)
