"""Ids of a file that its project lacks: when there are too many to read on, and how they are told."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Literal, NamedTuple, Protocol

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.errors import IN_QUERY, PROBLEMS_KEPT, FormatError, Problem, ProblemLog, visible
from app.formats.query_texts import QueryName, QueryText, id_from_text
from app.models.document import Document
from app.models.query import Query
from app.scoring.arrays import Ints
from app.sentences import Message, message, together
from app.services.bulk import stream_plain
from app.services.collection.files import UNKNOWN, known_by_text, numbers_of_queries
from app.services.errors import ConflictError

MOST_UNKNOWN = 20_000
"""After so many different unknown ids a file that must not have any is not read on.

Of those that are left out by choice no more are counted: from there on it is the least.
"""


def is_least(left_out: int) -> bool:
    """Return whether more ids may have been left out by choice than were counted."""
    return left_out >= MOST_UNKNOWN


NAMES = {Query: "query", Document: "document"}
REMEDIES = {
    Query: "Import the queries first, or skip such lines with --unknown-queries skip.",
    Document: "Import the documents first, or take them without text with --unknown-documents add.",
}
FEW = 5_000
# Comparing letter by letter is slow for long ids, so few are compared so.
COMPARED, COMPARED_LENGTH = 10, 60
_USED = {
    (False, False): message("%(what)s (used on %(n)s lines)"),
    (False, True): message("%(what)s (used on at least %(n)s lines)"),
    (True, False): message("%(what)s (used %(n)s times)"),
    (True, True): message("%(what)s (used at least %(n)s times)"),
}
"""How often an id is used: whether lines hold several, and whether the file was not read to its end."""
_NOT_LETTERS = re.compile(r"[\W_]+|(?<!\d)0+(?=\d)")


class UnknownOptions(Protocol):
    """What to do with ids that the project lacks, as the options of an import say."""

    @property
    def unknown_documents(self) -> Literal["reject", "add"]: ...  # noqa: D102

    @property
    def unknown_queries(self) -> Literal["reject", "skip"]: ...  # noqa: D102


class UnknownGuard:
    """Tells a reader that a file names so many unknown ids that its other lines can change nothing.

    Without it the ids of a file that is refused anyway would fill the memory. The project is asked only when
    the number of different ids has doubled.

    Parameters
    ----------
    read
        Opens a session to look ids up.
    """

    def __init__(
        self,
        read: Callable[[], AbstractContextManager[Session]],
        project_id: int,
        options: UnknownOptions,
    ) -> None:
        self._read, self._project_id = read, project_id
        self._most: dict[type[Query | Document], float] = {
            Query: MOST_UNKNOWN if options.unknown_queries == "reject" else float("inf"),
            Document: MOST_UNKNOWN if options.unknown_documents == "reject" else float("inf"),
        }

    def __call__(self, queries: Collection[str], documents: Collection[str]) -> bool:
        """Return whether more than `MOST_UNKNOWN` of the queries or of the documents are unknown."""
        return (len(queries) > self._most[Query] and self._too_many(Query, queries)) or (
            len(documents) > self._most[Document] and self._too_many(Document, documents)
        )

    def _too_many(self, model: type[Query | Document], ids: Collection[str]) -> bool:
        self._most[model] = 2 * len(ids)
        with self._read() as session:
            return len(ids) - _count_known(session, model, self._project_id, ids) > MOST_UNKNOWN


def _count_known(
    session: Session, model: type[Query | Document], project_id: int, ids: Collection[str]
) -> int:
    if model is Query and any(isinstance(external, (QueryName, QueryText)) for external in ids):
        return int(np.count_nonzero(numbers_of_queries(session, project_id, list(ids)) != UNKNOWN))
    known = stream_plain(session, select(model.external_id).where(model.project_id == project_id))
    return sum(external in ids for (external,) in known)


class KnownQueries:
    """Tells a reader which lines to keep where those of unknown queries are left out by choice.

    What is left out takes no memory: of its queries the first ones are counted, of its documents none.
    """

    def __init__(self, read: Callable[[], AbstractContextManager[Session]], project_id: int) -> None:
        self._read, self._project_id = read, project_id
        with read() as session:
            known = stream_plain(session, select(Query.external_id).where(Query.project_id == project_id))
            self._ids = {external for (external,) in known}
        self._texts: set[str] | None = None
        self._left_out: set[str] = set()

    @property
    def left_out(self) -> int:
        """How many different queries were left out, `MOST_UNKNOWN` for this many and for more."""
        return len(self._left_out)

    def __call__(self, query: str) -> bool:
        """Return whether the project has a query of a file."""
        if query in self._ids or (isinstance(query, (QueryName, QueryText)) and self._has_text(query)):
            return True
        if len(self._left_out) < MOST_UNKNOWN:
            self._left_out.add(query)
        return False

    def _has_text(self, text: QueryName | QueryText) -> bool:
        if self._texts is None:
            with self._read() as session:
                self._texts = set(known_by_text(session, self._project_id))
        return text in self._texts or id_from_text(text) in self._ids


def known_queries(
    read: Callable[[], AbstractContextManager[Session]], project_id: int, options: UnknownOptions
) -> KnownQueries | None:
    """Return which lines of a file are kept; None where all are, also to be refused."""
    return KnownQueries(read, project_id) if options.unknown_queries == "skip" else None


class UnknownId(NamedTuple):
    """An id that a project lacks: its first line, how often it is used, and where on that line it is first.

    `beside` is the query of a document whose line has several; else it is empty.
    """

    external: str
    line: int
    times: int
    beside: str


class UnknownIds(NamedTuple):
    """The ids that a project lacks: how many, the first ones, and whether lines of the file hold several."""

    total: int
    first: list[UnknownId]
    on_shared_lines: bool


def unknown_ids(
    ids: Sequence[str],
    place: Ints,
    line: Ints,
    *,
    on_shared_lines: bool,
    beside: tuple[Sequence[str], Ints] | None = None,
) -> UnknownIds:
    """Return the ids at these places, one for each row that names an unknown one, in order of the lines.

    `beside` are the ids of queries, and the place of each row's query among them.
    """
    by_line = np.argsort(line, kind="stable")
    found, first, count = np.unique(place[by_line], return_index=True, return_counts=True)
    told = []
    for at in np.argsort(first, kind="stable")[:PROBLEMS_KEPT].tolist():
        row = by_line[first[at]]
        query = beside[0][beside[1][row]] if beside and on_shared_lines else ""
        told.append(UnknownId(ids[found[at]], int(line[row]), int(count[at]), query))
    return UnknownIds(len(found), told, on_shared_lines)


def has_shared_lines(line: Ints) -> bool:
    """Return whether several rows of a file are on one line, as in JSON."""
    return len(np.unique(line)) < len(line)


def log_unknown(
    session: Session,
    model: type[Query | Document],
    project_id: int,
    log: ProblemLog,
    *,
    file: str,
    unknown: UnknownIds,
) -> None:
    """Log the unknown ids of a file, the first of them with the nearest known one."""
    if not unknown.total:
        return
    what = NAMES[model]
    lacks = {
        Query: message("the project has no query with this id"),
        Document: message("the project has no document with this id"),
        QueryText: message("the project has no query with this id or text"),
    }
    near = nearest_ids(session, model, project_id, [each.external for each in unknown.first])
    used = _USED[unknown.on_shared_lines, log.stopped_at is not None]
    for external, line, times, beside in unknown.first:
        reason = lacks[QueryText if isinstance(external, (QueryName, QueryText)) else model]
        if beside:
            reason = message(str(IN_QUERY), what=reason, name=visible(beside))
        if times > 1:
            reason = message(str(used), what=reason, n=times)
        guess = f"Did you mean '{near[external]}'? " if external in near else ""
        log.add(Problem(file, line, f"unknown-{what}", external, reason, guess + REMEDIES[model]))
    log.total += unknown.total - len(unknown.first)


def refuse_half_read(log: ProblemLog) -> None:
    """Refuse a file that was not read to its end, where its ids have become known meanwhile.

    :raise ConflictError: It was not, and has no problem now.
    """
    if log.stopped_at is not None and not log.total:
        raise ConflictError(
            "The project was changed during this import: start it again.", code="changed_meanwhile"
        )


def told_of_stop(error: FormatError) -> Message:
    """Return which line a file was read no further than, and why; nothing of one that was read to its end."""
    if error.stopped_at is None:
        return together("")
    if any(each.is_row for each in error.problems):
        stopped = message(
            "Reading stopped at row %(n)s, because the project lacks more than %(of)s ids of this file.",
            n=error.stopped_at,
            of=MOST_UNKNOWN,
        )
        return together(stopped, message("The rows after it may have more problems."))
    stopped = message(
        "Reading stopped at line %(n)s, because the project lacks more than %(of)s ids of this file.",
        n=error.stopped_at,
        of=MOST_UNKNOWN,
    )
    return together(stopped, message("The lines after it may have more problems."))


def nearest_ids(
    session: Session, model: type[Query | Document], project_id: int, unknown: Sequence[str]
) -> dict[str, str]:
    """Return the known id that each unknown one may have meant, where one is near.

    Ids that differ in case, in leading zeros, in signs or in the order of their letters are found among
    any number of them; other slips only where the project is small.
    """
    wanted = {shape: external for external in unknown for shape in _shapes(external)}
    near: dict[str, str] = {}
    few: list[str] = []
    for (known,) in stream_plain(session, select(model.external_id).where(model.project_id == project_id)):
        for shape in _shapes(known):
            if shape in wanted:
                near.setdefault(wanted[shape], known)
        if len(few) <= FEW:
            few.append(known)
    if len(few) <= FEW:
        short = [known for known in few if len(known) <= COMPARED_LENGTH]
        left = [each for each in unknown if each not in near and len(each) <= COMPARED_LENGTH]
        for external in left[:COMPARED]:
            if match := difflib.get_close_matches(external, short, 1, 0.75):
                near[external] = match[0]
    return near


def _shapes(external: str) -> tuple[str, str]:
    plain = _NOT_LETTERS.sub("", external.casefold())
    return plain, "sorted " + "".join(sorted(plain))
