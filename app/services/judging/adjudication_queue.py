"""What waits for an adjudicator, and what was decided, as lists and pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
from sqlalchemy import exists, func, select
from sqlalchemy.orm import Session

from app.models.adjudication import AdjudicationRequest, AdjudicationView
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import Judgment
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.services.assignment.wanted import BATCH_SIZE, can_be_shown, shuffled, spread_of, wanted_of
from app.services.bulk import batches
from app.services.collection.answer_fields import AnswerFields
from app.services.collection.pictures import shown_pictures
from app.services.current_judgments import RATING, WIDE, kind_of, settles
from app.services.errors import NotFoundError
from app.services.evidence.passed import CurrentGrades, Raters, passed_indexes, query_of, raters_of
from app.services.evidence.state import Evidence
from app.services.judging.adjudication import AnnotatorGrade, find_decision, grades_given
from app.services.projects.words import ShownAnswer, written_as


class QueuedCandidate(NamedTuple):
    """One answer that waits, and why: ``disputed``, ``passed`` or ``sent``."""

    candidate_id: int
    query_id: int
    why: str


@dataclass(frozen=True)
class AdjudicationQueue:
    """What waits, and the candidates that are decided, newest decision first."""

    waiting: tuple[QueuedCandidate, ...]
    decided: tuple[int, ...]

    def count(self, why: str) -> int:
        """Return how many answers wait for one reason."""
        return sum(one.why == why for one in self.waiting)


def queue_of(session: Session, evidence: Evidence, project: Project) -> AdjudicationQueue:
    """Return what waits for adjudication in a project, and what is decided (EVALUATION.md section 4).

    An answer waits where its ratings lie two steps apart or more, no two of them are equal, and the one more
    rating that this opens has been given or nobody is left to give it; where nobody has graded it, and
    `PASSED_BY` people or everybody who rates could not judge it; or where an owner sent it.
    """
    decided = _decided(evidence)
    raters = raters_of(session, project)
    grades = CurrentGrades(evidence)
    why: dict[int, str] = {}
    for index in _disputed(evidence, project, raters, grades):
        why[index] = "disputed"
    for index in passed_indexes(evidence, raters, grades):
        why[index] = "passed"
    why = {index: reason for index, reason in why.items() if index not in decided}
    for index, revision in _sent(session, evidence).items():
        if decided.get(index, -1) <= revision:
            why[index] = "sent"
            decided.pop(index, None)
    structure = evidence.structure
    waiting = [
        QueuedCandidate(
            int(structure.candidate_id[index]), int(structure.query_id[structure.query[index]]), reason
        )
        for index, reason in sorted(why.items())
    ]
    shown = _can_be_shown(session, [one.candidate_id for one in waiting])
    newest = sorted(decided, key=lambda index: -decided[index])
    return AdjudicationQueue(
        tuple(one for one in waiting if one.candidate_id in shown),
        tuple(structure.candidate_id[newest].tolist()),
    )


def _decided(evidence: Evidence) -> dict[int, int]:
    """Return the revision of the decision that counts, by place of the candidate."""
    decisions = evidence.decisions(only_blind=False)
    found: dict[int, int] = {}
    for index, column, revision in zip(
        decisions.candidate_index.tolist(),
        decisions.column.tolist(),
        decisions.revision.tolist(),
        strict=True,
    ):
        found.pop(index, None)
        if column >= 0:
            found[index] = revision
    return found


def _disputed(evidence: Evidence, project: Project, raters: Raters, current: CurrentGrades) -> list[int]:
    counts = evidence.counts(only_blind=evidence.ruler_at().only_blind)
    ratings, spread = counts.sum(axis=1), spread_of(counts)
    active = evidence.active_queries()[evidence.structure.query]
    apart = np.flatnonzero((spread >= WIDE) & (counts.max(axis=1, initial=0) <= 1) & active)
    grades = current.of(apart)
    complete = ratings >= wanted_of(project, evidence.structure.candidate_id, spread)
    return [
        index
        for index in apart.tolist()
        if complete[index]
        or raters.nobody_left([*grades[index], *raters.passed.get(query_of(evidence, index), ())])
    ]


def _sent(session: Session, evidence: Evidence) -> dict[int, int]:
    """Return what owners sent, by place: the revision at which they did."""
    rows = session.execute(
        select(AdjudicationRequest.candidate_id, AdjudicationRequest.revision).where(
            AdjudicationRequest.project_id == evidence.project_id
        )
    ).all()
    if not rows:
        return {}
    indexes = evidence.structure.indexes_of(np.array([row.candidate_id for row in rows], dtype=np.int64))
    return {index: row.revision for index, row in zip(indexes.tolist(), rows, strict=True) if index >= 0}


def _can_be_shown(session: Session, candidate_ids: list[int]) -> set[int]:
    found: set[int] = set()
    for some in batches(candidate_ids):
        wanted = (
            select(Candidate.id)
            .join(Query, Query.id == Candidate.query_id)
            .join(Document, Document.id == Candidate.document_id)
            .where(Candidate.id.in_(some), *can_be_shown())
        )
        found.update(session.scalars(wanted))
    return found


@dataclass(frozen=True, kw_only=True)
class WaitingAnswer:
    """One answer to decide. `why`: ``disputed``, ``passed`` or ``sent``."""

    public_id: str
    query_id: int
    query: str
    title: str
    why: str


def waiting_of(
    session: Session, queue: AdjudicationQueue, order: Sequence[int], *, first: int, most: int
) -> list[WaitingAnswer]:
    """Return the answers that wait, by question in the order given: one page of them."""
    places = {query_id: place for place, query_id in enumerate(order)}
    waiting = sorted(queue.waiting, key=lambda one: (places[one.query_id], one.candidate_id))
    shown = waiting[first : first + most]
    rows = session.execute(
        select(
            Candidate.id,
            Candidate.public_id,
            Query.text,
            Document.title,
            func.substr(Document.text, 1, 120).label("start"),
        )
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id.in_([one.candidate_id for one in shown]))
    )
    found = {row.id: row for row in rows}
    return [
        WaitingAnswer(
            public_id=found[one.candidate_id].public_id,
            query_id=one.query_id,
            query=found[one.candidate_id].text,
            title=found[one.candidate_id].title or found[one.candidate_id].start,
            why=one.why,
        )
        for one in shown
    ]


LETTERS = "ABCDEFGHIJKL"
# Batches count from 1: an adjudicator's order is none that anybody has rated in.
NO_BATCH = 0


@dataclass(frozen=True, kw_only=True)
class AdjudicatedAnswer(ShownAnswer):
    """One answer to be decided. `said` holds what others said only where it was asked for."""

    grade: int | None
    last_id: UUID | None
    note: str
    grades: tuple[AnnotatorGrade, ...] | None


@dataclass(frozen=True, kw_only=True)
class QuestionPage:
    """One question of the queue, how many `others` wait, and the next one or None.

    `more` answers of it wait besides the `cases`: they come when all questions had their turn.
    """

    query_id: int
    query: str
    intent: str
    cases: tuple[AdjudicatedAnswer, ...]
    others: int
    after: int | None
    more: int

    @property
    def decided(self) -> int:
        """The number of answers that are decided."""
        return sum(case.grade is not None for case in self.cases)


def question_order(queue: AdjudicationQueue, project: Project, person_id: int) -> list[int]:
    """Return the questions that wait, in an adjudicator's own keyed order."""
    names = {str(one.query_id): one.query_id for one in queue.waiting}
    order = shuffled(project.shuffle_secret, names, annotator=person_id, query=0, batch=NO_BATCH)
    return [names[name] for name in order]


def question_page(
    session: Session,
    project: Project,
    queue: AdjudicationQueue,
    person_id: int,
    query_id: int,
    *,
    with_names: bool,
) -> QuestionPage:
    """Return the answers of a question that wait or are decided, at most twelve, waiting ones first of all.

    :raise NotFoundError: Nothing of this question waits or is decided.
    """
    order = question_order(queue, project, person_id)
    rows = _rows(session, project, queue, person_id, query_id)
    if not rows:
        raise NotFoundError(
            "No answer of this question waits for a decision. It was decided already, or its annotators "
            "are asked again.",
            code="nothing_to_decide",
        )
    query = session.get_one(Query, query_id)
    place = order.index(query_id) if query_id in order else len(order)
    later = [*order[place + 1 :], *order[:place]]
    return QuestionPage(
        query_id=query_id,
        query=query.text,
        intent=query.intent,
        cases=_cases(session, project, rows, person_id, with_names=with_names),
        others=len(later),
        after=later[0] if later else None,
        more=max(sum(one.query_id == query_id for one in queue.waiting) - BATCH_SIZE, 0),
    )


def _rows(
    session: Session, project: Project, queue: AdjudicationQueue, person_id: int, query_id: int
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
    session: Session,
    project: Project,
    rows: list[tuple[Candidate, Document]],
    person_id: int,
    *,
    with_names: bool,
) -> tuple[AdjudicatedAnswer, ...]:
    decisions = {candidate.id: find_decision(session, candidate.id) for candidate, _ in rows}
    views = {
        view.candidate_id: view
        for view in session.scalars(
            select(AdjudicationView).where(
                AdjudicationView.person_id == person_id, AdjudicationView.candidate_id.in_(decisions)
            )
        )
    }
    open_ones = [
        number
        for number, decision in decisions.items()
        if (number in views and views[number].shown_at) or (decision and decision.grade is not None)
    ]
    grades = grades_given(session, open_ones, with_names=with_names)
    fields = AnswerFields.of(project.options)
    extras = {candidate.public_id: document.extra for candidate, document in rows}
    pictures = shown_pictures(session, project.id, fields, extras)
    return tuple(
        _case(
            place,
            candidate,
            document,
            {
                **fields.shown(document.extra, document.title, document.url),
                "picture": pictures.get(candidate.public_id),
            },
            decision=decisions[candidate.id],
            view=views.get(candidate.id),
            grades=grades.get(candidate.id, ()) if candidate.id in open_ones else None,
        )
        for place, (candidate, document) in enumerate(rows, start=1)
    )


def _case(
    place: int,
    candidate: Candidate,
    document: Document,
    shown: dict[str, Any],
    *,
    decision: Judgment | None,
    view: AdjudicationView | None,
    grades: tuple[AnnotatorGrade, ...] | None,
) -> AdjudicatedAnswer:
    return AdjudicatedAnswer(
        public_id=candidate.public_id,
        letter=LETTERS[place - 1],
        place=place,
        text=document.text,
        source=document.source,
        **shown,
        **written_as(document.extra),
        grade=decision.grade if decision else None,
        last_id=UUID(bytes=decision.client_uuid) if decision else None,
        note=view.note if view else "",
        grades=grades,
    )


EACH = 20


@dataclass(frozen=True, kw_only=True)
class DecidedAnswer:
    """One decision. `looked`: its adjudicator had seen ratings, or "can't judge", before."""

    public_id: str
    query_id: int
    query: str
    title: str
    grade: int
    by: str
    at: datetime
    looked: bool
    note: str
    grades: tuple[AnnotatorGrade, ...]


def decided_of(
    session: Session, queue: AdjudicationQueue, *, with_names: bool, first: int = 0, most: int = EACH
) -> list[DecidedAnswer]:
    """Return the current decisions, newest first: one page of them.

    Names and notes are for owners.
    """
    wanted = queue.decided[first : first + most]
    grades = grades_given(session, wanted, with_names=with_names)
    found = []
    for candidate_id in wanted:
        decision = find_decision(session, candidate_id)
        if decision is not None and decision.grade is not None:
            found.append(
                _decided_page(session, decision, grades.get(candidate_id, ()), with_names=with_names)
            )
    return found


def _decided_page(
    session: Session, decision: Judgment, grades: tuple[AnnotatorGrade, ...], *, with_names: bool
) -> DecidedAnswer:
    row = session.execute(
        select(Candidate.public_id, Query.id, Query.text, Document.title, Document.text, Person.name)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == decision.annotator_id)
        .where(Candidate.id == decision.candidate_id)
    ).one()
    view = session.get(AdjudicationView, (decision.candidate_id, decision.annotator_id))
    looked = view is not None and view.shown_at is not None and view.shown_at <= decision.received_at
    # Who opens the list of an answer that nobody has rated sees nothing.
    looked = looked and (any(one.whole for one in grades) or _was_rated_before(session, decision))
    return DecidedAnswer(
        public_id=row[0],
        query_id=row[1],
        query=row[2],
        title=row[3] or row[4][:80],
        grade=int(decision.grade or 0),
        by=row[5] if with_names else "",
        at=decision.received_at,
        looked=looked,
        note=view.note if view and with_names else "",
        grades=grades,
    )


def _was_rated_before(session: Session, decision: Judgment) -> bool:
    """Return whether somebody had rated an answer, or marked it “can't judge”, when it was decided."""
    rated = exists().where(
        Judgment.candidate_id == decision.candidate_id,
        Judgment.revision < decision.revision,
        Judgment.project_id == decision.project_id,
        kind_of(Judgment.role) == RATING,
        settles(Judgment),
    )
    return bool(session.scalar(select(rated)))
