"""Many judgments into the ledger at once, with revisions that were reserved together."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from app.models import Input, Judgment, Origin
from app.services.bulk import BATCH, table_of
from app.services.ledger import take_revisions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

SAME = {
    "place": 0,
    "length": 0,
    "batch": 0,
    "active_ms": 0,
    "input": Input.FILE,
    "guideline_version": 0,
    "role": Origin.PLANNED,
    "blind": True,
}


def append_judgments(session: Session, project_id: int, rows: Iterable[dict[str, Any]], count: int) -> range:
    """Append judgments in the order given, and return their revisions.

    Parameters
    ----------
    rows
        For each judgment: candidate_id, annotator_id, grade, reason, client_uuid, judged_at and received_at;
        further columns where they differ from those of a file.
    count
        How many there are: their revisions are reserved in one go, as late as possible.
    """
    revisions = take_revisions(session, project_id, count)
    numbered = (
        {**SAME, "project_id": project_id, "revision": revision, **row}
        for revision, row in zip(revisions, rows, strict=True)
    )
    while some := list(islice(numbered, BATCH)):
        session.execute(insert(table_of(Judgment)), some)
    return revisions
