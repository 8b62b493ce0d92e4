"""What an import of a run refuses: unknown ids, all of them at once, and names that cannot be."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from sqlalchemy import select

from app.models import Document, Query, Ranker, Run
from app.services.errors import ConflictError, InvalidError
from app.services.external_ids import UNKNOWN, log_unknown
from app.services.runs.options import RunImported

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.runs.lists import RunLists
    from app.services.runs.options import RunOptions

LONGEST_NAME = {"ranker": 200, "version": 100, "note": 300}


class Numbers(NamedTuple):
    """The database's numbers of a file's ids, -1 for unknown ones: int32 (queries,), int32 (documents,)."""

    query: Ints
    document: Ints


def find_registered(session: Session, project: Project, ranker: str, file_hash: bytes) -> RunImported | None:
    """Return the run that the same file gave the same ranker before, or None."""
    found = session.scalar(
        select(Run)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Ranker.project_id == project.id, Ranker.name == ranker)
        .where(Run.file_hash == file_hash, Run.state != "unpublished")
    )
    if found is None:
        return None
    return RunImported(
        run_id=found.id,
        ranker=ranker,
        version=found.version,
        already=True,
        withdrawn=found.state == "withdrawn",
        revision=found.revision,
    )


def check_names(session: Session, project: Project, options: RunOptions) -> None:
    """Refuse names that cannot be stored or are taken.

    Raises
    ------
    InvalidError
        A name is empty, too long, or not on one line.
    ConflictError
        The ranker has this version already.
    """
    for what, longest in LONGEST_NAME.items():
        text = getattr(options, what) or ""
        if len(text) > longest or not text.isprintable() or (what == "ranker" and not text.strip()):
            raise InvalidError(f"A {what} is 1 to {longest} characters on one line.", code=what)
    if options.version is not None and options.version in taken_versions(session, project, options.ranker):
        raise ConflictError(
            f"{options.ranker} has a version {options.version!r} already: choose another label.",
            code="version_taken",
        )


def check_label(what: str, text: str) -> str:
    """Return a name that must not be empty, of a ranker or a version.

    Raises
    ------
    InvalidError
        It is empty, too long, or not on one line.
    """
    if not text or len(text) > LONGEST_NAME[what] or not text.isprintable():
        raise InvalidError(f"A {what} is 1 to {LONGEST_NAME[what]} characters on one line.", code=what)
    return text


def next_version(taken: set[str]) -> str:
    """Return the label that a version takes by itself: v1, v2 and so on."""
    return next(label for number in count(1) if (label := f"v{number}") not in taken)


def taken_versions(session: Session, project: Project, ranker: str) -> set[str]:
    """Return the labels of a ranker's runs."""
    wanted = select(Run.version).join(Ranker).where(Ranker.project_id == project.id, Ranker.name == ranker)
    return set(session.scalars(wanted))


def refuse_unknown(
    session: Session, project_id: int, lists: RunLists, options: RunOptions, numbers: Numbers
) -> None:
    """Refuse ids that the project lacks, unless they may be added or left out.

    Raises
    ------
    FormatError
        With every unknown query and document, and what was wrong with other lines.
    """
    log = lists.problems
    query, document = numbers
    if options.unknown_queries == "reject":
        lengths = lists.lengths
        # A query all of whose lines are refused for their documents has no line here.
        missing = np.flatnonzero((query == UNKNOWN) & (lengths > 0)).tolist()
        first = {at: int(lists.line[lists.starts[at] : lists.starts[at + 1]].min()) for at in missing}
        unknown = [(lists.query_ids[at], first[at], int(lengths[at])) for at in missing]
        log_unknown(session, Query, project_id, log, file=lists.file, unknown=unknown)
    if options.unknown_documents == "reject":
        unknown = _unknown_documents(lists, query, document, options)
        log_unknown(session, Document, project_id, log, file=lists.file, unknown=unknown)
    log.raise_if_any()


def _unknown_documents(
    lists: RunLists, query: Ints, document: Ints, options: RunOptions
) -> list[tuple[str, int, int]]:
    """Return (id, first line, lines) of the documents that the project lacks, in order of their lines."""
    wrong = (document == UNKNOWN)[lists.document]
    if options.unknown_queries == "skip":
        wrong &= np.repeat(query != UNKNOWN, lists.lengths)
    places, lines = lists.document[wrong], lists.line[wrong]
    by_line = np.argsort(lines, kind="stable")
    found, first, count = np.unique(places[by_line], return_index=True, return_counts=True)
    in_order = np.argsort(first, kind="stable").tolist()
    return [
        (lists.document_ids[found[at]], int(lines[by_line[first[at]]]), int(count[at])) for at in in_order
    ]
