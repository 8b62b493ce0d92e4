"""What an adjudicator sees of one question: its answers in a new keyed order, without what others said."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import select

from app.models import Candidate, Document, Hearing, Query
from app.services.adjudication.deciding import find_decision
from app.services.adjudication.hearing import Said, said_about
from app.services.assignment import BATCH_SIZE, shuffled
from app.services.errors import NotFoundError
from app.services.showing import ShownAnswer, written_as

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Judgment, Project
    from app.services.adjudication.queue import Queue

LETTERS = "ABCDEFGHIJKL"
# Batches count from 1: an adjudicator's order is none that anybody has rated in.
NO_BATCH = 0


@dataclass(frozen=True, kw_only=True)
class Case(ShownAnswer):
    """One answer to be decided. `said` holds what others said only where it was asked for."""

    grade: int | None
    last_id: UUID | None
    note: str
    said: tuple[Said, ...] | None


@dataclass(frozen=True, kw_only=True)
class QuestionPage:
    """One question of the queue; `ordinal` counts those that wait, `after` is the next one or None."""

    query_id: int
    query: str
    intent: str
    cases: tuple[Case, ...]
    ordinal: int
    of: int
    after: int | None

    @property
    def decided(self) -> int:
        """The number of answers that are decided."""
        return sum(case.grade is not None for case in self.cases)


def question_order(queue: Queue, project: Project, person_id: int) -> list[int]:
    """Return the questions that wait, in an adjudicator's own keyed order."""
    names = {str(one.query_id): one.query_id for one in queue.waiting}
    order = shuffled(project.shuffle_secret, names, annotator=person_id, query=0, batch=NO_BATCH)
    return [names[name] for name in order]


def question_page(
    session: Session, project: Project, queue: Queue, person_id: int, query_id: int, *, with_names: bool
) -> QuestionPage:
    """Return the answers of a question that wait or are decided, at most twelve, waiting ones first of all.

    Raises
    ------
    NotFoundError
        Nothing of this question waits or is decided.
    """
    order = question_order(queue, project, person_id)
    rows = _rows(session, project, queue, person_id, query_id)
    if not rows:
        raise NotFoundError("No answer of this question waits for adjudication.")
    query = session.get_one(Query, query_id)
    ordinal = order.index(query_id) if query_id in order else len(order)
    later = [*order[ordinal + 1 :], *order[:ordinal]]
    return QuestionPage(
        query_id=query_id,
        query=query.text,
        intent=query.intent,
        cases=_cases(session, rows, person_id, with_names=with_names),
        ordinal=ordinal + 1,
        of=max(len(order), ordinal + 1),
        after=later[0] if later else None,
    )


def _rows(
    session: Session, project: Project, queue: Queue, person_id: int, query_id: int
) -> list[tuple[Candidate, Document]]:
    waiting = [one.candidate_id for one in queue.waiting if one.query_id == query_id]
    found = session.execute(
        select(Candidate, Document)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Candidate.project_id == project.id,
            Candidate.query_id == query_id,
            Candidate.id.in_([*waiting, *queue.decided]),
        )
    )
    rows = {row.Candidate.public_id: (row.Candidate, row.Document) for row in found}
    order = shuffled(project.shuffle_secret, rows, annotator=person_id, query=query_id, batch=NO_BATCH)
    first = sorted(order, key=lambda name: rows[name][0].id not in waiting)[:BATCH_SIZE]
    return [rows[name] for name in order if name in first]


def _cases(
    session: Session, rows: list[tuple[Candidate, Document]], person_id: int, *, with_names: bool
) -> tuple[Case, ...]:
    decisions = {candidate.id: find_decision(session, candidate.id) for candidate, _ in rows}
    hearings = {
        hearing.candidate_id: hearing
        for hearing in session.scalars(
            select(Hearing).where(Hearing.person_id == person_id, Hearing.candidate_id.in_(decisions))
        )
    }
    open_ones = [
        number
        for number, decision in decisions.items()
        if (number in hearings and hearings[number].shown_at) or (decision and decision.grade is not None)
    ]
    said = said_about(session, open_ones, with_names=with_names)
    return tuple(
        _case(
            place,
            candidate,
            document,
            decision=decisions[candidate.id],
            hearing=hearings.get(candidate.id),
            said=said.get(candidate.id, ()) if candidate.id in open_ones else None,
        )
        for place, (candidate, document) in enumerate(rows, start=1)
    )


def _case(
    place: int,
    candidate: Candidate,
    document: Document,
    *,
    decision: Judgment | None,
    hearing: Hearing | None,
    said: tuple[Said, ...] | None,
) -> Case:
    return Case(
        public_id=candidate.public_id,
        letter=LETTERS[place - 1],
        place=place,
        title=document.title,
        text=document.text,
        url=document.url,
        source=document.source,
        **written_as(document.extra),
        grade=decision.grade if decision else None,
        last_id=UUID(bytes=decision.client_uuid) if decision else None,
        note=hearing.note if hearing else "",
        said=said,
    )
