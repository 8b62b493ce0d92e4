"""Folding the ledger, and keeping up with it."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.bounds import ndcg_bounds
from app.scoring.choices import CONSENSUS_RULES
from app.scoring.consensus import NONE, consensus_of
from app.scoring.evaluate import evaluate
from app.scoring.judged import judged_of
from app.scoring.lists import Lists
from app.scoring.live import Changes, Live, Stage
from app.scoring.means import means_of
from app.scoring.measures import parse_measure, parse_measures
from app.scoring.ruler import ScoringRuler
from tests.furniture.properties import tried
from tests.scoring.drawn import rulers_of
from tests.scoring.plain_fold import changes_of, counts_of, part

QUERIES, RUNS, ITEMS, CUTOFF = 9, 4, 11, 5
RULERS = [
    ScoringRuler(lowest=0, highest=3),
    ScoringRuler(lowest=1, highest=5, gain="exponential", discount="reciprocal"),
    ScoringRuler(lowest=0, highest=3, ideal="pool", discount="original-2002"),
    ScoringRuler(lowest=0, highest=3, unjudged="complete"),
]


def stage(seed, ruler, rule, cutoff=CUTOFF):
    rng = np.random.default_rng(seed)
    query = np.repeat(np.arange(QUERIES), ITEMS)
    positions = np.full((7, RUNS, QUERIES), len(query))
    for run in range(RUNS):
        for q in range(QUERIES):
            length = rng.integers(0, 8)
            positions[:length, run, q] = q * ITEMS + rng.permutation(ITEMS)[:length]
    lists = Lists(positions, np.count_nonzero(positions < len(query), axis=0))
    covered = rng.random((RUNS, QUERIES)) < 0.9
    return Stage(lists, query, ruler, cutoff, rule, covered, pooled=rng.random(len(query)) < 0.8)


def ledger(seed, ruler, ratings=400):
    rng = np.random.default_rng(seed)
    item = rng.integers(0, QUERIES * ITEMS, size=ratings)
    column = rng.integers(-1, ruler.highest - ruler.lowest + 1, size=ratings)
    return changes_of(item, rng.integers(0, 4, size=ratings), column)


def folded(changes, at):
    counts = counts_of(changes, len(at.query), at.ruler.highest - at.ruler.lowest + 1)
    consensus = consensus_of(counts, at.rule)
    return judged_of(consensus, at.query, at.ruler, queries=QUERIES, pooled=at.pooled)


def scored_from_scratch(changes, at):
    judged = folded(changes, at)
    headline = parse_measure(f"nDCG@{at.cutoff}")
    values = evaluate([headline], at.lists, judged)[headline.label]
    return values, means_of(values, judged.scored & at.covered)


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["median", "mean", "majority"])
@pytest.mark.parametrize("ruler", RULERS, ids=str)
def test_keeping_up_rating_by_rating_gives_the_bits_of_folding_and_scoring_from_scratch(ruler, rule):
    at, changes = stage(1, ruler, rule), ledger(2, ruler)
    live = Live(at, QUERIES)

    for revision in range(len(changes.item)):
        touched = live.apply(part(changes, revision, revision + 1))
        if revision % 37:
            continue
        values, means = scored_from_scratch(part(changes, 0, revision + 1), at)
        bounds = ndcg_bounds(at.lists, folded(part(changes, 0, revision + 1), at), CUTOFF)
        low, high = live.bounds(touched)

        assert np.array_equal(live.values, values, equal_nan=True)
        assert live.means() == means
        np.testing.assert_allclose(low, bounds.low[:, touched], rtol=0, atol=1e-12)
        np.testing.assert_allclose(high, bounds.high[:, touched], rtol=0, atol=1e-12)


def test_a_rating_takes_no_more_room_however_many_queries_there_are():
    def room(queries):
        places = np.arange(queries * 2).reshape(queries, 2).T[:, None, :]
        lists = Lists(np.ascontiguousarray(places), np.full((1, queries), 2))
        live = Live(Stage(lists, np.repeat(np.arange(queries), 2), ScoringRuler(), CUTOFF), queries)
        rating = Changes(np.array([0]), np.array([NONE]), np.array([2]))
        # The first brings a gain that no query had, for which room is made once.
        live.apply(rating)
        tracemalloc.start()
        live.apply(rating)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    assert room(50_000) < 2 * room(50)


def test_an_adjudicator_may_decide_for_any_grade_of_a_wide_scale():
    at = stage(1, ScoringRuler(lowest=0, highest=200), "median")
    live = Live(at, QUERIES)

    live.decide(np.array([0, 1]), np.array([150, 200]))

    assert live.gain[:3].tolist() == [150, 200, 0]


@settings(max_examples=tried(60))
@given(
    st.integers(0, 2**32 - 2),
    rulers_of(ideals=["judged", "pool"]),
    st.sampled_from(CONSENSUS_RULES),
    st.integers(1, 20),
    st.integers(1, 120),
    st.data(),
)
def test_22_live_and_fold_agree_at_any_revision_and_any_cutoff(seed, ruler, rule, cutoff, ratings, data):
    at, changes = stage(seed, ruler, rule, cutoff), ledger(seed + 1, ruler, ratings)
    revision = data.draw(st.integers(1, max(len(changes.item), 1)))
    upto, live = part(changes, 0, revision), Live(at, QUERIES)
    everything = np.arange(QUERIES)

    live.apply(upto)

    values, means = scored_from_scratch(upto, at)
    assert np.array_equal(live.values, values, equal_nan=True)
    assert live.means() == means
    bounds, (low, high) = ndcg_bounds(at.lists, folded(upto, at), cutoff), live.bounds(everything)
    np.testing.assert_allclose(low, bounds.low, rtol=0, atol=1e-12)
    np.testing.assert_allclose(high, bounds.high, rtol=0, atol=1e-12)


@pytest.mark.thorough
def test_taking_ratings_in_batches_or_one_by_one_gives_the_same_bits():
    ruler = ScoringRuler(lowest=0, highest=3)
    at, changes = stage(5, ruler, "median"), ledger(6, ruler)
    one_by_one, in_batches = Live(at, QUERIES), Live(at, QUERIES)

    for revision in range(len(changes.item)):
        one_by_one.apply(part(changes, revision, revision + 1))
    for start in range(0, len(changes.item), 33):
        in_batches.apply(part(changes, start, start + 33))

    assert np.array_equal(one_by_one.values, in_batches.values, equal_nan=True)
    assert one_by_one.means() == in_batches.means()


@pytest.mark.parametrize("ruler", RULERS, ids=str)
def test_a_fold_taken_in_at_once_gives_the_bits_of_its_changes(ruler):
    at, changes = stage(14, ruler, "median"), ledger(15, ruler)
    step_by_step, at_once = Live(at, QUERIES), Live(at, QUERIES)

    for first in range(0, len(changes.item), 50):
        step_by_step.apply(part(changes, first, first + 50))
    at_once.fold(counts_of(changes, len(at.query), ruler.highest - ruler.lowest + 1))

    assert np.array_equal(at_once.values, step_by_step.values, equal_nan=True)
    assert np.array_equal(at_once.judged_shares_of(range(RUNS)), step_by_step.judged_shares_of(range(RUNS)))


@pytest.mark.thorough
@pytest.mark.parametrize("rule", ["median", "mean", "majority"])
@pytest.mark.parametrize("ruler", RULERS, ids=str)
def test_a_changed_pool_and_an_adjudicator_give_the_bits_of_scoring_from_scratch(ruler, rule):
    at, changes = stage(16, ruler, rule), ledger(17, ruler)
    rng = np.random.default_rng(18)
    pooled = rng.random(len(at.query)) < 0.5
    decided = np.where(rng.random(len(at.query)) < 0.2, rng.integers(0, 4, len(at.query)), -1)
    live = Live(at, QUERIES)
    live.apply(changes)

    items = np.flatnonzero(decided >= 0)
    live.pool(pooled)
    live.decide(items, np.zeros(len(items), dtype=np.int8))
    live.decide(items, decided[items].astype(np.int8))

    counts = counts_of(changes, len(at.query), ruler.highest - ruler.lowest + 1)
    judged = judged_of(consensus_of(counts, rule, decided), at.query, ruler, queries=QUERIES, pooled=pooled)
    asked = parse_measures(f"nDCG@{CUTOFF} judged@{CUTOFF}")
    values = evaluate(asked, at.lists, judged)
    bounds = ndcg_bounds(at.lists, judged, CUTOFF)
    low, high = live.bounds(np.arange(QUERIES))
    assert np.array_equal(live.values, values[f"nDCG@{CUTOFF}"], equal_nan=True)
    assert np.array_equal(live.judged_shares_of(range(RUNS)), values[f"judged@{CUTOFF}"])
    assert np.array_equal(live.scored, judged.scored)
    np.testing.assert_allclose(low, bounds.low, rtol=0, atol=1e-12)
    np.testing.assert_allclose(high, bounds.high, rtol=0, atol=1e-12)


def test_a_ledger_is_not_replayed_with_its_unjudged_documents_dropped():
    with pytest.raises(ValueError, match="condensed"):
        stage(10, ScoringRuler(unjudged="condensed"), "median")


def test_a_ledger_is_not_replayed_under_an_ideal_of_the_returned_list():
    with pytest.raises(ValueError, match="returned"):
        stage(10, ScoringRuler(ideal="returned"), "median")


def test_an_order_restored_by_revision_gives_the_same_fold():
    ruler = ScoringRuler()
    at, changes = stage(11, ruler, "median"), ledger(12, ruler)
    shuffled = np.random.default_rng(13).permutation(len(changes.item))
    restored = shuffled[np.argsort(shuffled)]

    again = type(changes)(changes.item[restored], changes.old[restored], changes.new[restored])

    assert scored_from_scratch(again, at)[1] == scored_from_scratch(changes, at)[1]
