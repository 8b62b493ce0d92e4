"""What annotators could not judge, by reason; and an owner's way to ask them again."""

from __future__ import annotations

import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import distinct, func, select, update
from sqlalchemy.orm import aliased

from app.models import (
    Assignment,
    Candidate,
    Document,
    EventKind,
    Input,
    Judgment,
    Person,
    PersonKind,
    Project,
    Reason,
    now_utc,
)
from app.services.assignment.dealing import lock_dealing
from app.services.current_judgments import current
from app.services.errors import ConflictError
from app.services.imported_judgments.appending import append_judgments
from app.services.ledger import record_event

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

NAMES = uuid.UUID("3e2f6d0a-5a9e-4f0b-9a55-1d2a8f6c7b42")


@dataclass(frozen=True)
class PassedOn:
    """What was passed on for one reason: answers and questions, each counted once per person; and people."""

    reason: Reason
    answers: int
    queries: int
    people: int


def passed_on(session: Session, project_id: int) -> list[PassedOn]:
    """Return what annotators cannot judge at present, by reason."""
    found = []
    for reason in Reason:
        if reason is Reason.CLEARED:
            continue
        answers = session.execute(_standing(project_id, reason)).all()
        queries = session.execute(
            select(func.count(), func.count(distinct(Assignment.person_id))).where(
                *_declined(project_id, reason)
            )
        ).one()
        people = {row.annotator_id for row in answers}
        if answers or queries[0]:
            found.append(PassedOn(reason, len(answers), queries[0], max(len(people), queries[1])))
    return found


def release_passed_on(
    session: Session, project: Project, reason: Reason, *, actor_id: int | None = None
) -> tuple[int, int]:
    """Let what was passed on for a reason be dealt to the same people again; return answers and questions.

    Each "can't judge" of an answer is cleared by a newer row; the ledger keeps both.

    Raises
    ------
    ConflictError
        Nothing is passed on for this reason.
    """
    lock_dealing(session, project.id)
    rows = session.execute(_standing(project.id, reason)).all()
    done = session.execute(
        update(Assignment)
        .where(*_declined(project.id, reason))
        .values(declined=None)
        .returning(Assignment.id)
        .execution_options(synchronize_session=False)
    ).all()
    if not rows and not done:
        raise ConflictError("Nobody has passed anything on for this reason.", code="nothing_passed_on")
    if rows:
        append_judgments(session, project.id, _clearing(rows), len(rows))
    payload = {"reason": reason.name.lower(), "count": len(rows)}
    record_event(session, project.id, EventKind.DECLINES_RELEASED, payload, actor_id=actor_id)
    return len(rows), len(done)


def _standing(project_id: int, reason: Reason) -> Select[*tuple[Any, ...]]:
    own = aliased(Judgment)
    return (
        select(
            own.project_id,
            own.revision,
            own.candidate_id,
            own.annotator_id,
            own.place,
            own.length,
            own.batch,
            own.guideline_version,
            own.role,
            own.blind,
        )
        .join(Candidate, Candidate.id == own.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == own.annotator_id)
        .where(
            own.project_id == project_id,
            own.reason == reason,
            # Files and simulations are asked nothing.
            Person.kind == PersonKind.PERSON.value,
            current(own),
        )
        .order_by(own.revision)
    )


def _declined(project_id: int, reason: Reason) -> tuple[Any, ...]:
    return Assignment.project_id == project_id, Assignment.declined == reason.name.lower()


def _clearing(rows: Any) -> Iterator[dict[str, Any]]:
    now = now_utc()
    for row in rows:
        facts = dict(row._mapping)  # noqa: SLF001 - the documented way to a row's names
        old = f"{facts.pop('project_id')} {facts.pop('revision')}"
        yield {
            **facts,
            "grade": None,
            "reason": Reason.CLEARED,
            "input": Input.FORM,
            "client_uuid": uuid.uuid5(NAMES, old).bytes,
            "judged_at": now,
            "received_at": now,
        }
