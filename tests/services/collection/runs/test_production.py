"""The mark "in production": one version of a project at most, as it was at any revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import func, select

from app.models import Event, EventKind, Project, Run
from app.services.collection.rankers import marked_run, set_production
from app.services.collection.withdrawal import restore_run, withdraw_run
from app.services.errors import ConflictError

if TYPE_CHECKING:
    from tests.services.conftest import Small


def mark(small: Small, run: Run | None) -> bool:
    with small.database.write() as session:
        found = None if run is None else session.get_one(Run, run.id)
        return set_production(session, session.get_one(Project, small.project.id), found)


def turn(small: Small, turning, run: Run) -> None:
    with small.database.write() as session:
        turning(session, session.get_one(Run, run.id))


def test_a_version_keeps_the_mark_when_a_newer_one_comes(small, evidence_now):
    assert evidence_now().production_run() is None
    mark(small, small.runs[0])
    small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1]))

    evidence = evidence_now()
    assert evidence.production_run() == 0
    assert len(evidence.structure.runs) == 3


def test_marking_another_moves_the_mark_and_every_revision_knows_its_own(small, evidence_now):
    before = evidence_now().revision
    mark(small, small.runs[0])
    first = evidence_now().revision
    mark(small, small.runs[1])
    second = evidence_now().revision
    mark(small, None)

    evidence = evidence_now()
    found = [evidence.production_run(revision) for revision in (before, first, second, None)]
    assert found == [None, 0, 1, None]


def test_a_withdrawn_version_is_not_in_production_until_it_is_restored(small, evidence_now):
    mark(small, small.runs[0])
    marked = evidence_now().revision
    turn(small, withdraw_run, small.runs[0])
    while_away = evidence_now()
    turn(small, restore_run, small.runs[0])

    assert while_away.production_run() is None
    assert while_away.production_run(marked) == 0
    assert evidence_now().production_run() == 0


def test_the_same_mark_twice_is_one_event(small):
    assert [mark(small, small.runs[0]), mark(small, small.runs[0]), mark(small, None), mark(small, None)] == [
        True,
        False,
        True,
        False,
    ]
    with small.database.read() as session:
        kind = EventKind.PRODUCTION_SET.value
        assert session.scalar(select(func.count()).where(Event.kind == kind)) == 2
        assert marked_run(session, small.project.id) is None


def test_a_withdrawn_version_cannot_be_marked(small):
    turn(small, withdraw_run, small.runs[0])

    with pytest.raises(ConflictError, match="restore it first"):
        mark(small, small.runs[0])


def test_answers_that_people_knew_of_cannot_be_marked(small):
    with small.making() as make:
        known = make.run(make.ranker(small.project, "Known", kind="manual"), {})

    with pytest.raises(ConflictError, match="Only a version of a ranker"):
        mark(small, known)
