"""What an adjudicator hears of an answer: what others said only on request, or once it is decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Candidate, CurrentJudgment, Hearing, JudgmentNote, Person, now_utc
from app.services.current_judgments import RATING, settles
from app.services.errors import InvalidError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy.orm import Session

    from app.services.judging import Annotator

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
            CurrentJudgment.candidate_id,
            Person.name,
            CurrentJudgment.grade,
            CurrentJudgment.reason,
            JudgmentNote.text.label("note"),
        )
        .join(Person, Person.id == CurrentJudgment.annotator_id)
        .outerjoin(
            JudgmentNote,
            (JudgmentNote.candidate_id == CurrentJudgment.candidate_id)
            & (JudgmentNote.annotator_id == CurrentJudgment.annotator_id),
        )
        .where(
            CurrentJudgment.candidate_id.in_(candidate_ids),
            CurrentJudgment.kind == RATING,
            settles(CurrentJudgment),
        )
        .order_by(CurrentJudgment.candidate_id, CurrentJudgment.grade, CurrentJudgment.reason, Person.name)
    )
    found: dict[int, tuple[Said, ...]] = {}
    for candidate_id, name, grade, reason, note in rows:
        words = (name, note or "") if with_names else ("", "")
        said = Said(words[0], grade, reason.name.lower() if reason else None, words[1])
        found[candidate_id] = (*found.get(candidate_id, ()), said)
    return found


def show_ratings(session: Session, adjudicator: Annotator, public_id: str) -> None:
    """Record that an adjudicator looks at the ratings of an answer; the first time counts.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    """
    hearing = _hearing(session, adjudicator, public_id)
    if hearing.shown_at is None:
        hearing.shown_at = hearing.updated_at = now_utc()
    session.flush()


def write_note_on(session: Session, adjudicator: Annotator, public_id: str, text: str) -> str:
    """Keep an adjudicator's note on an answer and return it; an empty one takes the note away.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    InvalidError
        It is too long.
    """
    text = text.strip()
    if len(text) > LONGEST_NOTE:
        raise InvalidError(
            f"A note holds {LONGEST_NOTE} characters; this one has {len(text)}.", code="too_long"
        )
    hearing = _hearing(session, adjudicator, public_id)
    hearing.note, hearing.updated_at = text, now_utc()
    session.flush()
    return text


def candidate_of(session: Session, project_id: int, public_id: str) -> Candidate:
    """Return an answer of a project.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    """
    found = session.scalar(
        select(Candidate).where(Candidate.public_id == public_id, Candidate.project_id == project_id)
    )
    if found is None:
        raise NotFoundError("There is no such answer in this project.")
    return found


def _hearing(session: Session, adjudicator: Annotator, public_id: str) -> Hearing:
    candidate = candidate_of(session, adjudicator.project.id, public_id)
    # Two windows of one person take turns.
    person = select(Person.id).where(Person.id == adjudicator.person_id)
    session.execute(person.with_for_update(key_share=True))
    hearing = session.get(Hearing, (candidate.id, adjudicator.person_id))
    if hearing is None:
        hearing = Hearing(
            candidate_id=candidate.id, person_id=adjudicator.person_id, project_id=candidate.project_id
        )
        session.add(hearing)
    return hearing
