"""One question: what each ranker puts on top, with the grade of every answer, and who gave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Document, Person, Query
from app.services.errors import NotFoundError
from app.services.evidence.full_lists import list_of_run
from app.services.evidence.ledger import CLEARED, COUNTED
from app.services.evidence.state import consensus_at

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints
    from app.scoring.consensus import Consensus
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact

BELOW = 5


@dataclass(frozen=True)
class ListRow:
    """One answer in a list. `low` and `high` are its two middle grades, None where it is not rated.

    `repeats` is the place at which the list has the same answer already, under another id: this place adds
    nothing then, and has no grade.
    """

    rank: int
    document_id: int
    external_id: str
    title: str
    low: int | None
    high: int | None
    pooled: bool
    repeats: int | None = None


@dataclass(frozen=True)
class RankedList:
    """One ranker's list, down to a few places below the cutoff; `score` is its nDCG@k here."""

    row: int
    run: RunFact
    score: float | None
    rows: list[ListRow]
    covered: bool


@dataclass(frozen=True)
class Rating:
    """What everybody said about one answer: a grade by annotator, None for "can't judge".

    Where it is `decided`, an adjudicator's grade counts alone.
    """

    title: str
    grades: dict[int, int | None]
    low: int | None
    high: int | None
    decided: bool = False


@dataclass(frozen=True)
class QuestionSheet:
    """Everything about one question."""

    query: Query
    place: int
    lists: list[RankedList]
    ratings: list[Rating]
    annotators: list[tuple[int, str]]
    pooled: int
    rated: int
    active: bool


def question_sheet(session: Session, evidence: Evidence, board: Scoreboard, query_id: int) -> QuestionSheet:
    """Return one question of a project.

    Raises
    ------
    NotFoundError
        The project has no such question.
    """
    structure = evidence.structure
    found = np.flatnonzero(structure.query_id == query_id)
    query = session.get(Query, query_id)
    if not len(found) or query is None or query.project_id != evidence.project_id:
        raise NotFoundError("There is no such question.")
    place = int(found[0])
    cells = np.flatnonzero(structure.query == place)
    grades = Grades(evidence, board, place)
    lists = [_document_ids(session, evidence, board, row, place) for row in range(len(board.runs))]
    wanted = {number for numbers in lists for number in numbers} | set(structure.document[cells].tolist())
    titles = _titles(session, wanted)
    judged = board.judged
    return QuestionSheet(
        query=query,
        place=place,
        lists=[_ranked(board, row, numbers, grades, titles) for row, numbers in enumerate(lists)],
        ratings=_ratings(evidence, grades, titles),
        annotators=_annotators(session, evidence, cells),
        pooled=int(judged.pooled[cells].sum()),
        rated=int((judged.pooled[cells] & judged.judged[cells]).sum()),
        active=bool(evidence.active_queries()[place]),
    )


def list_of_version(
    session: Session, evidence: Evidence, board: Scoreboard, sheet: QuestionSheet
) -> RankedList:
    """Return the list of another version: of the one run that a board of its own holds."""
    grades = Grades(evidence, board, sheet.place)
    numbers = _document_ids(session, evidence, board, 0, sheet.place)
    return _ranked(board, 0, numbers, grades, _titles(session, set(numbers)))


def whole_list(
    session: Session, evidence: Evidence, board: Scoreboard, sheet: QuestionSheet, ranked: RankedList
) -> list[ListRow]:
    """Return every row of a list, down to its end; what is not rated has no title."""
    grades = Grades(evidence, board, sheet.place)
    numbers = list_of_run(session, evidence, ranked.run.id, sheet.place)
    titles = _titles(session, {number for number in numbers if grades.head_of(number) in grades.middle})
    return _rows(numbers, grades, titles)


class Grades:
    """The consensus of one question's candidates, by document number; merged documents share theirs."""

    def __init__(self, evidence: Evidence, board: Scoreboard, place: int) -> None:
        self.place = place
        cells = np.flatnonzero(evidence.structure.query == place)
        consensus: Consensus = consensus_at(evidence, board.ruler, board.revision)
        lowest = board.ruler.scale_low
        self.cells = cells
        self.documents: list[int] = evidence.structure.document[cells].tolist()
        self.heads = evidence.structure.heads
        stands = evidence.structure.stands
        held = cells if stands is None else stands[cells]
        self.held: list[int] = held.tolist()
        heads = [self.head_of(number) for number in self.documents]
        self.pooled = dict(zip(heads, board.judged.pooled[held].tolist(), strict=True))
        self.middle: dict[int, tuple[int, int]] = {
            number: (int(low) + lowest, int(high) + lowest)
            for number, low, high in zip(heads, consensus.low[held], consensus.high[held], strict=True)
            if low >= 0
        }

    def head_of(self, document_id: int) -> int:
        """Return the document that stands for a merged one, or itself."""
        return self.heads.get(document_id, document_id)

    def of(self, document_id: int) -> tuple[int | None, int | None]:
        """Return the two middle grades of a document, None where it is not rated."""
        return self.middle.get(self.head_of(document_id), (None, None))


def _document_ids(session: Session, evidence: Evidence, board: Scoreboard, row: int, place: int) -> list[int]:
    return list_of_run(session, evidence, board.runs[row].run.id, place)[: board.ruler.k + BELOW]


def _titles(session: Session, numbers: set[int]) -> dict[int, tuple[str, str]]:
    rows = session.execute(
        select(Document.id, Document.external_id, Document.title, Document.text).where(
            Document.id.in_(sorted(numbers))
        )
    )
    return {row.id: (row.external_id, row.title or row.text[:80] or row.external_id) for row in rows}


def _ranked(
    board: Scoreboard,
    row: int,
    numbers: list[int],
    grades: Grades,
    titles: dict[int, tuple[str, str]],
) -> RankedList:
    covered = bool(board.counted[row, grades.place])
    score = float(board.values[board.headline][row, grades.place]) if covered else None
    return RankedList(row, board.runs[row].run, score, _rows(numbers, grades, titles), covered)


def _rows(numbers: list[int], grades: Grades, titles: dict[int, tuple[str, str]]) -> list[ListRow]:
    rows: list[ListRow] = []
    met: dict[int, int] = {}
    for rank, number in enumerate(numbers, start=1):
        head = grades.head_of(number)
        first = met.setdefault(head, rank)
        repeats = first if first < rank else None
        middle = grades.of(number) if repeats is None else (None, None)
        named = titles.get(number, ("", ""))
        rows.append(ListRow(rank, number, *named, *middle, bool(grades.pooled.get(head)), repeats))
    return rows


def _ratings(evidence: Evidence, grades: Grades, titles: dict[int, tuple[str, str]]) -> list[Rating]:
    """Return the latest rating of everybody for every rated answer, best answers first."""
    document_of = dict(zip(grades.cells.tolist(), grades.documents, strict=True))
    latest: dict[int, dict[int, int | None]] = {}
    counted = np.isin(evidence.ledger.role, COUNTED) & ~evidence.outdated
    for index in np.flatnonzero(np.isin(evidence.cell, grades.cells) & counted):
        grade = int(evidence.ledger.grade[index])
        by_annotator = latest.setdefault(document_of[int(evidence.cell[index])], {})
        by_annotator[int(evidence.ledger.annotator[index])] = grade if grade >= 0 else None
        if grade == CLEARED:
            del by_annotator[int(evidence.ledger.annotator[index])]
    decided = _decided(evidence, document_of)
    unrated: dict[int, dict[int, int | None]] = {one: {} for one in decided}
    rows = [
        Rating(titles[number][1], found, *grades.of(number), number in decided)
        for number, found in (unrated | latest).items()
        if found or number in decided
    ]
    return sorted(rows, key=lambda rating: (-(rating.low or -1) - (rating.high or -1), rating.title))


def _decided(evidence: Evidence, document_of: dict[int, int]) -> set[int]:
    """Return the documents whose grade an adjudicator has decided."""
    decisions = evidence.decisions(only_blind=evidence.ruler_at().only_blind)
    stands = dict(zip(decisions.cell.tolist(), decisions.column.tolist(), strict=True))
    return {document for cell, document in document_of.items() if stands.get(cell, -1) >= 0}


def _annotators(session: Session, evidence: Evidence, cells: Ints) -> list[tuple[int, str]]:
    numbers = np.unique(evidence.ledger.annotator[np.isin(evidence.cell, cells)]).tolist()
    rows = session.execute(select(Person.id, Person.name).where(Person.id.in_(numbers)).order_by(Person.id))
    return [(row.id, row.name) for row in rows]
