"""Files to import, written in place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.models import Ranker, Run
from app.services.collection.documents import import_documents
from app.services.collection.files import ImportFile, write_import
from app.services.collection.judgment_files import read_judgment_file
from app.services.collection.judgment_import import prepare_judgments
from app.services.collection.queries import import_queries
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.collection.judgment_files import JudgmentOptions, JudgmentsImported
    from app.services.collection.run_files import RunImported


def file_of(text: str, name: str = "file.tsv", **values: Any) -> ImportFile:
    """Return a text as a file to import."""
    return ImportFile(content=text.encode(), name=name, **values)


def corpus(session: Session, project: Project, queries: int = 2, documents: int = 6) -> None:
    """Import queries q1, q2, ... and documents d1, d2, ... with texts of their own."""
    rows = "".join(f"q{number}\tHow do I mend part {number}?\n" for number in range(1, queries + 1))
    import_queries(session, project, file_of(rows))
    rows = "".join(f"d{number}\tTurn screw {number}.\n" for number in range(1, documents + 1))
    import_documents(session, project, file_of("doc_id\ttext\n" + rows))


def run_text(lists: dict[str, str], tag: str = "tag") -> str:
    """Return a TREC run: query id -> document ids parted by blanks, best first."""
    return "".join(
        f"{query} Q0 {document} {rank} {100 - rank} {tag}\n"
        for query, documents in lists.items()
        for rank, document in enumerate(documents.split(), 1)
    )


def import_judgments(
    session: Session,
    project: Project,
    file: ImportFile,
    options: JudgmentOptions,
    *,
    actor_id: int | None = None,
) -> JudgmentsImported:
    """Add the judgments of a file in one transaction, all or none; the same file again does nothing.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it contradicts the project; all of it is reported.
    """
    found = read_judgment_file(file, options)
    return write_import(session, prepare_judgments(session, project, found, options, actor_id=actor_id))


def bring_run(
    session: Session, project: Project, ranker: str, lists: dict[str, str], **options: Any
) -> RunImported:
    """Import a run of these lists."""
    return import_run(
        session,
        project,
        file_of(run_text(lists, re.sub(r"\W+", "", ranker))),
        RunOptions(ranker=ranker, **options),
    )


def get_run(session: Session, ranker: str, version: str = "v1") -> Run:
    """Return the run of this label."""
    wanted = select(Run).join(Ranker).where(Ranker.name == ranker, Run.version == version)
    return session.scalars(wanted).one()
