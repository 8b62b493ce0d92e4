import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.scoring.tau import kendall_tau


@given(st.permutations(range(7)))
def test_tau_agrees_with_scipy_where_nothing_is_tied(order):
    truth = np.arange(7) / 10

    expected = stats.kendalltau(truth, order).statistic
    assert kendall_tau(truth, np.array(order, float)) == pytest.approx(expected)


def test_a_pair_tied_in_the_estimate_counts_nothing_and_one_tied_in_the_truth_is_left_out():
    assert kendall_tau(np.array([1.0, 2.0, 3.0]), np.array([1.0, 1.0, 3.0])) == pytest.approx(2 / 3)
    assert kendall_tau(np.array([1.0, 1.0, 3.0]), np.array([1.0, 2.0, 3.0])) == 1


def test_rounding_makes_no_order():
    assert kendall_tau(np.array([0.3, 0.1 + 0.2, 1.0]), np.array([2.0, 1.0, 3.0])) == 1


def test_with_a_gap_only_pairs_that_far_apart_count():
    truth, estimate = np.array([0.10, 0.11, 0.12, 0.50]), np.array([0.12, 0.11, 0.13, 0.50])

    assert kendall_tau(truth, estimate) == pytest.approx(4 / 6)
    assert kendall_tau(truth, estimate, gap=0.02) == 1


def test_where_the_truth_ranks_no_pair_there_is_no_tau():
    assert kendall_tau(np.ones(3), np.arange(3.0)) is None
    assert kendall_tau(np.array([0.1, 0.2]), np.arange(2.0), gap=0.5) is None
