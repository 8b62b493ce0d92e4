"""Undo an import of judgments: each is cleared by a newer row; the ledger keeps both."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.models import CurrentJudgment, Event, EventKind, Reason, now_utc
from app.services.bulk import lock_project
from app.services.imported_judgments.comparing import NAMESPACE
from app.services.ledger import append_judgments, record_event
from app.services.undoing.preview import UndoPreview
from app.services.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Select
    from sqlalchemy.orm import Session

    from app.models import Origin, Project


def preview_judgments(session: Session, event: Event) -> UndoPreview:
    """Return what clearing the judgments of an import would do."""
    return _judgments_preview(event, len(session.execute(_standing_of(event)).all()))


def undo_judgments(session: Session, project: Project, event: Event, *, actor_id: int | None) -> UndoPreview:
    """Clear the judgments of an import that still stand."""
    lock_project(session, project.id)
    standing = [(row[0], row[1], row[2], row[3]) for row in session.execute(_standing_of(event))]
    if standing:
        append_judgments(session, project.id, _clearing(event, standing), len(standing))
        payload = {"of": event.revision, "count": len(standing)}
        record_event(session, project.id, EventKind.JUDGMENTS_UNDONE, payload, actor_id=actor_id)
    return _judgments_preview(event, len(standing))


def _judgments_preview(event: Event, count: int) -> UndoPreview:
    sentence = (
        f"Clears {counted(count, 'rating')}: {'it' if count == 1 else 'they'} no longer "
        f"{'counts, but stays' if count == 1 else 'count, but stay'} in the history. "
        "Importing the file again restores them."
    )
    return UndoPreview(event.revision, sentence, count)


def _standing_of(event: Event) -> Select[int, int, int, Origin]:
    """Select revision, candidate, annotator and role of the rows of an import that count now."""
    now = CurrentJudgment
    return (
        select(now.revision, now.candidate_id, now.annotator_id, now.role)
        .where(
            now.project_id == event.project_id,
            now.annotator_id.in_(event.payload["annotator_ids"]),
            now.revision >= event.revision - event.payload["count"],
            now.revision < event.revision,
        )
        .order_by(now.revision)
    )


def _clearing(event: Event, standing: list[tuple[int, int, int, Origin]]) -> Iterator[dict[str, Any]]:
    now = now_utc()
    for revision, candidate, annotator, role in standing:
        yield {
            "candidate_id": candidate,
            "annotator_id": annotator,
            "grade": None,
            "reason": Reason.CLEARED,
            "client_uuid": uuid.uuid5(
                NAMESPACE, f"undo {event.project_id} {event.revision} {revision}"
            ).bytes,
            "judged_at": now,
            "received_at": now,
            "role": role,
        }
