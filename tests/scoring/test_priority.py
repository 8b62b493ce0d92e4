import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.discounts import discounts
from app.scoring.priority import (
    candidates_of,
    depth_priority,
    openness_of,
    priority_order,
    race_priority,
)

log2 = discounts(depth=4)
rank_tables = st.integers(1, 5).flatmap(
    lambda runs: st.lists(st.lists(st.integers(0, 6), min_size=runs, max_size=runs), min_size=1, max_size=8)
)


def pool(ranks, current=None, depth=None):
    """Return candidates of one query from a table (items, runs) of ranks."""
    ranks = np.array(ranks).T
    current = np.ones(len(ranks), bool) if current is None else np.array(current)
    return candidates_of(np.zeros(ranks.shape[1], int), ranks, log2, current=current, depth=depth)


@given(rank_tables, st.data())
def test_the_open_race_priority_is_its_formula(ranks, data):
    runs = len(ranks[0])
    current = np.array(data.draw(st.lists(st.booleans(), min_size=runs, max_size=runs)))
    pairs = list(itertools.combinations(np.flatnonzero(current), 2))
    openness = np.array(data.draw(st.lists(st.floats(0.05, 2), min_size=len(pairs), max_size=len(pairs))))

    found = race_priority(pool(ranks, current), openness)

    for item, row in enumerate(ranks):
        c = [1 / math.log2(rank + 1) if 1 <= rank <= 4 else 0 for rank in row]
        disputed = sum(o * abs(c[a] - c[b]) for o, (a, b) in zip(openness, pairs, strict=True))
        second = 2 * disputed / openness.sum() if pairs else 0
        assert found[item] == pytest.approx(max(c) + second, abs=1e-12)


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=1, max_size=6), st.floats(0.05, 2))
def test_with_two_rankers_openness_cancels(ranks, openness):
    candidates = pool(ranks)

    found = race_priority(candidates, np.array([openness]))

    apart = np.abs(candidates.weights[0] - candidates.weights[1])
    np.testing.assert_allclose(found, candidates.weights.max(axis=0) + 2 * apart, atol=1e-12)


@given(st.lists(st.integers(0, 6), min_size=1, max_size=8))
def test_with_one_ranker_it_is_depth_order(ranks):
    candidates = pool([[rank] for rank in ranks])

    assert (
        race_priority(candidates, openness_of(np.zeros((1, 9)))).tolist()
        == depth_priority(candidates).tolist()
    )


def test_races_that_are_all_closed_leave_depth_order():
    candidates = pool([[1, 2], [2, 1], [3, 0]])

    assert race_priority(candidates, np.zeros(1)).tolist() == depth_priority(candidates).tolist()


def test_the_pool_and_popularity_reach_to_the_depth_and_weights_to_k():
    candidates = pool([[4, 5], [5, 6], [0, 7]], current=[True, False], depth=6)

    assert candidates.pooled.tolist() == [True, True, False]
    assert candidates.popularity.tolist() == [1, 1, 0]
    assert (candidates.weights > 0).tolist() == [[True, False, False], [False, False, False]]


def test_items_out_of_the_order_of_their_queries_are_refused():
    with pytest.raises(ValueError, match="order of their queries"):
        candidates_of(np.array([1, 0]), np.ones((1, 2), int), log2, current=np.ones(1, bool))


def test_openness_falls_with_the_distance_in_standard_errors():
    scores = np.random.default_rng(5).random((3, 20))
    pairs = [(0, 1), (0, 2), (1, 2)]

    found = openness_of(scores)

    for value, (a, b) in zip(found, pairs, strict=True):
        d = scores[b] - scores[a]
        z = abs(d.mean()) / (d.std(ddof=1) / math.sqrt(20))
        assert value == pytest.approx(0.05 + math.exp(-(z**2) / 8))


@pytest.mark.parametrize(
    ("scores", "openness"),
    [
        (np.zeros((2, 0)), 1.05),
        (np.array([[0.1], [0.9]]), 1.05),
        (np.full((2, 30), 0.4), 1.05),
        (np.array([[0.5] * 30, [0.75] * 30]), 0.05),
    ],
)
def test_openness_where_the_standard_error_says_nothing(scores, openness):
    assert openness_of(scores).tolist() == [pytest.approx(openness)]


def test_a_fresh_run_doubles_the_openness_of_its_pairs():
    scores = np.random.default_rng(5).random((3, 20))

    plain, doubled = openness_of(scores), openness_of(scores, np.array([False, False, True]))

    assert (doubled / plain).tolist() == [1, 2, 2]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=20), st.integers(0, 2**64), st.data())
def test_30_the_same_seed_gives_the_same_order_and_ties_ignore_where_items_stand(values, seed, data):
    keys = np.array(data.draw(st.permutations(range(len(values)))))
    values = np.array(values)

    order = keys[priority_order(values, keys, seed)]

    moved = np.argsort(keys)
    assert order.tolist() == keys[moved][priority_order(values[moved], keys[moved], seed)].tolist()
    placed = values[np.argsort(keys)][order]
    assert (np.diff(placed) <= 0).all()


def test_another_seed_breaks_ties_another_way():
    orders = {tuple(priority_order(np.ones(9), np.arange(9), seed)) for seed in range(50)}

    assert len(orders) == 50
