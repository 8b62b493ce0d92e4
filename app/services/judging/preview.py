"""The rating page as an owner looks at it: like an annotator's first one, with nothing behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Candidate, Document, Query
from app.services.judging.pages import (
    LETTERS,
    AnswerCard,
    BatchPage,
    active_queries,
    shown_columns,
    shown_of,
)

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def preview_page(session: Session, project_id: int) -> BatchPage | None:
    """Return a page like an annotator's first one, for an owner to look at; nothing of it is leased.

    The answers come in the order of their random ids.
    """
    query = session.scalar(
        select(Query)
        .join(Candidate, Candidate.query_id == Query.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Query.project_id == project_id,
            Query.retired_revision.is_(None),
            Candidate.in_pool,
            Document.content_hash.is_not(None),
        )
        .order_by(Query.id)
        .limit(1)
    )
    if query is None:
        return None
    shown = (
        select(Candidate.public_id, *shown_columns())
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id == query.id, Candidate.in_pool, Document.content_hash.is_not(None))
        .order_by(Candidate.public_id)
        .limit(len(LETTERS))
    )
    answers = tuple(
        AnswerCard(place=place, letter=LETTERS[place - 1], **shown_of(row))
        for place, row in enumerate(session.execute(shown), start=1)
    )
    return BatchPage(
        batch=0,
        state="open",
        declined=None,
        query=query.text,
        intent=query.intent,
        flagged=False,
        ordinal=1,
        of=session.scalar(active_queries(), {"project": project_id}) or 0,
        answers=answers,
    )
