"""What must hold for the bounds whatever the data."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.scoring.bounds import ndcg_bounds, pair_bounds, settled
from app.scoring.dcg import dcg
from app.scoring.ruler import ScoringRuler
from tests.furniture.properties import tried
from tests.scoring.drawn import BOUNDED, UNJUDGED, cutoffs, judgments, made_of, projects, ranked, rulers_of
from tests.scoring.enumerated import enumerated
from tests.scoring.made import collection
from tests.scoring.plain_bounds import lower_bound, upper_bound

TINY = 1e-12
MOST_OPEN = 3
"""Of more the completions are too many to go through."""
FIRST, SECOND = np.array([0]), np.array([1])
bounded = rulers_of(ideals=BOUNDED)
seeds = st.integers(0, 2**32 - 1)


def completed(made, cutoff, gains):
    """Return the nDCG of every run on every query if the open items turned out to have these gains."""
    judged, discounts = made.judged, made.judged.ruler.discounts(cutoff)
    gain = judged.gain.copy()
    gain[:-2][judged.open] = gains
    ideal = np.zeros(judged.queries)
    for query in range(judged.queries):
        within = (judged.query == query) & (judged.in_ideal | judged.open)
        best = np.sort(gain[:-2][within])[::-1][:cutoff]
        ideal[query] = best @ discounts.weights[: len(best)]
    scored = ideal > 0
    if judged.ruler.ideal == "maximum":
        ideal[:] = judged.ruler.largest_dcg(cutoff)
    reached = dcg(made.lists.positions, gain, discounts)
    return np.divide(reached, ideal, out=np.zeros(reached.shape), where=ideal > 0), scored


def drawn_gains(made, seed, levels=None):
    rng = np.random.default_rng(seed)
    size = int(made.judged.open.sum())
    if levels is not None:
        return rng.choice(levels, size=size)
    return rng.random(size) * made.judged.ruler.largest_gain


@given(projects(), cutoffs, seeds)
def test_no_completion_even_between_grades_leaves_the_bounds(made, cutoff, seed):
    bounds = ndcg_bounds(made.lists, made.judged, cutoff)
    zero_filled = np.nan_to_num(made.values(f"nDCG@{cutoff}"))

    for value in (zero_filled, completed(made, cutoff, drawn_gains(made, seed))[0]):
        assert (bounds.low <= value + TINY).all()
        assert (value <= bounds.high + TINY).all()


@given(projects(), cutoffs, seeds)
def test_no_completion_leaves_the_bounds_of_a_difference(made, cutoff, seed):
    pairs = pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND)
    values = completed(made, cutoff, drawn_gains(made, seed))[0]

    assert (pairs.low[0] <= values[1] - values[0] + TINY).all()
    assert (values[1] - values[0] <= pairs.high[0] + TINY).all()


@settings(max_examples=tried(60))
@given(projects(), cutoffs)
def test_16_the_bounds_are_the_ends_of_all_completions(made, cutoff):
    judged = made.judged
    single, pairs = (
        ndcg_bounds(made.lists, judged, cutoff),
        pair_bounds(made.lists, judged, cutoff, FIRST, SECOND),
    )

    for query in np.flatnonzero(judged.open_counts <= MOST_OPEN):
        truth = enumerated(made.lists, judged, query, cutoff)
        apart = truth[1] - truth[0]
        np.testing.assert_allclose(single.low[:, query], truth.min(axis=1), rtol=0, atol=TINY)
        np.testing.assert_allclose(single.high[:, query], truth.max(axis=1), rtol=0, atol=TINY)
        assert pairs.low[0, query] == pytest.approx(apart.min(), abs=TINY)
        assert pairs.high[0, query] == pytest.approx(apart.max(), abs=TINY)


@given(rulers_of(gains=["linear", "exponential"]), st.data())
def test_20_a_judged_document_before_an_unjudged_one_has_the_bounds_worked_out_by_hand(ruler, data):
    step = data.draw(st.integers(1, ruler.highest - ruler.lowest))
    made = made_of({"q1": {"a": step, "u": UNJUDGED}}, [{"q1": {"a": 2.0, "u": 1.0}}], ruler)
    bounds = ndcg_bounds(made.lists, made.judged, 2)
    gain, largest = ruler.gains()[step], ruler.largest_gain
    first, second = ruler.discounts(2).weights

    assert made.values("nDCG@2")[0, 0] == 1.0
    best_below = (gain * first + largest * second) / (largest * first + gain * second)
    assert bounds.low[0, 0] == pytest.approx(best_below, abs=TINY)
    assert bounds.high[0, 0] == 1.0


@given(projects(ideals=["judged", "pool"]), cutoffs)
def test_the_plain_form_for_one_query_and_the_form_for_all_agree(made, cutoff):
    judged, weights = made.judged, made.judged.ruler.discounts(cutoff).weights.tolist()
    single = ndcg_bounds(made.lists, judged, cutoff)
    pairs = pair_bounds(made.lists, judged, cutoff, FIRST, SECOND)
    reached = dcg(made.lists.positions, judged.gain, judged.ruler.discounts(cutoff))

    for query in range(judged.queries):
        mine = judged.query == query
        known = judged.gain[:-2][mine & judged.in_ideal].tolist()
        placed = [_weights_of_open(made, run, query, weights) for run in (0, 1)]
        given_run = (known, placed[0], weights, judged.ruler.largest_gain)
        difference = [b - a for a, b in zip(*placed, strict=True)]
        given_pair = (known, difference, weights, judged.ruler.largest_gain)
        ahead = reached[1, query] - reached[0, query]

        assert single.low[0, query] == pytest.approx(lower_bound(reached[0, query], *given_run), abs=TINY)
        assert single.high[0, query] == pytest.approx(upper_bound(reached[0, query], *given_run), abs=TINY)
        assert pairs.high[0, query] == pytest.approx(upper_bound(ahead, *given_pair), abs=TINY)


def _weights_of_open(made, run, query, weights):
    places = made.lists.positions[: len(weights), run, query].tolist()
    items = np.flatnonzero((made.judged.query == query) & made.judged.open).tolist()
    return [weights[places.index(item)] if item in places else 0.0 for item in items]


@given(projects(lowest=0, pools=[0]), cutoffs)
def test_with_everything_judged_both_bounds_are_the_score(made, cutoff):
    bounds = ndcg_bounds(made.lists, made.judged, cutoff)
    scored = made.judged.scored

    np.testing.assert_allclose(bounds.low[:, scored], made.values(f"nDCG@{cutoff}")[:, scored], atol=TINY)
    np.testing.assert_allclose(bounds.high, bounds.low, atol=TINY)


@given(judgments(), ranked(), bounded, cutoffs)
def test_declared_complete_both_bounds_are_the_score(qrels, run, ruler, cutoff):
    made = made_of(qrels, [run], replace(ruler, unjudged="complete"))
    bounds = ndcg_bounds(made.lists, made.judged, cutoff)
    scored = made.judged.scored

    np.testing.assert_allclose(bounds.low[:, scored], made.values(f"nDCG@{cutoff}")[:, scored], atol=TINY)
    np.testing.assert_allclose(bounds.high, bounds.low, atol=TINY)


@given(judgments(), st.tuples(ranked(), ranked()), bounded, cutoffs, st.data())
def test_judging_one_more_document_never_widens_the_bounds(qrels, runs, ruler, cutoff, data):
    unjudged = [name for name, grade in qrels["q1"].items() if grade < 0]
    assume(unjudged)
    name, grade = data.draw(st.sampled_from(unjudged)), data.draw(st.integers(0, 3))
    before = made_of(qrels, list(runs), ruler)
    after = made_of({**qrels, "q1": qrels["q1"] | {name: grade}}, list(runs), ruler)

    for bounds in (ndcg_bounds, lambda *of: pair_bounds(*of, FIRST, SECOND)):
        wide, narrow = (bounds(made.lists, made.judged, cutoff) for made in (before, after))

        assert (narrow.low >= wide.low - TINY).all()
        assert (narrow.high <= wide.high + TINY).all()


@given(projects(), cutoffs)
def test_pair_bounds_lie_inside_the_difference_of_single_bounds(made, cutoff):
    single = ndcg_bounds(made.lists, made.judged, cutoff)
    pairs = pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND)

    assert (pairs.low[0] >= single.low[1] - single.high[0] - TINY).all()
    assert (pairs.high[0] <= single.high[1] - single.low[0] + TINY).all()


@given(projects(), cutoffs)
def test_swapping_the_two_runs_negates_their_bounds(made, cutoff):
    one_way = pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND)
    other_way = pair_bounds(made.lists, made.judged, cutoff, SECOND, FIRST)

    np.testing.assert_allclose(one_way.low, -other_way.high, atol=TINY)
    np.testing.assert_allclose(one_way.high, -other_way.low, atol=TINY)


@given(projects(), cutoffs)
def test_a_run_against_itself_is_bounded_by_zero(made, cutoff):
    pairs = pair_bounds(made.lists, made.judged, cutoff, FIRST, FIRST)

    assert (pairs.low == 0).all()
    assert (pairs.high == 0).all()


@given(projects(), cutoffs, seeds)
@pytest.mark.thorough
def test_no_completion_reverses_a_verdict_that_is_settled(made, cutoff, seed):
    decided = made.judged.scored | made.judged.undecided
    verdict = settled(pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND), decided)[0]
    assume(verdict != 0)

    for n in range(20):
        levels = made.judged.ruler.gains() if n % 2 else [0.0, made.judged.ruler.largest_gain]
        values, scored = completed(made, cutoff, drawn_gains(made, [seed, n], levels))
        assert np.sign((values[1] - values[0])[scored].mean()) == verdict


def test_a_verdict_is_not_settled_while_an_undecided_query_could_reverse_it():
    qrels = {"q1": {"a": 3, "b": 0}, "q2": {"a": -1, "b": -1}}
    runs = [{"q1": {"b": 1.0}, "q2": {"b": 2.0}}, {"q1": {"a": 1.0}, "q2": {"c": 1.0}}]
    made = collection(qrels, runs, ScoringRuler())
    pairs = pair_bounds(made.lists, made.judged, 1, FIRST, SECOND)

    assert settled(pairs, made.judged.scored).tolist() == [1]
    assert settled(pairs, made.judged.scored | made.judged.undecided).tolist() == [0]


def test_mean_bounds_average_the_counted_queries_and_are_none_without_any():
    made = collection(
        {"q1": {"a": 1, "u": -1}, "q2": {"a": 1}}, [{"q1": {"a": 2.0, "u": 1.0}}], ScoringRuler()
    )
    bounds = ndcg_bounds(made.lists, made.judged, 2)

    low, high = bounds.means(made.judged.scored)[0]

    assert low == pytest.approx(bounds.low[0, 0] / 2)
    assert high == 0.5
    assert bounds.means(np.zeros(2, dtype=bool)) == [None]


@given(projects(), cutoffs, seeds)
def test_bounds_against_a_perfect_list_hold_and_are_reached(made, cutoff, seed):
    judged = replace(made.judged, ruler=replace(made.judged.ruler, ideal="maximum"))
    bounds = ndcg_bounds(made.lists, judged, cutoff)
    best = np.full(int(judged.open.sum()), judged.ruler.largest_gain)
    maximum = judged.ruler.largest_gain * judged.ruler.discounts(cutoff).weights.sum()

    for gains in (best, np.zeros(len(best)), drawn_gains(made, seed)):
        filled = judged.gain.copy()
        filled[:-2][judged.open] = gains
        values = dcg(made.lists.positions, filled, judged.ruler.discounts(cutoff)) / maximum
        assert (bounds.low <= values + TINY).all()
        assert (values <= bounds.high + TINY).all()
    zero_filled = dcg(made.lists.positions, judged.gain, judged.ruler.discounts(cutoff)) / maximum
    assert np.allclose(zero_filled, bounds.low)


def test_an_ideal_over_the_returned_list_has_no_bounds():
    made = collection({"q1": {"a": 1}}, [{"q1": {"a": 1.0}}], ScoringRuler(ideal="returned"))

    with pytest.raises(ValueError, match="returned"):
        ndcg_bounds(made.lists, made.judged, 5)


@given(projects(ideals=["judged", "maximum"]), cutoffs)
def test_no_bound_lies_beyond_one_by_a_rounding(made, cutoff):
    bounds = ndcg_bounds(made.lists, made.judged, cutoff)
    differences = pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND)

    assert 0 <= bounds.low.min() <= bounds.high.max() <= 1
    assert -1 <= differences.low.min() <= differences.high.max() <= 1


@given(projects(runs=3), cutoffs, st.sampled_from(["CELLS", "ROOM"]))
def test_small_blocks_of_queries_give_the_same_bounds(made, cutoff, limit):
    import app.scoring.bounds as module

    at_once = pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, limit, 1)
        in_blocks = pair_bounds(made.lists, made.judged, cutoff, FIRST, SECOND)

    assert np.array_equal(at_once.low, in_blocks.low)
    assert np.array_equal(at_once.high, in_blocks.high)
