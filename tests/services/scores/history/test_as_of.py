"""What was shown then is what is shown of then: after every kind of event, to the last bit."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import pytest

from app.scoring.bounds import ndcg_bounds
from app.services.evidence.store import evidence_of
from app.services.scores.history import Moment, history_as_of, history_of_version
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.scoreboard import score_runs
from tests.furniture.evidence import forget_evidence
from tests.services.scores.history.eventful import live_a_while

if TYPE_CHECKING:
    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def shown_at(evidence: Evidence) -> dict[int, tuple[object, ...]]:
    """What the headline says of each ranker: its score, its coverage and how many queries it is a mean of."""
    standing = leaderboard_of(evidence)
    return {
        one.run.ranker_id: (one.score, one.judged, one.interval.n, one.run.version)
        for one in standing.rankers
    }


def lived(small: Small, seed: int) -> dict[int, Evidence]:
    """Return the evidence as it was after everything that happened."""
    seen = {}
    for _ in live_a_while(small, seed):
        evidence = evidence_of(small.database, small.project.id)
        seen[evidence.revision] = evidence
    return seen


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.thorough
def test_a_number_then_is_the_number_that_was_shown_then(small: Small, seed: int) -> None:
    shown = {revision: shown_at(evidence) for revision, evidence in lived(small, seed).items()}
    forget_evidence(small.database, small.project.id)
    moments = [Moment(revision, NOON) for revision in shown]

    history = history_as_of(evidence_of(small.database, small.project.id), moments)

    for ranker, points in history.points.items():
        assert {
            point.moment.revision: (point.score, point.judged, point.scored, point.run.version)
            for point in points
        } == {revision: message[ranker] for revision, message in shown.items() if ranker in message}


@pytest.mark.thorough
def test_what_was_worked_out_of_the_past_is_kept_and_stays_right(small: Small) -> None:
    seen = lived(small, 7)
    moments = [Moment(revision, NOON) for revision in seen]

    for number, evidence in enumerate(seen.values(), start=1):
        kept = history_as_of(evidence, moments[:number]).points

    forget_evidence(small.database, small.project.id)
    anew = history_as_of(evidence_of(small.database, small.project.id), moments).points

    assert {ranker: [one.score for one in points] for ranker, points in kept.items()} == {
        ranker: [one.score for one in points] for ranker, points in anew.items()
    }


@pytest.mark.thorough
def test_a_version_grows_inside_the_exact_bounds_of_each_moment(small: Small) -> None:
    seen = lived(small, 11)
    evidence = list(seen.values())[-1]
    moments = [Moment(revision, NOON) for revision in seen]

    (points,) = history_of_version(evidence, 0, moments).points.values()

    for point in points:
        revision = point.moment.revision
        board = score_runs(evidence, [0], revision=revision)
        assert point.score == board.runs[0].measures[board.headline]
        bounds = bounds_at(evidence, revision)
        if bounds is None:
            assert (point.low, point.high) == (None, None)
        else:
            assert (point.low, point.high) == pytest.approx(bounds, abs=1e-12)
            assert point.low - 1e-12 <= point.score <= point.high + 1e-12


def bounds_at(evidence: Evidence, revision: int) -> tuple[float, float] | None:
    """Return the exact mean bounds of the first run at a revision, worked out from scratch."""
    board = score_runs(evidence, [0], revision=revision)
    found = ndcg_bounds(evidence.lists([0], board.ruler.k), board.judged, board.ruler.k)
    return found.means(board.counted)[0]


def test_a_version_has_no_growth_before_its_registration(small: Small) -> None:
    small.rate(0, 0, 3)
    before = evidence_of(small.database, small.project.id).revision
    small.run("Third", {small.queries[1]: small.documents[1:3]})
    small.rate(1, 1, 2)
    evidence = evidence_of(small.database, small.project.id)
    moments = [Moment(revision, NOON) for revision in (before, before + 1, evidence.revision)]

    growth = history_of_version(evidence, 2, moments)

    (points,) = growth.points.values()
    assert [point.moment.revision for point in points] == [before + 1, evidence.revision]
    assert history_of_version(evidence, 2, moments[:1]).points == {}
