"""Steps are committed one by one; what others removed meanwhile stops them in one sentence."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from app.jobs.steps import commit_steps, project_of
from app.models import Candidate, Document, Query
from app.services.collection.files import ImportStep
from app.services.errors import ConflictError, NotFoundError
from tests.furniture.factories import Make


def test_every_step_is_committed_before_the_next_is_made(database):
    with database.write() as session:
        project = Make(session).project()
    seen = []

    def steps():
        for number in range(3):
            with database.read() as session:
                seen.append(session.scalar(select(func.count()).select_from(Query)))
            yield ImportStep(1, lambda session, name=f"q{number}": Make(session).query(project, name))

    commit_steps(database, steps(), 3, lambda done, total: seen.append((done, total)))

    assert seen == [0, (1, 3), 1, (2, 3), 2, (3, 3)]


def test_a_step_that_fails_leaves_those_before_it_and_nothing_of_itself(database):
    with database.write() as session:
        project = Make(session).project()

    def fail(session):
        Make(session).query(project, "q2")
        raise ConflictError("no")

    with pytest.raises(ConflictError):
        commit_steps(
            database, [ImportStep(1, lambda session: Make(session).query(project, "q1")), ImportStep(1, fail)]
        )

    with database.read() as session:
        assert session.scalars(select(Query.external_id)).all() == ["q1"]


def test_what_was_removed_meanwhile_is_said_in_one_sentence(database):
    with database.write() as session:
        make = Make(session)
        query = make.query(make.project())
    orphan = Candidate(project_id=query.project_id, query_id=query.id, document_id=99_999)

    with pytest.raises(ConflictError, match="start it again"):
        commit_steps(database, [ImportStep(1, lambda session: session.add(orphan))])

    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Document)) == 0


def test_who_adds_the_same_meanwhile_is_said_in_one_sentence(database):
    with database.write() as session:
        make = Make(session)
        project = make.project()
        make.query(project, "q1")

    with pytest.raises(ConflictError, match="start it again"):
        commit_steps(database, [ImportStep(1, lambda session: Make(session).query(project, "q1"))])


def test_a_row_that_cannot_be_stored_is_a_failure_of_ours(database):
    without = Document(project_id=None, external_id=None, title="", text="", url="", source="", extra={})

    with pytest.raises(IntegrityError, match="external_id"):
        commit_steps(database, [ImportStep(1, lambda session: session.add(without))])


def test_an_unknown_project_is_not_found(database):
    with database.read() as session, pytest.raises(NotFoundError):
        project_of(session, 1)
