"""What a project holds so far: the counts behind "what comes next"."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import distinct, func, select

from app.models import Candidate, Document, Judgment, Query, Run

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

LISTED = 100


@dataclass(frozen=True, kw_only=True)
class Contents:
    """Counts of one project.

    Attributes
    ----------
    queries
        Active ones.
    without_text
        Documents that a run or a grade brought by name only: nobody can rate them yet.
    runs, rankers
        Published runs, and how many rankers they are of.
    pooled
        Answers in the pool.
    judgments
        Rows of the ledger that hold a grade, corrections included.
    """

    queries: int
    documents: int
    without_text: int
    rankers: int
    runs: int
    pooled: int
    judgments: int


def contents_of(session: Session, project_id: int) -> Contents:
    """Return what a project holds."""

    def count(column: ColumnElement[int], *where: ColumnElement[bool]) -> int:
        return session.scalar(select(column).where(*where)) or 0

    published = (Run.project_id == project_id, Run.state == "published")
    return Contents(
        queries=count(func.count(), Query.project_id == project_id, Query.retired_revision.is_(None)),
        documents=count(func.count(), Document.project_id == project_id),
        without_text=count(func.count(), *_without_text(project_id)),
        rankers=count(func.count(distinct(Run.ranker_id)), *published),
        runs=count(func.count(), *published),
        pooled=count(func.count(), Candidate.project_id == project_id, Candidate.in_pool.is_(True)),
        judgments=count(func.count(), Judgment.project_id == project_id, Judgment.grade.is_not(None)),
    )


def documents_without_text(session: Session, project_id: int) -> list[str]:
    """Return the ids of the first 100 documents that need a text."""
    wanted = select(Document.external_id).where(*_without_text(project_id))
    return list(session.scalars(wanted.order_by(Document.external_id).limit(LISTED)))


def _without_text(project_id: int) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return Document.project_id == project_id, Document.content_hash.is_(None)
