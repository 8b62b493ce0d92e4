import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.scoring.means import CACHED, exact_sums, mean_of, means_of

FINITE = st.floats(-1e100, 1e100, allow_nan=False, allow_subnormal=True)


@given(arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(0, 40)), elements=FINITE))
def test_sums_of_many_rows_at_once_are_those_of_fsum(rows):
    assert exact_sums(rows) == [math.fsum(row) for row in rows.tolist()]


def test_sums_of_very_many_values_are_those_of_fsum():
    rows = np.random.default_rng(5).normal(size=(7, CACHED // 3))

    assert exact_sums(rows) == [math.fsum(row) for row in rows.tolist()]
    assert exact_sums(rows.reshape(1, -1)) == [math.fsum(rows.ravel().tolist())]


@given(arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 9)), elements=FINITE))
def test_sums_of_the_largest_numbers_are_those_of_fsum(rows):
    large = rows / 1e100 * 2.0**1019
    assert exact_sums(large) == [math.fsum(row) for row in large.tolist()]


@pytest.mark.parametrize("strange", [math.nan, math.inf, -math.inf])
def test_sums_of_what_is_not_finite_are_refused(strange):
    with pytest.raises(ValueError, match="sums need finite values"):
        exact_sums(np.array([[1.0, strange]]))


@given(arrays(np.float64, (2, 60), elements=st.floats(0, 1)), st.randoms())
def test_a_mean_does_not_depend_on_the_order_of_queries(values, random):
    order = list(range(60))
    random.shuffle(order)
    everything = np.ones(60, dtype=bool)

    assert means_of(values, everything) == means_of(values[:, order], everything)
    assert means_of(values, everything) == [mean_of(row) for row in values]


def test_what_is_not_counted_may_be_undefined_and_no_counted_query_means_no_number():
    values = np.array([[0.5, np.nan, 1.0], [np.nan, np.nan, 0.25]])
    counted = np.array([[True, False, True], [False, False, False]])

    assert means_of(values, counted) == [0.75, None]
    assert means_of(values, np.array([False, False, True])) == [1.0, 0.25]
    assert mean_of(np.zeros(0)) is None
