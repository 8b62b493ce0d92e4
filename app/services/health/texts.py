"""Texts that changed after they were rated, and texts that are missing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from app.models import Candidate, Document, EventKind, Query

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class TextHealth:
    """Edited and missing texts.

    Attributes
    ----------
    edited
        Documents whose text was edited at least once.
    outdated
        Answers that somebody graded before an edit: those grades stay in the ledger and count no more.
    waiting
        Places of those of them that are pooled, of an active question, and not judged since.
    textless, unseen
        Documents without a text that stand in a pool, and the answers that they are: dealt to nobody.
    """

    edited: int
    outdated: int
    waiting: Ints
    textless: int
    unseen: int

    @property
    def again(self) -> int:
        """How many of the outdated answers wait for nobody any more."""
        return self.outdated - len(self.waiting)


@dataclass(frozen=True)
class EditedAnswer:
    """An answer whose grades were given to an older text, with its question."""

    query_id: int
    query: str
    external_id: str
    title: str


@dataclass(frozen=True)
class TextlessDocument:
    """A pooled document without a text, the number of its questions and one of them."""

    external_id: str
    title: str
    questions: int
    query_id: int
    query: str


def text_health(session: Session, evidence: Evidence, board: Scoreboard) -> TextHealth:
    """Return how many texts were edited after they were rated, and how many are missing."""
    structure = evidence.structure
    edits = [event for event in structure.turning if event.kind == EventKind.DOCUMENTS_EDITED]
    edited = {number for event in edits for number in event.payload["document_ids"]}
    outdated = np.zeros(structure.cells, dtype=np.bool_)
    outdated[evidence.cell[evidence.outdated & (evidence.ledger.grade >= 0)]] = True
    wanted = evidence.pooled() & evidence.active_queries()[structure.query]
    unjudged = ~board.judged.judged[: structure.cells]
    textless, unseen = session.execute(_textless(evidence.project_id)).one()
    return TextHealth(
        edited=len(edited),
        outdated=int(outdated.sum()),
        waiting=np.flatnonzero(outdated & wanted & unjudged),
        textless=textless,
        unseen=unseen,
    )


def edited_answers(session: Session, evidence: Evidence, cells: Ints) -> list[EditedAnswer]:
    """Return the answers of some places, in their order."""
    candidates = evidence.structure.candidate_id[cells].tolist()
    rows = session.execute(
        select(Candidate.id, Query.id, Query.text, Document.external_id, Document.title)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.id.in_(candidates))
    )
    found = {row[0]: EditedAnswer(row[1], row[2], row[3], row[4]) for row in rows}
    return [found[number] for number in candidates]


def textless_documents(session: Session, project_id: int, *, first: int, most: int) -> list[TextlessDocument]:
    """Return some pooled documents without a text, those of most questions first."""
    many = func.count(Candidate.id)
    rows = session.execute(
        select(Document.external_id, Document.title, many, func.min(Candidate.query_id))
        .join(Document, Document.id == Candidate.document_id)
        .where(*_is_textless(project_id))
        .group_by(Document.id)
        .order_by(many.desc(), Document.id)
        .offset(first)
        .limit(most)
    ).all()
    texts = dict(
        session.execute(select(Query.id, Query.text).where(Query.id.in_({row[3] for row in rows}))).all()
    )
    return [TextlessDocument(*row, texts[row[3]]) for row in rows]


def _textless(project_id: int) -> Select[int, int]:
    return select(func.count(Candidate.document_id.distinct()), func.count(Candidate.id)).where(
        *_is_textless(project_id)
    )


def _is_textless(project_id: int) -> tuple[ColumnElement[bool], ...]:
    return (
        Candidate.project_id == project_id,
        Candidate.in_pool.is_(True),
        # Few have no text: found by their index, and the candidates by theirs.
        Candidate.document_id.in_(
            select(Document.id).where(Document.project_id == project_id, Document.content_hash.is_(None))
        ),
        Candidate.query_id.in_(
            select(Query.id).where(Query.project_id == project_id, Query.retired_revision.is_(None))
        ),
    )
