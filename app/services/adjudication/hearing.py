"""What an adjudicator hears of an answer: what others said only on request, or once it is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Candidate, Document, Hearing, Judgment, JudgmentNote, Person, now_utc
from app.services.current_judgments import current, settles
from app.services.errors import InvalidError

if TYPE_CHECKING:
    from collections.abc import Collection
    from datetime import datetime

    from sqlalchemy.orm import Session

LONGEST_NOTE = 2000


@dataclass(frozen=True)
class Said:
    """What one annotator says about an answer: a grade, or a reason why there is none.

    `name` and `note` are for owners; to others who adjudicate both are empty.
    """

    name: str
    grade: int | None
    reason: str | None
    note: str


def said_about(
    session: Session, candidate_ids: Collection[int], *, with_names: bool
) -> dict[int, tuple[Said, ...]]:
    """Return what annotators say now about some answers, by candidate; lowest grades first."""
    rows = session.execute(
        select(
            Judgment.candidate_id,
            Person.name,
            Judgment.grade,
            Judgment.reason,
            JudgmentNote.text.label("note"),
        )
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == Judgment.annotator_id)
        .outerjoin(
            JudgmentNote,
            (JudgmentNote.candidate_id == Judgment.candidate_id)
            & (JudgmentNote.annotator_id == Judgment.annotator_id),
        )
        .where(Judgment.candidate_id.in_(candidate_ids), settles(Judgment), current(Judgment))
        .order_by(Judgment.candidate_id, Judgment.grade, Judgment.reason, Person.name)
    )
    found: dict[int, tuple[Said, ...]] = {}
    for candidate_id, name, grade, reason, note in rows:
        words = (name, note or "") if with_names else ("", "")
        said = Said(words[0], grade, reason.name.lower() if reason else None, words[1])
        found[candidate_id] = (*found.get(candidate_id, ()), said)
    return found


def show_ratings(
    session: Session, project_id: int, person_id: int, candidate_id: int, *, now: datetime | None = None
) -> None:
    """Record that an adjudicator looks at the ratings of an answer; the first time counts."""
    hearing = _hearing(session, project_id, person_id, candidate_id)
    if hearing.shown_at is None:
        hearing.shown_at = hearing.updated_at = now or now_utc()
    session.flush()


def write_hearing_note(
    session: Session, project_id: int, person_id: int, candidate_id: int, text: str
) -> str:
    """Keep an adjudicator's note on an answer and return it; an empty one takes the note away.

    Raises
    ------
    InvalidError
        It is too long.
    """
    text = text.strip()
    if len(text) > LONGEST_NOTE:
        raise InvalidError(
            f"A note holds {LONGEST_NOTE} characters; this one has {len(text)}.", code="too_long"
        )
    hearing = _hearing(session, project_id, person_id, candidate_id)
    hearing.note, hearing.updated_at = text, now_utc()
    session.flush()
    return text


def _hearing(session: Session, project_id: int, person_id: int, candidate_id: int) -> Hearing:
    # Two windows of one person take turns.
    session.execute(select(Person.id).where(Person.id == person_id).with_for_update(key_share=True))
    hearing = session.get(Hearing, (candidate_id, person_id))
    if hearing is None:
        hearing = Hearing(candidate_id=candidate_id, person_id=person_id, project_id=project_id)
        session.add(hearing)
    return hearing
