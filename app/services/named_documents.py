"""Documents that a run or a grade brings by name only: nobody can rate them until their text comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Document, now_utc
from app.services.bulk import insert_missing, table_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session


def add_by_name(session: Session, project_id: int, external_ids: Sequence[str]) -> list[int]:
    """Return the numbers of documents, in order; those that are missing are made without content."""
    table, now = table_of(Document), now_utc()
    empty = {"title": "", "text": "", "url": "", "source": "", "extra": {}, "created_at": now}
    rows = [{"project_id": project_id, "external_id": external, **empty} for external in external_ids]
    session.execute(insert_missing(session, Document, ["project_id", "external_id"]), rows)
    wanted = select(table.c.external_id, table.c.id).where(
        table.c.project_id == project_id, table.c.external_id.in_(external_ids)
    )
    numbers = dict(session.execute(wanted).all())
    return [numbers[external] for external in external_ids]
