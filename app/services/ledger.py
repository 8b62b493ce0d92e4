"""The ledger's counter and its events: the only door to a new revision."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, select, update

from app.models import Event, EventKind, LedgerHead
from app.services.errors import NotFoundError

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session
    from sqlalchemy.sql.dml import ReturningUpdate


def take_revisions(session: Session, project_id: int, count: int = 1) -> range:
    """Return the project's next `count` revisions.

    Take them last in the transaction: the row stays locked until the commit, and everybody else who
    writes to this project waits for it.

    Raises
    ------
    NotFoundError
        The project has no ledger.
    """
    session.flush()
    # On the connection: no object of the session stands for this row.
    values = {"project": project_id, "count": count}
    head = session.connection().execute(_advance(), values).scalar_one_or_none()
    if head is None:
        raise NotFoundError("There is no such project.")
    return range(head - count + 1, head + 1)


@cache
def _advance() -> ReturningUpdate[int]:
    # Built once: it stands on the path of every rating.
    return (
        update(LedgerHead)
        .where(LedgerHead.project_id == bindparam("project"))
        .values(revision=LedgerHead.revision + bindparam("count"))
        .returning(LedgerHead.revision)
    )


# Built once: every page about scores asks it.
HEAD = select(LedgerHead.revision).where(LedgerHead.project_id == bindparam("project"))


def head_of(session: Session, project_id: int) -> int:
    """Return the project's newest revision in the session's snapshot (0 for an empty ledger)."""
    head = session.scalar(HEAD, {"project": project_id})
    return int(head or 0)


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
