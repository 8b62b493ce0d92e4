"""Answers that somebody knows of: searched in the collection, and entered as a manual run.

A manual run joins the pool like any other, so that the answer is rated blind, but it is no ranker: nothing
scores or compares it. A list of one answer is a run of its own, because runs never change; withdrawing the
run under Import takes the answer out again.
"""

from __future__ import annotations

import json
from dataclasses import dataclass

from sqlalchemy import ColumnElement, and_, case, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.project import Project
from app.models.query import Query
from app.models.run import Run
from app.sentences import message
from app.services.collection.files import ImportFile, refuse_archived
from app.services.collection.run_files import RunImported, RunOptions
from app.services.collection.run_import import import_run
from app.services.collection.withdrawal import restore_run
from app.services.errors import ConflictError, InvalidError, NotFoundError

KNOWN_ANSWERS = "Answers that people knew"
MOST_FOUND = 20
MOST_WORDS = 8
LONGEST = 200
EXCERPT = 240


@dataclass(frozen=True)
class FoundDocument:
    """A document that holds all words of a search; `pooled` where it is in the pool of the question."""

    document_id: int
    external_id: str
    title: str
    excerpt: str
    pooled: bool


def search_documents(session: Session, query: Query, text: str) -> tuple[list[FoundDocument], bool]:
    """Return the documents with a text that hold all words searched for, and whether there are more.

    Those with all words in their title, or with this very id, come first.
    """
    words = text[:LONGEST].split()[:MOST_WORDS]
    if not words:
        return [], False
    sqlite = session.get_bind().dialect.name == "sqlite"

    def holds(column: InstrumentedAttribute[str]) -> ColumnElement[bool]:
        return and_(*(_contains(column, word, sqlite=sqlite) for word in words))

    anywhere = and_(
        *(
            or_(_contains(Document.title, word, sqlite=sqlite), _contains(Document.text, word, sqlite=sqlite))
            for word in words
        )
    )
    named = Document.external_id == text.strip()
    rows = session.execute(
        select(Document.id, Document.external_id, Document.title, Document.text, Candidate.in_pool)
        .join(
            Candidate,
            (Candidate.document_id == Document.id) & (Candidate.query_id == query.id),
            isouter=True,
        )
        .where(
            Document.project_id == query.project_id,
            Document.content_hash.is_not(None),
            Document.retired_revision.is_(None),
            or_(named, anywhere),
        )
        .order_by(case((named, 0), (holds(Document.title), 1), else_=2), Document.id)
        .limit(MOST_FOUND + 1)
    ).all()
    found = [
        FoundDocument(row.id, row.external_id, row.title, _excerpt(row.text, words), bool(row.in_pool))
        for row in rows[:MOST_FOUND]
    ]
    return found, len(rows) > MOST_FOUND


def add_known_answer(
    session: Session, project: Project, query_id: int, document_id: int, *, actor_id: int | None = None
) -> RunImported:
    """Enter an answer that somebody knows of, and return the manual run that holds it.

    :raise NotFoundError: The project has no such question or answer.
    :raise InvalidError: The answer has no text, so nobody could rate it.
    :raise ConflictError: It is in the pool already, the question is retired, or the project archived.
    """
    refuse_archived(project)
    query, document = session.get(Query, query_id), session.get(Document, document_id)
    if query is None or document is None or {query.project_id, document.project_id} != {project.id}:
        raise NotFoundError("There is no such question or answer.")
    if query.retired_revision is not None:
        raise ConflictError("This question is retired: it takes no new answers.", code="retired")
    if document.content_hash is None or document.retired_revision is not None:
        raise InvalidError(
            message("The answer %(name)s has no text to rate.", name=document.external_id), code="no_text"
        )
    pooled = select(Candidate.id).where(
        Candidate.query_id == query.id, Candidate.document_id == document.id, Candidate.in_pool
    )
    if session.scalar(pooled) is not None:
        raise ConflictError("This answer is in the pool of the question already.", code="pooled")
    return _enter(session, project, query, document, actor_id)


def _enter(
    session: Session, project: Project, query: Query, document: Document, actor_id: int | None
) -> RunImported:
    line = {"query_id": query.external_id, "doc_id": document.external_id, "rank": 1}
    content = f"{json.dumps(line)}\n".encode()
    file = ImportFile(content=content, name="the answer", format="jsonl")
    options = RunOptions(ranker=KNOWN_ANSWERS, kind="manual")
    done = import_run(session, project, file, options, actor_id=actor_id)
    if done.already and done.withdrawn:
        restore_run(session, session.get_one(Run, done.run_id), actor_id=actor_id)
    return done


def _contains(column: InstrumentedAttribute[str], word: str, *, sqlite: bool) -> ColumnElement[bool]:
    """Return whether a column holds a word, whatever its case.

    SQLite's LIKE knows no case but that of ASCII letters, and folding every text would cost more than the
    search: a word with other letters is looked for as it is usually written.
    """
    if not sqlite:
        return column.icontains(word, autoescape=True)
    spelt = {word} if word.isascii() else {word, word.lower(), word.upper(), word.capitalize()}
    return or_(*(column.contains(one, autoescape=True) for one in sorted(spelt)))


def _excerpt(text: str, words: list[str]) -> str:
    """Return a part of a text around the first of the words that it holds."""
    folded = text.casefold()
    at = min((place for word in words if (place := folded.find(word.casefold())) >= 0), default=0)
    first = max(0, at - EXCERPT // 3)
    part = text[first : first + EXCERPT].strip()
    return f"{'…' if first else ''}{part}{'…' if first + EXCERPT < len(text) else ''}"
