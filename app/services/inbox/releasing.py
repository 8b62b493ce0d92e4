"""Asking the same people again about chosen answers and questions that they could not judge."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sqlalchemy import select, update

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
from app.services.bulk import batches
from app.services.current_judgments import current
from app.services.imported_judgments.appending import append_judgments
from app.services.ledger import record_event

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

NAMES = uuid.UUID("6f0f3f5e-2a58-4c50-8f0b-2d6a0f0a9b11")
CHOSEN = "chosen"


def release_chosen(
    session: Session,
    project: Project,
    *,
    revisions: Sequence[int],
    assignments: Sequence[int],
    actor_id: int,
) -> int:
    """Clear "can't judge" where it stands, and return of how many answers and questions.

    Each is cleared by a newer row; the ledger keeps both. Files and simulations are asked nothing.

    Parameters
    ----------
    revisions
        Of the judgments that say so.
    assignments
        Batches whose whole question was passed on.
    """
    rows = [row for some in batches(revisions) for row in session.execute(_standing(project.id, some))]
    queries = 0
    for some in batches(assignments):
        done = session.execute(
            update(Assignment)
            .where(Assignment.project_id == project.id, Assignment.id.in_(some), _is_asked_again())
            .values(declined=None)
            .returning(Assignment.id)
            .execution_options(synchronize_session=False)
        )
        queries += len(done.all())
    if rows:
        append_judgments(session, project.id, _clearing(rows), len(rows))
    if rows or queries:
        payload = {"reason": CHOSEN, "count": len(rows)}
        record_event(session, project.id, EventKind.DECLINES_RELEASED, payload, actor_id=actor_id)
    return len(rows) + queries


def _is_asked_again() -> Any:
    people = select(Person.id).where(Person.kind == PersonKind.PERSON.value)
    return Assignment.declined.is_not(None) & Assignment.person_id.in_(people)


def _standing(project_id: int, revisions: Sequence[int]) -> Any:
    columns = (
        Judgment.revision,
        Judgment.candidate_id,
        Judgment.annotator_id,
        Judgment.place,
        Judgment.length,
        Judgment.batch,
        Judgment.guideline_version,
        Judgment.role,
        Judgment.blind,
    )
    return (
        select(*columns)
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == Judgment.annotator_id)
        .where(
            Judgment.project_id == project_id,
            Judgment.revision.in_(revisions),
            Judgment.grade.is_(None),
            Judgment.reason != Reason.CLEARED,
            Person.kind == PersonKind.PERSON.value,
            current(Judgment),
        )
        .order_by(Judgment.revision)
    )


def _clearing(rows: list[Any]) -> Iterator[dict[str, Any]]:
    now = now_utc()
    for row in rows:
        facts = dict(row._mapping)  # noqa: SLF001 - the documented way to a row's names
        before = facts.pop("revision")
        yield {
            **facts,
            "grade": None,
            "reason": Reason.CLEARED,
            "input": Input.FORM,
            "client_uuid": uuid.uuid5(NAMES, f"{row.candidate_id} {before}").bytes,
            "judged_at": now,
            "received_at": now,
        }
