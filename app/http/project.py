"""The project of a request: to read, to change, and what its ledger says now; for pages and API."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.orm import Session

from app.http.languages import Later
from app.http.languages import gettext as _
from app.http.permissions import current_access
from app.http.sessions import close_read_session, database, read_session, write_session
from app.models.project import Project
from app.services.evidence.state import Evidence
from app.services.evidence.store import evidence_of
from app.services.scores.context import ScoringContext, context_for_members


def current_project() -> Project:
    """Return the project of this request."""
    return current_access().project


def _intent_name() -> str:
    return _("Abstract") if current_project().has_abstracts else _("What the person wants")


INTENT_NAME = Later(_intent_name)
"""What the project of this request calls the intent of a query."""


@contextmanager
def write_project() -> Iterator[tuple[Session, Project]]:
    """Open a write session with the project of this request in it."""
    project_id = current_project().id
    with write_session() as session:
        yield session, session.get_one(Project, project_id)


def current_evidence() -> Evidence:
    """Return the evidence of the project of this request.

    The read session is closed before the arithmetic: a long reader costs everybody who writes.
    """
    project_id = current_project().id
    close_read_session()
    return evidence_of(database(), project_id)


def current_context() -> ScoringContext:
    """Return what a page of this project tells scores and missing ratings from."""
    # The evidence first: it closes the read session.
    evidence = current_evidence()
    return context_for_members(read_session(), evidence, current_project())
