"""The early test: an e-value that may be looked at at any time."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from app.scoring.early import LAMBDAS, early_holds, log_e_values

differences = st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=30)


def log_e_value(differences):
    """Return that of one pair."""
    return float(log_e_values(np.asarray(differences, dtype=np.float64)[None, :])[0])


def plain(values):
    """Return the e-value as its formula is written."""
    return sum(
        math.prod(math.exp(sign * factor * d) / math.cosh(factor * d) for d in values)
        for factor in LAMBDAS
        for sign in (1, -1)
    ) / (2 * len(LAMBDAS))


@given(differences)
def test_it_is_its_formula(values):
    assert math.exp(log_e_value(values)) == pytest.approx(plain(values), rel=1e-9)


@settings(deadline=None)
@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=1, max_size=9))
@pytest.mark.thorough
def test_27_its_mean_over_all_signs_is_one(values):
    signs = itertools.product([1, -1], repeat=len(values))

    mean = math.fsum(math.exp(log_e_value(np.array(values) * sign)) for sign in signs) / 2 ** len(values)

    assert mean == pytest.approx(1.0, abs=1e-9)


@given(differences)
def test_27_equal_scores_leave_it_as_it_is(values):
    assert log_e_value([*values, 0.0, 0.0]) == pytest.approx(log_e_value(values), abs=1e-12)


@given(differences)
def test_it_names_no_side(values):
    assert log_e_value(values) == pytest.approx(log_e_value(-np.array(values)), abs=1e-12)


def test_without_a_query_it_is_one():
    assert log_e_value([]) == 0


def test_long_samples_do_not_overflow():
    assert 0 < log_e_value([1.0] * 5000) < 5000 * 4
    assert early_holds(log_e_value([1.0] * 5000), 2000)


@settings(deadline=None)
@given(arrays(np.float64, (3, 12), elements=st.floats(-1, 1)), arrays(np.bool_, (3, 12)))
def test_many_pairs_get_what_each_gets_alone(table, counted):
    alone = [log_e_value(row[used]) for row, used in zip(table, counted, strict=True)]

    assert log_e_values(np.where(counted, table, np.nan), counted) == pytest.approx(alone, abs=1e-9)


@pytest.mark.parametrize(("pairs", "least"), [(1, 100), (28, 2800)])
def test_it_holds_from_a_hundred_for_each_pair_of_the_family(pairs, least):
    assert early_holds(math.log(least) + 1e-9, pairs)
    assert not early_holds(math.log(least) - 1e-9, pairs)


def test_27_looked_at_after_every_query_it_ever_reaches_a_hundred_in_at_most_one_case_of_a_hundred():
    generator = np.random.default_rng(2026)
    draws, queries = 3000, 150
    # Equal rankers: the sign of each difference is a fair coin.
    sizes = generator.choice([0.0, 0.05, 0.2, 0.6], (draws, queries), p=[0.4, 0.3, 0.2, 0.1])
    d = sizes * generator.choice([-1, 1], (draws, queries))
    logs = np.concatenate(
        [
            np.cumsum(s * factor * d - np.log(np.cosh(factor * d)), axis=1)[None]
            for factor in LAMBDAS
            for s in (1, -1)
        ]
    )
    ever = (np.exp(logs).mean(axis=0) >= 100).any(axis=1).mean()

    assert ever <= 0.01 + 3 * math.sqrt(0.01 * 0.99 / draws)
    assert ever > 0, "a test that can never hold would pass as well"
