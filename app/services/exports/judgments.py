"""Judgments: what every annotator says now, one line each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Literal

from sqlalchemy import select

from app.formats.judgments import write_judgments
from app.formats.rows import JudgmentRow
from app.models import Judgment, Origin, Person, Reason
from app.services.exports.lines import Export
from app.services.exports.standing import left_out_machines, standing_judgments

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.models import Project

    Table = Literal["csv", "tsv", "jsonl"]

NOTES = (
    "Only current ratings are included.",
    "Ratings that were cleared, replaced or given to an older text are left out.",
)


def export_judgments(
    session: Session, project: Project, *, format: Table = "csv", spreadsheet: bool = False
) -> Export:
    """Return the judgments that count now as a table that `import judgments` reads back.

    Parameters
    ----------
    spreadsheet
        Write a CSV to be looked at in a spreadsheet, safe from formulas; it is not for importing.
    """
    names = names_of_annotators(session, project.id)
    rows = _rows(session, project.id, names)
    notes = (*NOTES, *left_out_machines(session, project.id))
    return Export(write_judgments(rows, format, spreadsheet=spreadsheet), notes)


def _rows(session: Session, project_id: int, names: dict[int, str]) -> Iterator[JudgmentRow]:
    for answer in standing_judgments(session, project_id):
        for said in answer:
            if said.reason == Reason.CLEARED or said.role == Origin.ADJUDICATION:
                continue
            yield JudgmentRow(
                query_id=said.query,
                document_id=said.document,
                annotator=names[said.annotator_id],
                grade=said.grade,
                reason=said.reason.name.lower() if said.reason else None,
                judged_at=said.judged_at,
            )


def names_of_annotators(session: Session, project_id: int) -> dict[int, str]:
    """Return the name of everybody who judged, by number; equal names are told apart by a count."""
    judged = select(Judgment.annotator_id).where(Judgment.project_id == project_id).distinct()
    people = session.execute(select(Person.id, Person.name).where(Person.id.in_(judged)).order_by(Person.id))
    met: Counter[str] = Counter()
    names: dict[int, str] = {}
    for number, name in people:
        met[name] += 1
        names[number] = name if met[name] == 1 else f"{name} ({met[name]})"
    return names
