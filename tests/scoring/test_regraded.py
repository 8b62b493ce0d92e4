"""Grades that are kept up have the bits of grades folded anew, whatever had been worked out before."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.choices import CONSENSUS_RULES
from app.scoring.consensus import consensus_of
from app.scoring.judged import judged_of
from app.scoring.regraded import regraded
from app.scoring.ruler import ScoringRuler
from tests.furniture.properties import tried

QUERIES, ITEMS, GRADES = 4, 12, 4
ARRAYS = [
    *("level", "gain", "stop", "state", "open", "open_cells", "open_counts", "levels", "level_counts"),
    *("relevant_counts", "pooled_counts", "scored", "undecided", "no_relevant", "in_ideal", "judged"),
]
DEPTHS = (None, 1, 3)


@settings(max_examples=tried(150), deadline=None)
@given(
    rule=st.sampled_from(CONSENSUS_RULES),
    ideal=st.sampled_from(["judged", "pool"]),
    unjudged=st.sampled_from(["zero", "complete"]),
    seed=st.integers(0, 2**32 - 1),
    asked=st.sets(st.sampled_from(ARRAYS)),
    depths=st.sets(st.sampled_from(DEPTHS)),
)
def test_grades_that_are_kept_up_equal_grades_folded_anew(
    rule: str, ideal: str, unjudged: str, seed: int, asked: set[str], depths: set[int | None]
) -> None:
    rng = np.random.default_rng(seed)
    ruler = ScoringRuler(ideal=ideal, unjudged=unjudged, gain="exponential")
    query = np.sort(rng.integers(0, QUERIES, ITEMS))
    pooled = rng.random(ITEMS) < 0.7
    counts = rng.integers(0, 3, (ITEMS, GRADES)) * (rng.random((ITEMS, 1)) < 0.6)
    items = np.flatnonzero(rng.random(ITEMS) < 0.3)
    then = counts.copy()
    then[items] = rng.integers(0, 3, (len(items), GRADES)) * (rng.random((len(items), 1)) < 0.7)
    before = judged_of(consensus_of(counts, rule), query, ruler, queries=QUERIES, pooled=pooled)
    for name in asked:
        getattr(before, name)
    for depth in depths:
        before.ideal(depth)

    kept = regraded(before, items, consensus_of(then[items], rule))

    anew = judged_of(consensus_of(then, rule), query, ruler, queries=QUERIES, pooled=pooled)
    for name in ARRAYS:
        assert np.array_equal(getattr(kept, name), getattr(anew, name)), name
        assert getattr(kept, name).dtype == getattr(anew, name).dtype, name
    for depth in DEPTHS:
        assert kept.ideal(depth).tobytes() == anew.ideal(depth).tobytes()
    assert np.array_equal(kept.consensus.tied, anew.consensus.tied)


def test_what_was_known_before_stays_as_it_was() -> None:
    counts = np.array([[1, 0, 0, 0], [0, 0, 0, 1]])
    before = judged_of(consensus_of(counts), np.array([0, 0]), ScoringRuler(), queries=1)
    ideal = before.ideal(2).copy()

    after = regraded(before, np.array([0]), consensus_of(np.array([[0, 0, 0, 1]])))

    assert before.ideal(2) == ideal
    assert before.gain.tolist() == [0, 3, 0, 0]
    assert after.gain.tolist() == [3, 3, 0, 0]
    assert after.ideal(2) == pytest.approx(3 + 3 / np.log2(3))
