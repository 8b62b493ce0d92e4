"""What annotators say beside the ledger: a note on an answer, a flag on an answer or a question."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment
from app.models.base import now_utc
from app.models.judgment import Flag, JudgmentNote
from app.models.query import Query
from app.sentences import message
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.judging.rating import (
    Annotator,
    RatedCandidate,
    find_current,
    get_rated_candidate,
    needs_note,
)
from app.services.judging.recording import candidate_status
from app.services.webhooks import REMARK, announce

LONGEST_NOTE = 2000


def write_note(
    session: Session, annotator: Annotator, public_id: str, text: str, *, base: str | None = None
) -> str:
    """Keep a note on an answer and return it; an empty one takes the note away.

    Parameters
    ----------
    base
        The note that its annotator had before their eyes; None where nobody asks.

    :raise NotFoundError: There is no such answer among this person's.
    :raise InvalidError: It is too long, or taken away from a grade that needs one (`note_required`).
    :raise ConflictError: There is another note than `base` (`note_changed`, with the `current` one).
    """
    text = _plain(text)
    if len(text) > LONGEST_NOTE:
        raise InvalidError(
            message(
                "A note holds %(most)s characters; this one has %(length)s.",
                most=LONGEST_NOTE,
                length=len(text),
            ),
            code="too_long",
        )
    shown = _get_own(session, annotator, public_id)
    note = session.scalar(
        select(JudgmentNote).where(
            JudgmentNote.candidate_id == shown.id, JudgmentNote.annotator_id == annotator.person_id
        )
    )
    stored = _plain(note.text) if note else ""
    if base is not None and stored not in {_plain(base), text}:
        raise ConflictError("You have changed this note elsewhere.", code="note_changed", current=stored)
    current = None if text else find_current(session, annotator.person_id, shown.id)
    if current is not None and needs_note(annotator.project, current.grade):
        raise InvalidError(
            message("A grade of %(grade)s needs a note. Change the rating first.", grade=current.grade),
            code="note_required",
        )
    if note is None and text:
        note = JudgmentNote(
            project_id=annotator.project.id,
            candidate_id=shown.id,
            annotator_id=annotator.person_id,
            text=text,
        )
        session.add(note)
        _tell(session, annotator, "note", shown.query_id, shown.id)
    elif note is not None and text:
        note.text, note.updated_at = text, now_utc()
    elif note is not None:
        session.delete(note)
    session.flush()
    return text


def _plain(text: str) -> str:
    # Forms send lines that end with two signs, scripts with one.
    return text.replace("\r\n", "\n").strip()


def flag_answer(session: Session, annotator: Annotator, public_id: str, *, flagged: bool) -> bool:
    """Raise a person's flag on an answer, or take it back, and return whether it is up.

    :raise NotFoundError: There is no such answer among this person's.
    """
    shown = _get_own(session, annotator, public_id)
    return _flag(session, annotator, shown.query_id, shown.id, flagged=flagged)


def flag_query(session: Session, annotator: Annotator, assignment: Assignment, *, flagged: bool) -> bool:
    """Raise a person's flag on the question of a batch, or take it back, and return whether it is up."""
    return _flag(session, annotator, assignment.query_id, None, flagged=flagged)


def _get_own(session: Session, annotator: Annotator, public_id: str) -> RatedCandidate:
    shown = get_rated_candidate(session, annotator.project.id, annotator.person_id, public_id)
    if find_current(session, annotator.person_id, shown.id) is None:
        status = candidate_status(session, annotator.person_id, shown.id, now_utc())
        if not status.was_assigned:
            raise NotFoundError("This is not one of your answers.")
    return shown


def _flag(
    session: Session, annotator: Annotator, query_id: int, candidate_id: int | None, *, flagged: bool
) -> bool:
    up = session.scalars(
        select(Flag).where(
            Flag.person_id == annotator.person_id,
            Flag.query_id == query_id,
            Flag.candidate_id.is_(None) if candidate_id is None else Flag.candidate_id == candidate_id,
            Flag.state == "open",
        )
    ).all()
    if flagged and not up:
        session.add(
            Flag(
                project_id=annotator.project.id,
                person_id=annotator.person_id,
                query_id=query_id,
                candidate_id=candidate_id,
            )
        )
        _tell(session, annotator, "flag", query_id, candidate_id)
    for flag in () if flagged else up:
        flag.state = "withdrawn"
    session.flush()
    return flagged


def _tell(session: Session, annotator: Annotator, kind: str, query_id: int, candidate_id: int | None) -> None:
    """Tell webhooks that there is a remark: on what, not what it says, and not whose it is."""
    question = session.scalar(select(Query.external_id).where(Query.id == query_id))
    on = "an answer to question" if candidate_id is not None else "question"
    announce(
        session,
        annotator.project,
        REMARK,
        message=f"There is a new {kind} on {on} {question}.",
        path=f"/p/{annotator.project.slug}/review",
        kind=kind,
        question=question,
    )
