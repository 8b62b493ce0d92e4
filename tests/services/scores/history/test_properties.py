"""Histories of ledgers that hold anything in any order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.means import means_of
from app.services.collection.merged_documents import merges_at
from app.services.scores.history import Moment, history_as_of, history_of_version
from app.services.scores.jumps import score_change_between
from app.services.scores.scoreboard import common_means, score_runs
from tests.furniture.properties import tried
from tests.services.scores.history.made import DOCUMENTS, NOON, RULERS, STEPS, evidence_from

if TYPE_CHECKING:
    from app.services.evidence.state import Evidence
    from app.services.scores.scoreboard import Scoreboard
    from app.services.scoring_settings import ScoringSettings


def moments_of(evidence: Evidence) -> list[Moment]:
    return [Moment(revision, NOON) for revision in range(2, evidence.revision + 1)]


@settings(max_examples=tried(150), deadline=None)
@given(steps=STEPS, every=st.integers(1, 5))
def test_then_has_the_bits_of_scoring_each_revision_from_scratch(
    steps: list[tuple[Any, ...]], every: int
) -> None:
    evidence = evidence_from(steps)

    history = history_as_of(evidence, moments_of(evidence)[::every])

    for points in history.points.values():
        for point in points:
            revision = point.moment.revision
            place = evidence.structure.runs.index(point.run)
            current = evidence.current_runs(revision)
            board = score_runs(evidence, current, revision=revision)
            row = current.index(place)
            assert point.score == common_means(board)[row]
            assert point.judged == means_of(board.values[f"judged@{board.ruler.k}"], board.common)[row]
            assert point.scored == board.common.sum()
            assert point.fingerprint == board.ruler.fingerprint


@settings(max_examples=tried(150), deadline=None)
@given(steps=STEPS, later=STEPS)
def test_no_later_event_changes_a_number_of_then(
    steps: list[tuple[Any, ...]], later: list[tuple[Any, ...]]
) -> None:
    before, after = evidence_from(steps), evidence_from(steps + later)
    moments = moments_of(before)

    shown, looked_back = history_as_of(before, moments), history_as_of(after, moments)

    assert shown.points == looked_back.points


@settings(max_examples=tried(150), deadline=None)
@given(steps=STEPS, where=st.tuples(st.integers(0, 40), st.integers(0, 40)))
def test_the_parts_of_a_jump_add_up_to_it(steps: list[tuple[Any, ...]], where: tuple[int, int]) -> None:
    evidence = evidence_from(steps)
    first, last = (min(place + 2, evidence.revision) for place in sorted(where))

    ends = history_as_of(evidence, [Moment(first, NOON), Moment(last, NOON)]).points

    for points in ends.values():
        jump = score_change_between(evidence, points[0], points[-1])
        if jump is not None:
            assert sum(part.moved for part in jump.parts) == pytest.approx(jump.moved, abs=1e-12)
            nothing_happened = jump.same_version and not any(
                part.count for part in jump.parts if part.kind != "ranker"
            )
            assert not nothing_happened or jump.moved == 0


@settings(max_examples=tried(100), deadline=None)
@given(steps=STEPS)
def test_a_score_stays_inside_its_bounds_as_evidence_grows(steps: list[tuple[Any, ...]]) -> None:
    evidence = evidence_from(steps)

    for points in history_of_version(evidence, 0, moments_of(evidence)).points.values():
        for point in points:
            assert (point.low is None) == (point.score is None)
            if point.score is not None:
                assert point.low - 1e-12 <= point.score <= point.high + 1e-12


@pytest.mark.thorough
@settings(max_examples=tried(150), deadline=None)
@given(steps=STEPS, pair=st.permutations(range(DOCUMENTS)), ruler=st.sampled_from(RULERS[:5]))
def test_a_merge_keeps_scores_within_1_and_its_undoing_restores_every_bit(
    steps: list[tuple[Any, ...]], pair: list[int], ruler: ScoringSettings
) -> None:
    merge = ("merge", pair[0], pair[1])
    # Undoing names a merge by how many still stand before it.
    stand = len(merges_at(evidence_from(steps).structure.events))
    before, merged, after = (
        evidence_from(all_steps) for all_steps in (steps, [*steps, merge], [*steps, merge, ("part", stand)])
    )

    def boards(*kept: Evidence) -> list[Scoreboard]:
        return [score_runs(one, one.active_runs(), ruler=ruler) for one in kept]

    first, whole, last = boards(before, merged, after)

    for label, values in first.values.items():
        assert values.tobytes() == last.values[label].tobytes()
    assert [one.measures for one in first.runs] == [one.measures for one in last.runs]
    assert np.nanmax(whole.values[whole.headline], initial=0) <= 1 + 1e-12
    again = score_runs(after, after.active_runs(), revision=merged.revision, ruler=ruler)
    for label, values in whole.values.items():
        assert values.tobytes() == again.values[label].tobytes()
