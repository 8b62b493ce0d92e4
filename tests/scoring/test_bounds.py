"""The exact bounds against full enumeration of what the unjudged items could turn out to be."""

import dataclasses
import itertools

import numpy as np
import pytest

from app.scoring.bounds import ndcg_bounds, pair_bounds
from app.scoring.consensus import Consensus
from app.scoring.evaluate import evaluate
from app.scoring.judged import judged_of
from app.scoring.lists import Lists
from app.scoring.measures import parse_measure
from app.scoring.ruler import ScoringRuler
from tests.scoring.enumerated import enumerated

RULERS = [
    ScoringRuler(lowest=0, highest=3),
    ScoringRuler(lowest=0, highest=3, gain="exponential"),
    ScoringRuler(lowest=1, highest=5, discount="reciprocal"),
    ScoringRuler(lowest=1, highest=5, gain="raw"),
    ScoringRuler(lowest=0, highest=2, discount="original-2002"),
    ScoringRuler(lowest=0, highest=1, gain="exponential", discount="original-2002", base=3),
]

PERFECT = [
    ScoringRuler(lowest=0, highest=3, ideal="maximum"),
    ScoringRuler(lowest=1, highest=5, gain="exponential", discount="original-2002", ideal="maximum"),
]


def project(seed, ruler, queries=12, runs=3, items=7, most_open=4):
    """Return lists and judged items: midpoints, short lists, items outside all lists, empty queries."""
    rng = np.random.default_rng(seed)
    grades = ruler.highest - ruler.lowest + 1
    query = np.repeat(np.arange(queries), items)
    middle = np.sort(rng.integers(0, grades, size=(len(query), 2)), axis=1)
    middle[rng.random(len(query)) < 0.6, 1] = -1
    middle[:, 1] = np.where(middle[:, 1] < 0, middle[:, 0], middle[:, 1])
    for q in range(queries):
        left = rng.integers(0, most_open + 1)
        middle[q * items + rng.permutation(items)[:left]] = -1
        if rng.random() < 0.2:
            mine = slice(q * items, (q + 1) * items)
            middle[mine] = np.minimum(middle[mine], 0)
    consensus = Consensus(middle[:, 0], middle[:, 1], np.zeros(len(query), dtype=bool))
    positions = np.full((items, runs, queries), len(query))
    for q, run in itertools.product(range(queries), range(runs)):
        length = rng.integers(0, items + 1)
        positions[:length, run, q] = q * items + rng.permutation(items)[:length]
    lists = Lists(positions, np.count_nonzero(positions < len(query), axis=0))
    return lists, judged_of(consensus, query, ruler, queries=queries)


@pytest.mark.thorough
@pytest.mark.parametrize("cutoff", [1, 5, 9])
@pytest.mark.parametrize(
    "ruler", [*RULERS, ScoringRuler(ideal="maximum"), ScoringRuler(ideal="pool")], ids=str
)
def test_15_17_no_score_lies_outside_its_bounds_by_so_much_as_a_rounding(ruler, cutoff):
    name = f"nDCG@{cutoff}"
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])
    for seed in range(4):
        lists, judged = project(seed, ruler, queries=150)
        scores = np.nan_to_num(evaluate([parse_measure(name)], lists, judged)[name])
        single = ndcg_bounds(lists, judged, cutoff)
        assert (single.low <= scores).all()
        assert (scores <= single.high).all()
        pairs, apart = pair_bounds(lists, judged, cutoff, first, second), scores[second] - scores[first]
        assert (pairs.low <= apart).all()
        assert (apart <= pairs.high).all()
        closed = judged.open_counts == 0
        assert closed.any()
        for bounds, values in ((single, scores), (pairs, apart)):
            assert np.array_equal(bounds.low[:, closed], values[:, closed])
            assert np.array_equal(bounds.high[:, closed], values[:, closed])


@pytest.mark.parametrize("ruler", [*RULERS, ScoringRuler(ideal="maximum")], ids=str)
def test_17_grades_declared_complete_make_bounds_the_score_itself(ruler):
    lists, judged = project(5, dataclasses.replace(ruler, unjudged="complete"), queries=150)
    scores = np.nan_to_num(evaluate([parse_measure("nDCG@5")], lists, judged)["nDCG@5"])

    bounds = ndcg_bounds(lists, judged, 5)

    assert np.array_equal(bounds.low, scores)
    assert np.array_equal(bounds.high, scores)


def test_a_cutoff_far_below_every_list_costs_no_more_than_the_longest():
    lists, judged = project(3, RULERS[0])
    bounds, same = ndcg_bounds(lists, judged, 10**12), ndcg_bounds(lists, judged, 30)

    assert np.array_equal(bounds.low, same.low)
    assert np.array_equal(bounds.high, same.high)


@pytest.mark.parametrize("ideal", ["judged", "maximum"])
def test_bounds_of_condensed_lists_are_refused(ideal):
    lists, judged = project(3, ScoringRuler(unjudged="condensed", ideal=ideal))

    with pytest.raises(ValueError, match="unjudged documents in their places"):
        ndcg_bounds(lists, judged, 5)
    with pytest.raises(ValueError, match="unjudged documents in their places"):
        pair_bounds(lists, judged, 5, np.array([0]), np.array([1]))


@pytest.mark.parametrize("cutoff", [1, 2, 3, 6, 9])
@pytest.mark.parametrize("ruler", [*RULERS, *PERFECT], ids=str)
def test_single_and_pair_bounds_equal_full_enumeration(ruler, cutoff):
    lists, judged = project(cutoff, ruler)
    first, second = np.array([0, 0, 1]), np.array([1, 2, 2])

    single = ndcg_bounds(lists, judged, cutoff)
    pairs = pair_bounds(lists, judged, cutoff, first, second)

    for q in range(lists.queries):
        truth = enumerated(lists, judged, q, cutoff)
        np.testing.assert_allclose(single.low[:, q], truth.min(axis=1), rtol=0, atol=1e-12)
        np.testing.assert_allclose(single.high[:, q], truth.max(axis=1), rtol=0, atol=1e-12)
        differences = truth[second] - truth[first]
        np.testing.assert_allclose(pairs.low[:, q], differences.min(axis=1), rtol=0, atol=1e-12)
        np.testing.assert_allclose(pairs.high[:, q], differences.max(axis=1), rtol=0, atol=1e-12)
