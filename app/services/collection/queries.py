"""Queries: imported, pasted, edited, retired and restored.

A file is imported whole or not at all. Every earlier wording is kept. Queries with judgments are never
deleted: they are retired, and can come back.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from typing import Any, NamedTuple, TypedDict, cast

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from app.formats.errors import Problem, ProblemLog
from app.formats.queries import read_queries
from app.formats.query_texts import QueryText, id_from_text
from app.formats.rows import QueryRow
from app.models.candidate import Candidate
from app.models.event import Event, EventKind
from app.models.judgment import CurrentJudgment, Judgment
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.sentences import message
from app.services.bulk import stream, table_of
from app.services.collection.files import (
    CorpusImported,
    ImportFile,
    ImportStep,
    known_by_text,
    other_content,
    refuse_archived,
    write_import,
)
from app.services.current_judgments import RATING
from app.services.errors import InvalidError, NotFoundError
from app.services.ledger import record_event


class QueryContent(TypedDict, total=False):
    """What a file or an owner says of a question: a new column is added here and to `Query`."""

    text: str
    intent: str
    tags: list[str]
    weight: float


CONTENT = tuple(QueryContent.__annotations__)
# As files have them.
NAMES = {
    "text": message("text"),
    "intent": message("intent"),
    "tags": message("tags"),
    "weight": message("weight"),
}
Known = dict[str, tuple[int, QueryContent]]


def content_of(query: Query) -> QueryContent:
    """Return what a question says and counts now."""
    return cast("QueryContent", {name: getattr(query, name) for name in CONTENT})


@dataclass(frozen=True)
class QueryRows:
    """The queries of one file, checked by themselves.

    `problems` is what is wrong with other lines. It is reported together with what contradicts the project:
    a file with problems is never stored.
    """

    file: str
    rows: list[QueryRow]
    repeated: int = 0
    problems: ProblemLog = field(default_factory=ProblemLog, compare=False)


def read_query_rows(file: ImportFile) -> QueryRows:
    """Return the queries of a file, with the problems of its other lines.

    :raise FormatError: Nothing of the file can be read.
    """
    log = ProblemLog()
    rows = list(read_queries(file.part, file.name, log, file.format, file.columns))
    if not rows:
        log.raise_if_any()
    return QueryRows(file.name, rows, log.left_out["repeated"], log)


@dataclass
class QueryImport:
    """A checked import of queries; what it writes is computed again in the transaction that writes it."""

    project_id: int
    found: QueryRows
    replace: bool
    result: CorpusImported
    actor_id: int | None = None

    @property
    def total(self) -> int:
        """The number of rows to write."""
        return self.result.added + self.result.replaced

    def steps(self) -> Iterator[ImportStep]:
        """Yield the one step, if anything is to be written."""
        if self.total:
            yield ImportStep(self.total, self._write, publishes=True)

    def clean(self) -> Iterator[ImportStep]:
        """Yield nothing: the one step leaves nothing behind."""
        return iter(())

    def _write(self, session: Session) -> None:
        project = session.get_one(Project, self.project_id)
        new, changed, result = _plan(session, project, self.found, replace=self.replace)
        table, revision = table_of(Query), None
        if changed:
            session.execute(update(table).where(table.c.id == bindparam("number")), changed)
            payload: dict[str, Any] = {"query_ids": [values["number"] for values in changed]}
            revision = self._record(session, EventKind.QUERIES_EDITED, payload)
        if new:
            revision = self._record(
                session, EventKind.QUERIES_ADDED, {"count": len(new), "file": self.found.file}
            )
            own = {"project_id": project.id, "added_revision": revision}
            session.execute(insert(table), [values | own for values in new])
        self.result = replace(result, revision=revision)

    def _record(self, session: Session, kind: EventKind, payload: dict[str, Any]) -> int:
        return record_event(session, self.project_id, kind, payload, actor_id=self.actor_id).revision


def prepare_queries(
    session: Session,
    project: Project,
    found: QueryRows,
    *,
    replace: bool = False,
    actor_id: int | None = None,
) -> QueryImport:
    """Return an import whose file was compared with the project; nothing is written.

    :raise FormatError: Lines are wrong, or a query is in the project with other content and may not be
        replaced.
    """
    result = _plan(session, project, found, replace=replace)[-1]
    return QueryImport(project.id, found, replace, result, actor_id)


def import_queries(
    session: Session,
    project: Project,
    file: ImportFile,
    *,
    replace: bool = False,
    actor_id: int | None = None,
) -> CorpusImported:
    """Add the queries of a file to a project, all or none, and return what was done.

    :raise FormatError: Something is wrong with the file, or it contradicts the project; all of it is
        reported.
    """
    found = read_query_rows(file)
    return write_import(session, prepare_queries(session, project, found, replace=replace, actor_id=actor_id))


def _plan(
    session: Session, project: Project, found: QueryRows, *, replace: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]], CorpusImported]:
    """Return the values of new rows, those of changed ones, and the counts of an import."""
    refuse_archived(project)
    ids = _ids_of(session, project.id, found.rows)
    known = _known_queries(session, project.id, set(ids))
    new: list[dict[str, Any]] = []
    changed: list[tuple[QueryRow, dict[str, Any]]] = []
    for external, row in zip(ids, found.rows, strict=True):
        number, present = known.get(external, (0, None))
        content = _content_of_row(row, present)
        if present is None:
            new.append({"external_id": external, **content})
        elif content != present:
            changed.append((dataclasses.replace(row, query_id=external), {"number": number, **content}))
    _refuse_changes(session, project.id, found, changed, known, replace=replace)
    result = CorpusImported(
        added=len(new),
        unchanged=len(found.rows) - len(new) - len(changed),
        replaced=len(changed),
        repeated=found.repeated,
        columns_left_out=found.problems.columns_left_out,
        hints=tuple(found.problems.hints),
    )
    return new, [values for _, values in changed], result


def _ids_of(session: Session, project_id: int, rows: list[QueryRow]) -> list[str]:
    """Return the id of each row; of a text alone that of the question with this text, or one made from it."""
    if not any(isinstance(row.query_id, QueryText) for row in rows):
        return [row.query_id for row in rows]
    known = known_by_text(session, project_id)
    return [_id_of_text(row.query_id, known) for row in rows]


def _id_of_text(key: str, known: dict[str, tuple[int, str]]) -> str:
    if not isinstance(key, QueryText):
        return key
    return known[key][1] if key in known else id_from_text(key)


def _content_of_row(row: QueryRow, present: QueryContent | None) -> QueryContent:
    """Return what a row says; what its file has no column for stays as it is."""
    content = QueryContent(
        text=row.text, intent=row.intent or "", tags=list(row.tags), weight=row.weight or 1.0
    )
    if present is None:
        return content
    # Where the text stands for the id, it is known already.
    kept = row.lacks | {"text"} if isinstance(row.query_id, QueryText) else row.lacks
    return cast("QueryContent", {**content, **{name: present[name] for name in kept}})  # type: ignore[literal-required]


def _known_queries(session: Session, project_id: int, external_ids: set[str]) -> Known:
    columns = [getattr(Query, name) for name in CONTENT]
    rows = stream(
        session, select(Query.external_id, Query.id, *columns).where(Query.project_id == project_id)
    )
    return {
        external: (number, cast("QueryContent", dict(zip(CONTENT, content, strict=True))))
        for external, number, *content in rows
        if external in external_ids
    }


def _refuse_changes(
    session: Session,
    project_id: int,
    found: QueryRows,
    changed: list[tuple[QueryRow, dict[str, Any]]],
    known: Known,
    *,
    replace: bool,
) -> None:
    file, log = found.file, found.problems
    judged = _judged_queries(session, project_id) if changed else set()
    for row, values in changed:
        number, present = known[row.query_id]
        if number in judged and any(present[name] != values[name] for name in ("text", "intent")):
            # A rating answers the question that was shown; under another one it would say something else.
            if present["text"] != values["text"]:
                reason = message("answers to this query were rated, so its text cannot change here")
                remedy = message(
                    "Edit it on its page, or add the new text as a separate query and retire this one."
                )
            else:
                reason = message(
                    "answers to this query were rated, so what the person wants cannot change here"
                )
                remedy = message("Edit it on its page.")
            log.add(Problem(file, row.line, "judged-query", row.query_id, reason, remedy))
        elif not replace:
            names = [NAMES[name] for name in CONTENT if present[name] != values[name]]  # type: ignore[literal-required]
            log.add(other_content(file, row.line, row.query_id, names))
    log.raise_if_any()


def _judged_queries(session: Session, project_id: int) -> set[int]:
    # Also those whose ratings were all taken back: earlier scores count them, under the text of then.
    judged = (
        select(Candidate.query_id)
        .join(Judgment, Judgment.candidate_id == Candidate.id)
        .where(Judgment.project_id == project_id)
        .distinct()
    )
    return set(session.scalars(judged))


class EarlierWording(NamedTuple):
    """What a question said and counted before an edit; `by` is empty where nobody signed in edited it."""

    content: QueryContent
    until: datetime
    by: str


def edit_query(
    session: Session,
    project: Project,
    query: Query,
    content: QueryContent,
    *,
    actor_id: int | None = None,
) -> bool:
    """Give a question other words, tags or another weight, and return whether anything changed.

    What the content leaves out stays. Ratings keep counting: whether they still answer the question is for
    the owner to say.

    :raise ConflictError: The project is archived.
    """
    refuse_archived(project)
    before = content_of(query)
    after: QueryContent = {**before, **content}
    after["tags"] = list(dict.fromkeys(after["tags"]))
    if before == after:
        return False
    for name, value in after.items():
        setattr(query, name, value)
    payload = {"query_ids": [query.id], "before": before}
    record_event(session, project.id, EventKind.QUERIES_EDITED, payload, actor_id=actor_id)
    session.flush()
    return True


def earlier_wordings(session: Session, query: Query) -> list[EarlierWording]:
    """Return what a question said before each edit on its page, newest first."""
    rows = session.execute(
        select(Event, Person.name)
        .outerjoin(Person, Person.id == Event.actor_id)
        .where(Event.project_id == query.project_id, Event.kind == EventKind.QUERIES_EDITED.value)
        .order_by(Event.revision.desc())
    )
    return [
        EarlierWording(event.payload["before"], event.at, name or "")
        for event, name in rows
        if "before" in event.payload and query.id in event.payload["query_ids"]
    ]


def ratings_given(session: Session, query: Query) -> int:
    """Return how many ratings of its answers count now, given for the words that a question has or had."""
    return (
        session.scalar(
            select(func.count())
            .select_from(CurrentJudgment)
            .join(Candidate, Candidate.id == CurrentJudgment.candidate_id)
            .where(
                Candidate.query_id == query.id,
                CurrentJudgment.kind == RATING,
                CurrentJudgment.grade.is_not(None),
            )
        )
        or 0
    )


def retire_queries(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Take queries out of scores and out of what is rated, and return how many were still active.

    What people hold of them stays with them: `assignment.retiring` releases it.

    :raise NotFoundError: The project has no such query.
    :raise ConflictError: The project is archived.
    """
    return _turn(session, project, external_ids, EventKind.QUERY_RETIRED, actor_id)


def restore_queries(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Bring retired queries back, and return how many were retired.

    :raise NotFoundError: The project has no such query.
    :raise ConflictError: The project is archived.
    """
    return _turn(session, project, external_ids, EventKind.QUERY_RESTORED, actor_id)


def _get_queries(session: Session, project: Project, external_ids: Sequence[str]) -> list[Query]:
    wanted = list(dict.fromkeys(external_ids))
    rows = session.scalars(
        select(Query).where(Query.project_id == project.id, Query.external_id.in_(wanted))
    ).all()
    if missing := set(wanted) - {row.external_id for row in rows}:
        raise NotFoundError(f"The project {project.slug} has no query {min(missing)!r}.")
    return list(rows)


def _turn(
    session: Session, project: Project, external_ids: Sequence[str], kind: EventKind, actor_id: int | None
) -> int:
    """Retire or restore those of some queries that are not so already, and return how many that were."""
    retire = kind is EventKind.QUERY_RETIRED
    queries = [
        query
        for query in _get_queries(session, project, external_ids)
        if (query.retired_revision is None) == retire
    ]
    if queries:
        refuse_archived(project)
        payload = {"query_ids": [query.id for query in queries]}
        event = record_event(session, project.id, kind, payload, actor_id=actor_id)
        for query in queries:
            query.retired_revision = event.revision if retire else None
        session.flush()
    return len(queries)


def pasted_file(session: Session, project: Project, text: str) -> ImportFile:
    """Return pasted questions as a file to import: one a line, or an id, a tab and the question.

    A question that the project holds word by word keeps its id; the others get the next free q1, q2, ...
    A repeated line has the id of the first one: its import counts it as repeated. Lines keep their numbers.

    :raise InvalidError: There is no question in the text.
    """
    lines = [line.strip() for line in text.splitlines()]
    if not any(lines):
        raise InvalidError("Paste at least one question, one per line.", code="empty")
    held = session.execute(select(Query.text, Query.external_id).where(Query.project_id == project.id))
    known: dict[str, str] = dict(held.all())
    taken = {*known.values(), *(line.partition("\t")[0] for line in lines if "\t" in line)}
    free = (f"q{number}" for number in count(1) if f"q{number}" not in taken)
    rows = {"": ""}
    for line in dict.fromkeys(filter(None, lines)):
        query_id, is_given, words = line.partition("\t")
        row = (query_id, words) if is_given else (known.get(line) or next(free), line)
        rows[line] = json.dumps(dict(zip(("query_id", "text"), row, strict=True)))
    content = "".join(f"{rows[line]}\n" for line in lines)
    return ImportFile(content=content.encode(), name="pasted questions", format="jsonl")
