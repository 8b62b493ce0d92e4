"""A jump is the sum of its parts, and each part has one cause."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from app.models import EventKind
from app.services.evidence.store import evidence_of
from app.services.scores.history import Moment, history_as_of
from app.services.scores.jumps import score_change_between
from tests.services.scores.history.eventful import live_a_while, rule

if TYPE_CHECKING:
    from app.services.scores.history import HistoryPoint
    from app.services.scores.jumps import ScoreChange
    from tests.services.conftest import Small

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def now(small: Small) -> int:
    return evidence_of(small.database, small.project.id).revision


def jump_from(small: Small, *revisions: int) -> ScoreChange:
    evidence = evidence_of(small.database, small.project.id)
    moments = [Moment(revision, NOON) for revision in (*revisions, evidence.revision)]
    before, *_, after = history_as_of(evidence, moments).points[small.rankers[0].id]
    jump = score_change_between(evidence, before, after)
    assert jump is not None
    return jump


def moved_by(jump: ScoreChange) -> dict[str, tuple[float, int]]:
    """Return what each cause moved, those that moved nothing left out."""
    assert sum(part.moved for part in jump.parts) == pytest.approx(jump.moved, abs=1e-12)
    return {part.kind: (part.moved, part.count) for part in jump.parts if part.moved}


def points_of(small: Small, seed: int) -> list[HistoryPoint]:
    revisions = [now(small) for _ in live_a_while(small, seed)]
    evidence = evidence_of(small.database, small.project.id)
    return history_as_of(evidence, [Moment(one, NOON) for one in revisions]).points[small.rankers[0].id]


@pytest.mark.parametrize("database_kind", ["sqlite"])
@pytest.mark.thorough
def test_the_parts_add_up_whatever_happened_in_between(small: Small) -> None:
    points = points_of(small, seed=5)
    evidence = evidence_of(small.database, small.project.id)
    numbers = [point for point in points if point.score is not None]

    for before, after in [*pairwise(numbers), *zip(numbers, numbers[5:], strict=False)]:
        jump = score_change_between(evidence, before, after)

        assert jump is not None
        assert sum(part.moved for part in jump.parts) == pytest.approx(jump.moved, abs=1e-12)


def test_a_new_version_is_the_rankers_part(small: Small) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 2, 3)
    before = now(small)
    small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1]))

    jump = jump_from(small, before)

    assert set(moved_by(jump)) == {"ranker"}
    assert (jump.same_version, jump.parts[-2].count) == (False, 1)


def test_a_retired_question_is_the_questions_part(small: Small) -> None:
    small.rate(0, 0, 3)
    small.rate(1, 2, 3)
    small.rate(1, 0, 1)
    before = now(small)
    small.event(EventKind.QUERY_RETIRED, {"query_ids": [small.queries[1].id]})

    assert {kind: count for kind, (_, count) in moved_by(jump_from(small, before)).items()} == {"queries": 1}


def test_a_grade_of_an_answer_that_joined_the_pool_is_pool_growth(small: Small) -> None:
    with small.making() as make:
        small.documents.append(make.document(small.project, "d5"))
    small.rate(0, 0, 1)
    before = now(small)
    small.run("Third", {small.queries[0]: small.documents[4:]})
    small.rate(0, 4, 3)

    parts = moved_by(jump_from(small, before))

    assert {kind: count for kind, (_, count) in parts.items()} == {"pool": 1}
    assert parts["pool"][0] < 0  # the ideal rose, and the list did not


def test_a_first_grade_of_a_pooled_answer_is_a_new_grade(small: Small) -> None:
    small.rate(0, 0, 1)
    before = now(small)
    small.rate(0, 2, 3)

    assert {kind: count for kind, (_, count) in moved_by(jump_from(small, before)).items()} == {"new": 1}


def test_a_changed_grade_is_a_revised_grade(small: Small) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 1, 3)
    before = now(small)
    small.rate(0, 1, 0)

    assert {kind: count for kind, (_, count) in moved_by(jump_from(small, before)).items()} == {"revised": 1}


def test_another_gain_is_the_settings_part(small: Small) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 1, 3)
    before = now(small)
    rule(small, {"gain": "exponential"})

    parts = moved_by(jump_from(small, before))

    assert {kind: count for kind, (_, count) in parts.items()} == {"settings": 1}
    assert jump_from(small, before).parts[-3].details == (("gain", "linear", "exponential"),)


def late_questions(small: Small, lists: int) -> None:
    """Add a question that only the next version of the first ranker is made for, with the same old lists."""
    with small.making() as make:
        small.queries.append(make.query(small.project, "qc"))
    old = dict.fromkeys(small.queries[:2], small.documents[:3])
    small.run(small.rankers[0], old | {small.queries[2]: small.documents[lists:]})
    small.rate(2, 3, 3)


def test_questions_that_one_version_alone_covers_move_no_number(small: Small) -> None:
    small.rate(0, 1, 3)
    before = now(small)
    late_questions(small, 3)

    jump = jump_from(small, before)

    assert (jump.before.scored, jump.after.scored) == (1, 1)
    assert (moved_by(jump), jump.moved) == ({}, 0.0)


def test_a_change_of_the_common_questions_is_a_part_of_its_own(small: Small) -> None:
    small.rate(0, 1, 3)
    late_questions(small, 3)
    before = now(small)
    small.event(EventKind.RUN_WITHDRAWN, {"run_id": small.runs[1].id})

    jump = jump_from(small, before)

    assert (jump.before.scored, jump.after.scored) == (1, 2)
    assert {kind: count for kind, (_, count) in moved_by(jump).items()} == {"common": 1}


def test_there_is_no_jump_from_nothing(small: Small) -> None:
    before = now(small)
    small.rate(0, 0, 1)
    evidence = evidence_of(small.database, small.project.id)
    moments = [Moment(before, NOON), Moment(evidence.revision, NOON)]

    first, second = history_as_of(evidence, moments).points[small.rankers[0].id]

    assert (first.score, score_change_between(evidence, first, second)) == (None, None)
