"""Queries are retired and restored by ledger events."""

from __future__ import annotations

import pytest

from app.models import Event
from app.services.collection.queries import restore_queries, retire_queries
from app.services.errors import ConflictError, NotFoundError
from app.services.ledger import head_of
from app.services.projects.settings import archive_project


def test_a_retired_query_carries_the_revision_and_comes_back_without_it(session, make):
    project = make.project()
    query, other = make.query(project, "qa"), make.query(project, "qb")

    retired = retire_queries(session, project, ["qa"])
    at = head_of(session, project.id)
    marks = (query.retired_revision, other.retired_revision)
    restored = restore_queries(session, project, ["qa"])

    kinds = [session.get(Event, (project.id, revision)).kind for revision in (at, at + 1)]
    assert (retired, restored, marks) == (1, 1, (at, None))
    assert kinds == ["query_retired", "query_restored"]
    assert query.retired_revision is None


def test_what_is_so_already_makes_no_event(session, make):
    project = make.project()
    make.query(project, "qa")
    before = head_of(session, project.id)

    assert restore_queries(session, project, ["qa"]) == 0
    assert head_of(session, project.id) == before


def test_an_unknown_query_is_named(session, make):
    with pytest.raises(NotFoundError, match="no query 'qx'"):
        retire_queries(session, make.project(), ["qx"])


def test_nothing_is_retired_in_an_archived_project(session, make):
    project = make.project()
    make.query(project, "qa")
    archive_project(session, project)

    with pytest.raises(ConflictError, match="archived"):
        retire_queries(session, project, ["qa"])
