"""The order of priority: best rank, then how many runs return it, then a keyed hash; or plain random."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.priority import NOT_RETURNED, front_first, random_first


def test_the_best_rank_comes_first_then_what_more_runs_return():
    ranks = np.array([2, 1, 1, NOT_RETURNED, 2])
    times = np.array([3, 1, 2, 0, 1])

    assert front_first(ranks, times, np.arange(5), seed=1).tolist() == [2, 1, 0, 4, 3]


def test_ties_are_drawn_by_seed_and_one_seed_gives_one_order():
    ranks, times, keys = np.ones(50, int), np.ones(50, int), np.arange(50)

    once = front_first(ranks, times, keys, seed=7).tolist()
    assert once == front_first(ranks, times, keys, seed=7).tolist()
    assert once != front_first(ranks, times, keys, seed=8).tolist()
    assert once != sorted(once)


@given(st.integers(0, 2**64), st.integers(1, 60))
def test_what_joins_leaves_the_random_order_of_the_others(seed, count):
    keys = np.arange(100)
    before, after = random_first(keys[:count], seed), random_first(keys, seed)

    assert sorted(after.tolist()) == keys.tolist()
    assert np.argsort(before).tolist() == [key for key in np.argsort(after).tolist() if key < count]
