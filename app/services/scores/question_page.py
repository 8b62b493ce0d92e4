"""One question: every ranker's list, every answer with its grade, and who gave it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Ints
from app.scoring.consensus import Consensus
from app.services.collection.answer_fields import NOT_A_FIELD, AnswerFields, text_of
from app.services.collection.pictures import ShownPicture, shown_pictures
from app.services.errors import NotFoundError
from app.services.evidence.columns import CLEARED
from app.services.evidence.state import Evidence, consensus_at, list_of_run
from app.services.evidence.structure import RunFact
from app.services.projects.words import written_as
from app.services.scores.scoreboard import Scoreboard


class Grades:
    """The consensus of one question's candidates, by document number; merged documents share theirs."""

    def __init__(self, evidence: Evidence, board: Scoreboard, place: int) -> None:
        self.place = place
        indexes = np.flatnonzero(evidence.structure.query == place)
        consensus: Consensus = consensus_at(evidence, board.ruler, board.revision)
        lowest = board.ruler.scale_low
        self.indexes = indexes
        self.covered = evidence.structure.covered[:, place]
        self.documents: list[int] = evidence.structure.document[indexes].tolist()
        self.heads = evidence.structure.heads
        merged_places = evidence.structure.merged_places
        held = indexes if merged_places is None else merged_places[indexes]
        self.held: list[int] = held.tolist()
        heads = [self.head_of(number) for number in self.documents]
        self.pooled = dict(zip(heads, board.judged.pooled[held].tolist(), strict=True))
        self.middle: dict[int, tuple[int, int]] = {
            number: (int(low) + lowest, int(high) + lowest)
            for number, low, high in zip(heads, consensus.low[held], consensus.high[held], strict=True)
            if low >= 0
        }

    def head_of(self, document_id: int) -> int:
        """Return the document that represents a merged one, or itself."""
        return self.heads.get(document_id, document_id)

    def of(self, document_id: int) -> tuple[int | None, int | None]:
        """Return the two middle grades of a document, None where it is not rated."""
        return self.middle.get(self.head_of(document_id), (None, None))


BELOW = 5
"""Places below the cutoff that are shown as well."""


@dataclass(frozen=True)
class ListRow:
    """One answer in a list. `low` and `high` are its two middle grades, None where it is not rated.

    `repeats` is the place at which the list has the same answer already, under another id: this place adds
    nothing then, and has no grade. Without a text (`has_text`) the title is its address, or else its id.
    """

    rank: int
    document_id: int
    external_id: str
    title: str
    has_text: bool
    low: int | None
    high: int | None
    pooled: bool
    repeats: int | None = None


@dataclass(frozen=True)
class RankedList:
    """One ranker's list, down to a few places below the cutoff; `score` is its nDCG@k here.

    Not `covered` is a question that came after the version and that it does not list.
    """

    row: int
    run: RunFact
    score: float | None
    rows: list[ListRow]
    covered: bool


def top_documents(session: Session, evidence: Evidence, board: Scoreboard, row: int, place: int) -> list[int]:
    """Return the documents that a ranker puts on top, down to a few places below the cutoff."""
    return list_of_run(session, evidence, board.runs[row].run.id, place)[: board.ruler.k + BELOW]


class Named(NamedTuple):
    """A document by its id, and what it is called on a page."""

    external_id: str
    title: str
    has_text: bool


LONGEST_SHARED = 70
"""Characters of a name that several documents have: the id behind it must not be cut off."""

NAMELESS = Named("", "", has_text=True)


def titles_of(session: Session, numbers: set[int]) -> dict[int, Named]:
    """Return what some documents are called on a page."""
    rows = session.execute(
        select(Document.id, Document.external_id, Document.title, Document.text, Document.url).where(
            Document.id.in_(sorted(numbers))
        )
    )
    return {
        row.id: Named(
            row.external_id,
            name_of(row.title, row.text, row.url, row.external_id),
            bool(row.title or row.text),
        )
        for row in rows
    }


def with_ids(titles: dict[int, Named]) -> dict[int, Named]:
    """Return the documents of one question, with their ids where they are called the same."""
    names = told_apart({number: (one.title, one.external_id) for number, one in titles.items()})
    return {number: one._replace(title=names[number]) for number, one in titles.items()}


def told_apart(called: dict[int, tuple[str, str]]) -> dict[int, str]:
    """Return what documents are called, with the id behind a name that several of them have.

    Parameters
    ----------
    called
        The name and the id of each document.
    """
    times = Counter(name for name, _ in called.values())
    found = {}
    for number, (name, external_id) in called.items():
        short = name if len(name) <= LONGEST_SHARED else f"{name[: LONGEST_SHARED - 1]}…"
        found[number] = name if times[name] == 1 else f"{short} ({external_id})"
    return found


def name_of(title: str, text: str, url: str, external_id: str) -> str:
    """Return what a document is called on a page: by its address or its id where it has no text."""
    return title or text[:80] or url or external_id


def ranked_list(
    board: Scoreboard, row: int, numbers: list[int], grades: Grades, titles: dict[int, Named]
) -> RankedList:
    """Return the list of one row of a board."""
    scored = board.runs[row]
    counts = bool(board.counted[row, grades.place])
    score = float(board.values[board.headline][row, grades.place]) if counts else None
    covered = bool(grades.covered[scored.place])
    return RankedList(row, scored.run, score, list_rows(numbers, grades, titles), covered)


def list_rows(numbers: list[int], grades: Grades, titles: dict[int, Named]) -> list[ListRow]:
    """Return one row per place, a later occurrence of the same answer without a grade."""
    rows: list[ListRow] = []
    met: dict[int, int] = {}
    for rank, number in enumerate(numbers, start=1):
        head = grades.head_of(number)
        first = met.setdefault(head, rank)
        repeats = first if first < rank else None
        middle = grades.of(number) if repeats is None else (None, None)
        named = titles.get(number, NAMELESS)
        rows.append(ListRow(rank, number, *named, *middle, bool(grades.pooled.get(head)), repeats))
    return rows


@dataclass(frozen=True)
class AnswerRatings:
    """What everybody said about one answer: a grade by annotator, None for "can't judge".

    Where it is `decided`, an adjudicator's grade counts alone.
    """

    document_id: int
    title: str
    grades: dict[int, int | None]
    low: int | None
    high: int | None
    decided: bool = False


def ratings_of(evidence: Evidence, grades: Grades, titles: dict[int, Named]) -> list[AnswerRatings]:
    """Return the latest rating of everybody for every rated answer, best answers first."""
    document_of = dict(zip(grades.indexes.tolist(), grades.documents, strict=True))
    latest: dict[int, dict[int, int | None]] = {}
    settled = evidence.ratings_now & (evidence.ledger.grade != CLEARED)
    for index in np.flatnonzero(np.isin(evidence.candidate_index, grades.indexes) & settled):
        grade = int(evidence.ledger.grade[index])
        by_annotator = latest.setdefault(document_of[int(evidence.candidate_index[index])], {})
        by_annotator[int(evidence.ledger.annotator[index])] = grade if grade >= 0 else None
    decided = _decided(evidence, document_of)
    unrated: dict[int, dict[int, int | None]] = {one: {} for one in decided}
    rows = [
        AnswerRatings(number, titles[number].title, found, *grades.of(number), number in decided)
        for number, found in (unrated | latest).items()
        if found or number in decided
    ]
    return sorted(rows, key=lambda rating: (-(rating.low or -1) - (rating.high or -1), rating.title))


def _decided(evidence: Evidence, document_of: dict[int, int]) -> set[int]:
    """Return the documents whose grade an adjudicator has decided."""
    decisions = evidence.decisions(only_blind=evidence.ruler_at().only_blind)
    columns = dict(zip(decisions.candidate_index.tolist(), decisions.column.tolist(), strict=True))
    return {
        document for candidate_index, document in document_of.items() if columns.get(candidate_index, -1) >= 0
    }


def annotators_of(session: Session, evidence: Evidence, indexes: Ints) -> list[tuple[int, str]]:
    """Return the number and the name of everybody who ever rated one of some candidates."""
    numbers = np.unique(evidence.ledger.annotator[np.isin(evidence.candidate_index, indexes)]).tolist()
    rows = session.execute(select(Person.id, Person.name).where(Person.id.in_(numbers)).order_by(Person.id))
    return [(row.id, row.name) for row in rows]


@dataclass(frozen=True)
class QuestionAnswer:
    """One answer: its text, and what is known about it.

    `public_id` is empty for an answer outside the pool that nobody rated; `name` is what it is called on the
    page; `given` holds the grade of each annotator, None for "can't judge"; `low` and `high` are its two
    middle grades, None where it is not rated. `lines` are the fields that annotators see, `fields` the rest.
    """

    public_id: str
    external_id: str
    name: str
    title: str
    text: str
    url: str
    source: str
    lines: tuple[tuple[str, str], ...]
    picture: ShownPicture | None
    fields: dict[str, str]
    format: str
    language: str
    pooled: bool
    low: int | None
    high: int | None
    given: dict[int, int | None]
    decided: bool

    @property
    def has_text(self) -> bool:
        """Whether there is anything to read, and so to rate."""
        return bool(self.title or self.text)


def answers_of(
    session: Session, query_id: int, wanted: Collection[int], grades: Grades, ratings: list[AnswerRatings]
) -> list[QuestionAnswer]:
    """Return some documents as answers of a question: rated ones first and best first, then the pool's.

    Merged documents are one answer, listed under the document that represents all.
    """
    heads = {grades.head_of(number) for number in wanted}
    rows = session.execute(
        select(Document, Candidate.public_id)
        .outerjoin(Candidate, (Candidate.document_id == Document.id) & (Candidate.query_id == query_id))
        .where(Document.id.in_(sorted(heads)))
    ).all()
    rating_of = {rating.document_id: rating for rating in ratings}
    project = session.get_one(Project, session.get_one(Query, query_id).project_id)
    fields = AnswerFields.of(project.options)
    extras = {row[0].external_id: row[0].extra for row in rows}
    pictures = shown_pictures(session, project.id, fields, extras)
    found = [
        _answer(document, public_id, grades, rating_of, (fields, pictures.get(document.external_id)))
        for document, public_id in rows
    ]
    names = told_apart({number: (one.name, one.external_id) for number, one in enumerate(found)})
    found = [replace(one, name=names[number]) for number, one in enumerate(found)]
    return sorted(
        found,
        key=lambda one: (-(one.low or -1) - (one.high or -1), one.low is None, not one.pooled, one.name),
    )


def _answer(
    document: Document,
    public_id: str | None,
    grades: Grades,
    rating_of: dict[int, AnswerRatings],
    shown: tuple[AnswerFields, ShownPicture | None],
) -> QuestionAnswer:
    extra, (fields, picture) = document.extra or {}, shown
    used = {*fields.names, *NOT_A_FIELD}
    rating = rating_of.get(document.id)
    low, high = grades.of(document.id)
    told = fields.shown(extra, document.title, document.url)
    return QuestionAnswer(
        public_id=public_id or "",
        external_id=document.external_id,
        name=name_of(told["title"], document.text, told["url"], document.external_id),
        text=document.text,
        source=document.source,
        **told,
        picture=picture,
        fields={name: text_of(value) for name, value in extra.items() if name not in used},
        **written_as(document.extra),
        pooled=bool(grades.pooled.get(document.id)),
        low=low,
        high=high,
        given=rating.grades if rating else {},
        decided=rating.decided if rating else False,
    )


@dataclass(frozen=True)
class QuestionSheet:
    """Everything about one question."""

    query: Query
    place: int
    lists: list[RankedList]
    answers: list[QuestionAnswer]
    ratings: list[AnswerRatings]
    annotators: list[tuple[int, str]]
    pooled: int
    rated: int
    active: bool

    @property
    def rated_outside(self) -> int:
        """How many answers outside the pool are rated, as by imported ratings: they count in scores too."""
        return sum(not one.pooled and one.low is not None for one in self.answers)

    @property
    def has_others(self) -> bool:
        """Whether an answer in a list, or of the question, has no rating and is outside the pool."""
        return any(one.low is None and not one.pooled for one in self.answers) or any(
            row.low is None and not row.pooled and not row.repeats
            for ranked in self.lists
            for row in ranked.rows
        )


def question_sheet(session: Session, evidence: Evidence, board: Scoreboard, query_id: int) -> QuestionSheet:
    """Return one question of a project.

    :raise NotFoundError: The project has no such question.
    """
    structure = evidence.structure
    found = np.flatnonzero(structure.query_id == query_id)
    query = session.get(Query, query_id)
    if not len(found) or query is None or query.project_id != evidence.project_id:
        raise NotFoundError("There is no such question.")
    place = int(found[0])
    indexes = np.flatnonzero(structure.query == place)
    grades = Grades(evidence, board, place)
    lists = [top_documents(session, evidence, board, row, place) for row in range(len(board.runs))]
    wanted = {number for numbers in lists for number in numbers} | set(structure.document[indexes].tolist())
    titles = with_ids(titles_of(session, wanted))
    judged, ratings = board.judged, ratings_of(evidence, grades, titles)
    return QuestionSheet(
        query=query,
        place=place,
        lists=[ranked_list(board, row, numbers, grades, titles) for row, numbers in enumerate(lists)],
        answers=answers_of(session, query_id, wanted, grades, ratings),
        ratings=ratings,
        annotators=annotators_of(session, evidence, indexes),
        pooled=int(judged.pooled[indexes].sum()),
        rated=int((judged.pooled[indexes] & judged.judged[indexes]).sum()),
        active=bool(evidence.active_queries()[place]),
    )


def list_of_version(
    session: Session, evidence: Evidence, board: Scoreboard, sheet: QuestionSheet
) -> RankedList:
    """Return the list of another version: of the one run that a board of its own holds."""
    grades = Grades(evidence, board, sheet.place)
    numbers = top_documents(session, evidence, board, 0, sheet.place)
    return ranked_list(board, 0, numbers, grades, with_ids(titles_of(session, set(numbers))))


def whole_list(
    session: Session, evidence: Evidence, board: Scoreboard, sheet: QuestionSheet, ranked: RankedList
) -> list[ListRow]:
    """Return every row of a list, down to its end; what is not rated has no title."""
    grades = Grades(evidence, board, sheet.place)
    numbers = list_of_run(session, evidence, ranked.run.id, sheet.place)
    titles = titles_of(session, {number for number in numbers if grades.head_of(number) in grades.middle})
    return list_rows(numbers, grades, with_ids(titles))
