"""The list of one ranker for one question: every answer with its grade, and what stands in it twice."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Document
from app.services.evidence.full_lists import list_of_run

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact
    from app.services.questions.grades import Grades

BELOW = 5
"""Places below the cutoff that are shown as well."""


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


def top_documents(session: Session, evidence: Evidence, board: Scoreboard, row: int, place: int) -> list[int]:
    """Return the documents that a ranker puts on top, down to a few places below the cutoff."""
    return list_of_run(session, evidence, board.runs[row].run.id, place)[: board.ruler.k + BELOW]


def titles_of(session: Session, numbers: set[int]) -> dict[int, tuple[str, str]]:
    """Return the external id of some documents, and what they are called on a page."""
    rows = session.execute(
        select(Document.id, Document.external_id, Document.title, Document.text).where(
            Document.id.in_(sorted(numbers))
        )
    )
    return {row.id: (row.external_id, row.title or row.text[:80] or row.external_id) for row in rows}


def ranked_list(
    board: Scoreboard,
    row: int,
    numbers: list[int],
    grades: Grades,
    titles: dict[int, tuple[str, str]],
) -> RankedList:
    """Return the list of one row of a board."""
    covered = bool(board.counted[row, grades.place])
    score = float(board.values[board.headline][row, grades.place]) if covered else None
    return RankedList(row, board.runs[row].run, score, list_rows(numbers, grades, titles), covered)


def list_rows(numbers: list[int], grades: Grades, titles: dict[int, tuple[str, str]]) -> list[ListRow]:
    """Return one row per place, a later occurrence of the same answer without a grade."""
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
