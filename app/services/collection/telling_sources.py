"""Sources of documents that tell people who rate which ranker brought an answer."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
from sqlalchemy import func, or_, select
from sqlalchemy.orm import Session

from app.models.document import Document
from app.models.project import Project
from app.models.ranker import Ranker
from app.models.run import Run
from app.scoring.arrays import Ints
from app.services.bulk import stream_plain
from app.services.collection.answer_fields import AnswerFields
from app.services.collection.files import plain_name

_WORDS = re.compile(r"[^\W_]+")
MOST_WORDS = 12
# A number alone, or v2, is a name of many things: of a volume, of a year.
COUNTED = re.compile(r"v?\d+")
# A source is a ranker's own where so many of the ranker's documents have it, and so few others.
ALMOST_ALL = 0.95
FEWEST = 5


def names_in(text: str) -> set[str]:
    """Return the plain form of everything that a text may name: of each series of its words."""
    words = _WORDS.findall(text.casefold())[:MOST_WORDS]
    ends = range(1, len(words) + 1)
    return {"".join(words[start:end]) for end in ends for start in range(end)}


def ranker_names(session: Session, project_id: int) -> set[str]:
    """Return the plain forms of the names of a project's rankers."""
    wanted = select(Ranker.name).where(Ranker.project_id == project_id, Ranker.kind == "system")
    return {plain_name(name) for name in session.scalars(wanted)}


def version_names(session: Session, project_id: int) -> set[str]:
    """Return the plain forms of the names of all versions that are not `COUNTED`."""
    wanted = select(Run.version).join(Ranker).where(Ranker.project_id == project_id, Ranker.kind == "system")
    return _plain_names(session.scalars(wanted.distinct()))


def _plain_names(names: Iterable[str | None]) -> set[str]:
    plain = {plain_name(name) for name in names if name}
    return {name for name in plain if name and not COUNTED.fullmatch(name)}


def count_naming_documents(session: Session, project: Project, ranker: str, version: str | None) -> int:
    """Return how many documents name a ranker or its version in their source, or are so called in a field."""
    name, names = plain_name(ranker), {plain_name(ranker)} - {""} | _plain_names([version])
    found = sum(number for source, number in _sources(session, project.id) if names & names_in(source))
    for field in AnswerFields.of(project.options).names:
        column = Document.extra[field].as_string()
        wanted = select(column, func.count()).where(Document.project_id == project.id, column != "")
        counts = stream_plain(session, wanted.group_by(column))
        found += sum(number for value, number in counts if plain_name(str(value)) == name)
    return found


def count_own_source(session: Session, project_id: int, documents: Ints) -> int:
    """Return how many of a ranker's documents have a source that is almost only theirs.

    Parameters
    ----------
    documents
        (documents,): the numbers of the different documents that the ranker returned.

    Returns
    -------
    0 where there is no such source, and where almost all documents of the project have one source.
    """
    in_project = Document.project_id == project_id
    # Nobody sees an answer without title and text: that it has no source tells nothing.
    is_seen = or_(Document.content_hash.is_not(None), Document.source != "")
    total = session.scalar(select(func.count()).where(in_project, is_seen)) or 0
    for source, number in _sources(session, project_id):
        alike = min(number, len(documents)) >= ALMOST_ALL * max(number, len(documents), FEWEST)
        if not alike or number >= ALMOST_ALL * total:
            continue
        theirs = np.array(
            session.scalars(select(Document.id).where(in_project, Document.source == source)).all()
        )
        shared = int(np.isin(theirs, documents).sum())
        if shared >= ALMOST_ALL * max(number, len(documents)):
            return shared
    return 0


def _sources(session: Session, project_id: int) -> list[tuple[str, int]]:
    """Return every source with the number of its documents."""
    wanted = select(Document.source, func.count()).where(
        Document.project_id == project_id, Document.source != ""
    )
    return list(stream_plain(session, wanted.group_by(Document.source)))
