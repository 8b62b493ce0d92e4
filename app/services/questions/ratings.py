"""Who rated what about one question: the latest of everybody, and what was decided."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Person
from app.services.evidence.ledger import CLEARED

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence
    from app.services.questions.grades import Grades


@dataclass(frozen=True)
class Rating:
    """What everybody said about one answer: a grade by annotator, None for "can't judge".

    Where it is `decided`, an adjudicator's grade counts alone.
    """

    document_id: int
    title: str
    grades: dict[int, int | None]
    low: int | None
    high: int | None
    decided: bool = False


def ratings_of(evidence: Evidence, grades: Grades, titles: dict[int, tuple[str, str]]) -> list[Rating]:
    """Return the latest rating of everybody for every rated answer, best answers first."""
    document_of = dict(zip(grades.cells.tolist(), grades.documents, strict=True))
    latest: dict[int, dict[int, int | None]] = {}
    settled = evidence.ratings_now & (evidence.ledger.grade != CLEARED)
    for index in np.flatnonzero(np.isin(evidence.cell, grades.cells) & settled):
        grade = int(evidence.ledger.grade[index])
        by_annotator = latest.setdefault(document_of[int(evidence.cell[index])], {})
        by_annotator[int(evidence.ledger.annotator[index])] = grade if grade >= 0 else None
    decided = _decided(evidence, document_of)
    unrated: dict[int, dict[int, int | None]] = {one: {} for one in decided}
    rows = [
        Rating(number, titles[number][1], found, *grades.of(number), number in decided)
        for number, found in (unrated | latest).items()
        if found or number in decided
    ]
    return sorted(rows, key=lambda rating: (-(rating.low or -1) - (rating.high or -1), rating.title))


def _decided(evidence: Evidence, document_of: dict[int, int]) -> set[int]:
    """Return the documents whose grade an adjudicator has decided."""
    decisions = evidence.decisions(only_blind=evidence.ruler_at().only_blind)
    stands = dict(zip(decisions.cell.tolist(), decisions.column.tolist(), strict=True))
    return {document for cell, document in document_of.items() if stands.get(cell, -1) >= 0}


def annotators_of(session: Session, evidence: Evidence, cells: Ints) -> list[tuple[int, str]]:
    """Return the number and the name of everybody who ever rated one of some candidates."""
    numbers = np.unique(evidence.ledger.annotator[np.isin(evidence.cell, cells)]).tolist()
    rows = session.execute(select(Person.id, Person.name).where(Person.id.in_(numbers)).order_by(Person.id))
    return [(row.id, row.name) for row in rows]
