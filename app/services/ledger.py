"""The ledger's counter and its events: the only way to a new revision."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from itertools import islice
from typing import Any

from sqlalchemy import Select, bindparam, insert, select, update
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from app.models.event import Event, EventKind
from app.models.judgment import Input, Judgment, Origin
from app.models.project import LedgerHead
from app.services.bulk import BATCH, table_of
from app.services.current_judgments import project_judgments
from app.services.errors import NotFoundError
from app.services.prepared import Prepared

# What most judgments share that no page sent.
USUAL = {
    "place": 0,
    "length": 0,
    "batch": 0,
    "active_ms": 0,
    "input": Input.FILE,
    "guideline_version": 0,
    "role": Origin.PLANNED,
    "blind": True,
}
# Into the table and not the class: rows of the ledger are never held as objects that could be changed.
_insert = Prepared(lambda: insert(table_of(Judgment)))


def take_revisions(session: Session, project_id: int, count: int = 1) -> range:
    """Return the project's next `count` revisions.

    Take them last in the transaction: the row stays locked until the commit, and everybody else who
    writes to this project waits for it.

    :raise NotFoundError: The project has no ledger.
    """
    session.flush()
    # Past the session, which has no object for this row.
    head = _advance.scalars(session, {"project": project_id, "count": count})
    if not head:
        raise NotFoundError("There is no such project.")
    return range(head[0] - count + 1, head[0] + 1)


@Prepared
def _advance() -> ReturningUpdate[int]:
    return (
        update(LedgerHead)
        .where(LedgerHead.project_id == bindparam("project"))
        .values(revision=LedgerHead.revision + bindparam("count"))
        .returning(LedgerHead.revision)
    )


@Prepared
def _head() -> Select[int]:
    return select(LedgerHead.revision).where(LedgerHead.project_id == bindparam("project"))


def head_of(session: Session, project_id: int) -> int:
    """Return the project's newest revision in the session's snapshot (0 for an empty ledger)."""
    head = _head.scalars(session, {"project": project_id})
    return int(head[0]) if head else 0


def record_event(
    session: Session,
    project_id: int,
    kind: EventKind,
    payload: dict[str, Any],
    *,
    actor_id: int | None = None,
    at: datetime | None = None,
) -> Event:
    """Append an event with a revision of its own and return it."""
    (revision,) = take_revisions(session, project_id)
    event = Event(
        project_id=project_id, revision=revision, kind=kind.value, actor_id=actor_id, payload=payload
    )
    if at is not None:
        event.at = at
    session.add(event)
    session.flush()
    return event


def append_judgments(session: Session, project_id: int, rows: Iterable[dict[str, Any]], count: int) -> range:
    """Append judgments in the order given, with what counts now, and return their revisions.

    Parameters
    ----------
    rows
        For each judgment: candidate_id, annotator_id, grade, reason, client_uuid, judged_at and received_at;
        further columns where they differ from `USUAL`.
    count
        How many there are: their revisions are reserved in one go, as late as possible.
    """
    revisions = take_revisions(session, project_id, count)
    numbered = (
        {**USUAL, "project_id": project_id, "revision": revision, **row}
        for revision, row in zip(revisions, rows, strict=True)
    )
    while some := list(islice(numbered, BATCH)):
        _insert.write(session, some)
    project_judgments(session, project_id, revisions)
    return revisions


# These events leave runs, queries, candidates, texts and the ruler as they are.
QUIET = {
    EventKind.GUIDELINES_CHANGED,
    EventKind.NO_GOOD_ANSWER,
    EventKind.OVERLAP_CHANGED,
    EventKind.QUALITY_CHANGED,
    EventKind.FIELDS_CHANGED,
    EventKind.DECLINES_RELEASED,
    EventKind.DOCUMENTS_KEPT_APART,
    EventKind.APART_UNDONE,
    EventKind.STATE_CHANGED,
    EventKind.QUERIES_ASSIGNED,
    EventKind.PRODUCTION_SET,
    EventKind.REQUESTED,
    EventKind.REQUEST_WITHDRAWN,
}
TURNS = {EventKind.QUERY_RETIRED, EventKind.QUERY_RESTORED}
# These change what is told of the past: nothing that was computed from it holds.
REWRITING = {
    EventKind.RUN_MOVED,
    EventKind.RUN_DELETED,
    EventKind.RANKER_RENAMED,
    EventKind.VERSION_RENAMED,
}
