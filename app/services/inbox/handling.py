"""What an owner does about remarks: reply, resolve, reopen, release what was passed on, erase notes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, update

from app.models import Flag, Handling, JudgmentNote, now_utc
from app.services.assignment import release_chosen
from app.services.bulk import batches, lock_project
from app.services.errors import InvalidError
from app.services.inbox.said import Wanted, chosen, said_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.models import Project

TURNS = ("reply", "resolve", "reopen", "release", "erase")
LONGEST_REPLY = 2000


@dataclass(frozen=True)
class Handled:
    """How many remarks were meant, and of how many a turn was possible."""

    meant: int
    done: int


def handle(
    session: Session, project: Project, wanted: Wanted, turn: str, *, actor_id: int, reply: str = ""
) -> Handled:
    """Do one thing about all remarks that are wanted, and return how many there were.

    A reply resolves what it answers. A release asks the same people again; only what is passed on can be
    released, and only notes can be erased: the text is gone for good, with what was replied to it.

    Raises
    ------
    InvalidError
        The turn is not known, nothing is meant, or the reply is empty or too long.
    """
    reply = reply.strip()
    if turn not in TURNS:
        raise InvalidError(f"{turn[:40]!r} cannot be done: choose one of {', '.join(TURNS)}.")
    if turn == "reply" and not 1 <= len(reply) <= LONGEST_REPLY:
        raise InvalidError(f"A reply has 1 to {LONGEST_REPLY} characters; this one has {len(reply)}.")
    project = lock_project(session, project.id)
    said = said_in(project.id)
    rows = session.execute(
        chosen(said, project.id, wanted, said, Handling.id.label("handling_id")).order_by(said.c.said_at)
    ).all()
    if not rows:
        raise InvalidError("Choose at least one remark.", code="nothing_chosen")
    if turn == "release":
        return Handled(len(rows), _release(session, project, rows, actor_id))
    if turn == "erase":
        return Handled(len(rows), _erase(session, rows))
    state = "open" if turn == "reopen" else "resolved"
    _set_flags(session, rows, state)
    for row in rows:
        _set_handling(session, project.id, row, state=state, reply=reply, actor_id=actor_id)
    session.flush()
    return Handled(len(rows), len(rows))


def _set_flags(session: Session, rows: Sequence[Any], state: str) -> None:
    numbers = [row.number for row in rows if row.source == "flag"]
    for some in batches(numbers):
        session.execute(update(Flag).where(Flag.id.in_(some)).values(state=state))


def _set_handling(
    session: Session, project_id: int, row: Any, *, state: str, reply: str, actor_id: int
) -> None:
    handling = session.get(Handling, row.handling_id) if row.handling_id else None
    if handling is None:
        handling = Handling(
            project_id=project_id,
            kind=row.kind,
            person_id=row.person_id,
            query_id=row.query_id,
            candidate_id=row.candidate_id,
            said_at=row.said_at,
        )
        session.add(handling)
    now = now_utc()
    handling.state, handling.actor_id, handling.updated_at = state, actor_id, now
    if reply:
        handling.reply, handling.replied_at, handling.seen_at = reply, now, None


def _release(session: Session, project: Project, rows: Sequence[Any], actor_id: int) -> int:
    passed = [row for row in rows if row.kind == "pass"]
    if not passed:
        raise InvalidError("Only what people could not judge can be released.", code="nothing_to_release")
    return release_chosen(
        session,
        project,
        revisions=[row.number for row in passed if row.source == "pass"],
        assignments=[row.number for row in passed if row.source == "question"],
        actor_id=actor_id,
    )


def _erase(session: Session, rows: Sequence[Any]) -> int:
    notes = [row for row in rows if row.source == "note"]
    if not notes:
        raise InvalidError("Only notes can be erased.", code="nothing_to_erase")
    for some in batches(notes):
        session.execute(delete(JudgmentNote).where(JudgmentNote.id.in_([row.number for row in some])))
        handled = [row.handling_id for row in some if row.handling_id]
        session.execute(delete(Handling).where(Handling.id.in_(handled)))
    return len(notes)
