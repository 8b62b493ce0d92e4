"""Qrels: one grade per answer, the consensus of its annotators."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Literal

import numpy as np
from sqlalchemy import select

from app.formats.writing import write_qrels
from app.models import Document, Origin
from app.scoring.consensus import consensus_of
from app.services.exports.lines import Export
from app.services.exports.standing import left_out_machines, merged_answers, standing_judgments
from app.services.pooling.merged import merged_documents
from app.services.rulers import get_ruler, values_of
from app.services.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.exports.standing import Said
    from app.services.rulers import RulerValues

    Middle = Literal["lower", "upper"]

ANSWERS_AT_ONCE = 10_000


def export_qrels(session: Session, project: Project, *, middle: Middle = "lower") -> Export:
    """Return the project's qrels under its present ruler: active queries, current grades.

    Parameters
    ----------
    middle
        Which of the two middle grades is written where the consensus lies between them.
    """
    ruler = values_of(get_ruler(session, project.id))
    answers = standing_judgments(
        session, project.id, only_active=True, only_blind=ruler.only_blind, machines=ruler.machines
    )
    heads = _heads(session, project.id)
    if heads:
        answers = merged_answers(answers, heads)
    other = "upper" if middle == "lower" else "lower"
    between = f"If the {ruler.consensus} is between two grades, the {middle} one is written"
    notes = [f"{between} (--middle {other} for the other)."]
    if ruler.only_blind:
        notes.append("Ratings by people who could see rankers are left out, as the scoring settings say.")
    if ruler.machines:
        notes.append("Ratings by machines count, as the scoring settings say.")
    else:
        notes += left_out_machines(session, project.id, only_active=True)
    if heads:
        merged = counted(len(heads), "document is", "documents are")
        notes.append(f"{merged} merged with another document and written under the id of that one.")
    return Export(write_qrels(_grades(answers, ruler, middle)), tuple(notes))


def _heads(session: Session, project_id: int) -> dict[str, str]:
    """Return the id of what stands for each merged document, by its own id."""
    heads = merged_documents(session, project_id)
    wanted = select(Document.id, Document.external_id).where(Document.id.in_({*heads, *heads.values()}))
    names = {row.id: row.external_id for row in session.execute(wanted)}
    return {names[number]: names[head] for number, head in heads.items()}


def _grades(
    answers: Iterator[list[Said]], ruler: RulerValues, middle: Middle
) -> Iterator[tuple[str, str, int]]:
    while some := list(islice(answers, ANSWERS_AT_ONCE)):
        counts, adjudicated = _counts(some, ruler)
        consensus = consensus_of(counts, ruler.consensus, adjudicated)  # type: ignore[arg-type]
        columns = consensus.low if middle == "lower" else consensus.high
        for said, column in zip(some, columns.tolist(), strict=True):
            if column >= 0:
                yield said[0].query, said[0].document, column + ruler.scale_low


def _counts(answers: list[list[Said]], ruler: RulerValues) -> tuple[Ints, Ints]:
    """Return how many annotators gave each grade, and the column that an adjudicator chose, -1 for none."""
    counts = np.zeros((len(answers), ruler.scale_high - ruler.scale_low + 1), dtype=np.int32)
    adjudicated = np.full(len(answers), -1, dtype=np.int64)
    for at, answer in enumerate(answers):
        for said in answer:
            column = -1 if said.grade is None else said.grade - ruler.scale_low
            if said.role == Origin.ADJUDICATION:
                adjudicated[at] = column
            elif column >= 0:
                counts[at, column] += 1
    return counts, adjudicated
