"""Documents into the database: new ones, and other content for old ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import bindparam, select, update

from app.formats.content import content_hash
from app.models import Document, EventKind, now_utc
from app.services.bulk import insert_missing, table_of, update_where_id
from app.services.current_judgments import void_judgments
from app.services.errors import ConflictError
from app.services.ledger import record_event

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.formats.rows import DocumentRow


def add_documents(session: Session, project_id: int, rows: Sequence[DocumentRow]) -> list[int]:
    """Insert new documents and return their numbers.

    Raises
    ------
    ConflictError
        Somebody else has just added one of them.
    """
    now = now_utc()
    values = [_values_of(row) | {"project_id": project_id, "created_at": now} for row in rows]
    into = insert_missing(session, Document, ["project_id", "external_id"])
    numbers = list(session.execute(into.returning(table_of(Document).c.id), values).scalars())
    if len(numbers) != len(rows):
        raise ConflictError("Some of these documents have just been added: import the file again.")
    return numbers


def change_documents(
    session: Session, project_id: int, rows: Sequence[DocumentRow], *, actor_id: int | None
) -> tuple[int, int | None]:
    """Give documents their new content; return how many say something else now, and the event of it.

    A document that said nothing before is no edit: nobody has judged another text of it.
    """
    table = table_of(Document)
    columns = (table.c.external_id, table.c.id, table.c.content_hash)
    wanted = [row.document_id for row in rows]
    stored = {
        external: (number, was)
        for external, number, was in session.execute(
            select(*columns).where(table.c.project_id == project_id, table.c.external_id.in_(wanted))
        )
    }
    values = [_values_of(row) | {"number": stored[row.document_id][0]} for row in rows]
    session.execute(update(table).where(table.c.id == bindparam("number")), values)
    edited = [
        value["number"]
        for value in values
        if stored[value["external_id"]][1] not in {None, value["content_hash"]}
    ]
    if not edited:
        return 0, None
    event = record_event(
        session, project_id, EventKind.DOCUMENTS_EDITED, {"document_ids": edited}, actor_id=actor_id
    )
    update_where_id(session, Document, np.array(edited), {"edited_revision": event.revision})
    void_judgments(session, edited)
    return len(edited), event.revision


def _values_of(row: DocumentRow) -> dict[str, Any]:
    digest = content_hash(row.title, row.text)
    return {
        "external_id": row.document_id,
        "title": row.title,
        "text": row.text,
        "url": row.url or "",
        "source": row.source or "",
        "extra": row.extra,
        "content_hash": None if digest is None else bytes.fromhex(digest),
    }
