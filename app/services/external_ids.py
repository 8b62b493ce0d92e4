"""From the ids of a file to the numbers of the database, and what to say about ids that are not there."""

from __future__ import annotations

import difflib
import re
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.formats.errors import PROBLEMS_KEPT, Problem
from app.models import Document, Query
from app.services.bulk import stream_plain

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.formats.errors import ProblemLog
    from app.scoring.arrays import Ints

UNKNOWN = -1
FEW = 5_000
NAMES = {Query: "query", Document: "document"}
REMEDIES = {
    Query: "Import the queries first, or skip such lines with --unknown-queries skip.",
    Document: "Import the documents first, or add them without text with --unknown-documents add.",
}
_NOT_LETTERS = re.compile(r"[\W_]+|(?<!\d)0+(?=\d)")


def numbers_of(session: Session, model: type[Query | Document], project_id: int, ids: Sequence[str]) -> Ints:
    """Return the database's number of each external id: int32 (ids,), -1 for unknown ones.

    The project's table is streamed through the ids at hand: no lists of ids go into a statement.
    """
    place = {external: at for at, external in enumerate(ids)}
    numbers = np.full(len(ids), UNKNOWN, dtype=np.int32)
    for number, external in stream_plain(
        session, select(model.id, model.external_id).where(model.project_id == project_id)
    ):
        at = place.get(external)
        if at is not None:
            numbers[at] = number
    return numbers


def log_unknown(
    session: Session,
    model: type[Query | Document],
    project_id: int,
    log: ProblemLog,
    *,
    file: str,
    unknown: Sequence[tuple[str, int, int]],
) -> None:
    """Log every unknown id, given as (id, its first line, number of lines), with the nearest known one."""
    if not unknown:
        return
    what = NAMES[model]
    near = nearest_ids(session, model, project_id, [each[0] for each in unknown[:PROBLEMS_KEPT]])
    for external, line, lines in unknown:
        told = f"the project has no {what} of this id" + (f", which {lines} lines name" if lines > 1 else "")
        guess = f"Did you mean '{near[external]}'? " if external in near else ""
        log.add(Problem(file, line, f"unknown-{what}", external, told, guess + REMEDIES[model]))


def nearest_ids(
    session: Session, model: type[Query | Document], project_id: int, unknown: Sequence[str]
) -> dict[str, str]:
    """Return the known id that each unknown one may have meant, where one is near.

    Ids that differ in case, in leading zeros, in signs or in the order of their letters are found among
    any number of them; other slips only where the project is small.
    """
    wanted = {shape: external for external in unknown for shape in _shapes(external)}
    near: dict[str, str] = {}
    few: list[str] = []
    for (known,) in stream_plain(session, select(model.external_id).where(model.project_id == project_id)):
        for shape in _shapes(known):
            if shape in wanted:
                near.setdefault(wanted[shape], known)
        if len(few) <= FEW:
            few.append(known)
    if len(few) <= FEW:
        for external in unknown:
            if external not in near and (match := difflib.get_close_matches(external, few, 1, 0.75)):
                near[external] = match[0]
    return near


def _shapes(external: str) -> tuple[str, str]:
    plain = _NOT_LETTERS.sub("", external.casefold())
    return plain, "sorted " + "".join(sorted(plain))
