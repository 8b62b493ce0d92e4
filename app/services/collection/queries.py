"""Queries: imported, pasted, edited, retired and restored."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import count
from typing import Any

from sqlalchemy import bindparam, func, insert, select, update
from sqlalchemy.orm import Session

from app.formats.errors import Problem, ProblemLog
from app.formats.queries import read_queries
from app.formats.rows import QueryRow
from app.models.candidate import Candidate
from app.models.event import Event, EventKind
from app.models.judgment import Judgment
from app.models.person import Person
from app.models.project import Project
from app.models.query import Query
from app.services.bulk import stream, table_of
from app.services.collection.files import CONTRADICTS, CorpusImported, ImportFile, refuse_archived
from app.services.errors import InvalidError, NotFoundError
from app.services.ledger import record_event

# Import queries: all of a file or nothing, in one transaction.


Content = tuple[str, str, list[str], float]


@dataclass(frozen=True)
class QueryRows:
    """The queries of one file, checked by themselves.

    `problems` is what is wrong with other lines. It is said together with what contradicts the project:
    a file with problems is never stored.
    """

    file: str
    rows: list[QueryRow]
    repeated: int = 0
    problems: ProblemLog = field(default_factory=ProblemLog, compare=False)


@dataclass(frozen=True)
class QueryPlan:
    """What an import of queries will write: new rows, and (number, row) of the changed ones."""

    new: list[QueryRow]
    changed: list[tuple[int, QueryRow]]
    result: CorpusImported


def read_query_rows(file: ImportFile) -> QueryRows:
    """Return the queries of a file, with the problems of its other lines.

    Raises
    ------
    FormatError
        Nothing of the file can be read.
    """
    log = ProblemLog()
    rows = list(read_queries(file.content, file.name, log, file.format, file.columns))
    if not rows:
        log.raise_if_any()
    return QueryRows(file.name, rows, log.left_out["repeated"], log)


def plan_queries(session: Session, project: Project, found: QueryRows, *, replace: bool = False) -> QueryPlan:
    """Return what importing these queries will do; nothing is written.

    Raises
    ------
    FormatError
        Lines are wrong, or a query is in the project with other content and may not be replaced.
    """
    refuse_archived(project)
    known = _known_queries(session, project.id, {row.query_id for row in found.rows})
    new = [row for row in found.rows if row.query_id not in known]
    changed = [
        (known[row.query_id][0], row)
        for row in found.rows
        if row.query_id in known and known[row.query_id][1] != _content_of(row, known[row.query_id][1][3])
    ]
    _refuse_changes(session, project.id, found, changed, known, replace=replace)
    unchanged = len(found.rows) - len(new) - len(changed)
    result = CorpusImported(
        added=len(new), unchanged=unchanged, replaced=len(changed), repeated=found.repeated
    )
    return QueryPlan(new, changed, result)


def import_queries(
    session: Session,
    project: Project,
    found: QueryRows,
    *,
    replace: bool = False,
    actor_id: int | None = None,
) -> CorpusImported:
    """Add the queries of a file to a project, all or none, and return what was done.

    Raises
    ------
    FormatError
        Lines are wrong, or a query is in the project with other content and may not be replaced.
    """
    plan = plan_queries(session, project, found, replace=replace)
    revision = _edit(session, project, plan.changed, actor_id)
    if plan.new:
        event = record_event(
            session, project.id, EventKind.QUERIES_ADDED, {"count": len(plan.new)}, actor_id=actor_id
        )
        revision = event.revision
        rows = [_values_of(row) | {"project_id": project.id, "added_revision": revision} for row in plan.new]
        session.execute(insert(table_of(Query)), rows)
    return CorpusImported(**{**plan.result.__dict__, "revision": revision})


def _edit(
    session: Session, project: Project, changed: list[tuple[int, QueryRow]], actor_id: int | None
) -> int | None:
    if not changed:
        return None
    table = table_of(Query)
    stored = select(Query.id, Query.weight).where(Query.project_id == project.id)
    weights = {row.id: row.weight for row in session.execute(stored)}
    values = [{"number": number, **_values_of(row, weights[number])} for number, row in changed]
    session.execute(update(table).where(table.c.id == bindparam("number")), values)
    numbers = [number for number, _ in changed]
    payload = {"query_ids": numbers}
    return record_event(session, project.id, EventKind.QUERIES_EDITED, payload, actor_id=actor_id).revision


def _values_of(row: QueryRow, weight: float = 1.0) -> dict[str, object]:
    names = ("text", "intent", "tags", "weight")
    return {"external_id": row.query_id, **dict(zip(names, _content_of(row, weight), strict=True))}


def _content_of(row: QueryRow, weight: float = 1.0) -> Content:
    """Return what a row says; a file without weights leaves the present one as it is."""
    return row.text, row.intent or "", list(row.tags), weight if row.weight is None else row.weight


def _known_queries(session: Session, project_id: int, wanted: set[str]) -> dict[str, tuple[int, Content]]:
    columns = (Query.external_id, Query.id, Query.text, Query.intent, Query.tags, Query.weight)
    rows = stream(session, select(*columns).where(Query.project_id == project_id))
    return {
        external: (number, (text, intent, tags, weight))
        for external, number, text, intent, tags, weight in rows
        if external in wanted
    }


def _refuse_changes(
    session: Session,
    project_id: int,
    found: QueryRows,
    changed: list[tuple[int, QueryRow]],
    known: dict[str, tuple[int, Content]],
    *,
    replace: bool,
) -> None:
    file, log = found.file, found.problems
    judged = _judged_queries(session, project_id) if changed and replace else set()
    for number, row in changed:
        if not replace:
            remedy = "Give it another id, or use the new content with --replace."
            log.add(Problem(file, row.line, "other-content", row.query_id, CONTRADICTS, remedy))
        elif number in judged and known[row.query_id][1][:2] != _content_of(row)[:2]:
            # A rating answers the question that was shown; under another one it would say something else.
            reason = "answers to this query are rated, so its text cannot change here"
            remedy = "Edit it on its page, or add the new text as a separate query and retire this one."
            log.add(Problem(file, row.line, "judged-query", row.query_id, reason, remedy))
    log.raise_if_any()


def _judged_queries(session: Session, project_id: int) -> set[int]:
    judged = (
        select(Candidate.query_id)
        .join(Judgment, Judgment.candidate_id == Candidate.id)
        .where(Judgment.project_id == project_id)
        .distinct()
    )
    return set(session.scalars(judged))


# Edit the words of a question on its page, also after ratings; every earlier wording is kept.


@dataclass(frozen=True)
class EarlierWording:
    """What a question said and counted before an edit; `by` is empty where nobody signed in edited it."""

    text: str
    intent: str
    tags: tuple[str, ...]
    weight: float
    until: datetime
    by: str


def edit_query(
    session: Session,
    project: Project,
    query: Query,
    *,
    text: str,
    intent: str,
    tags: Sequence[str],
    weight: float | None = None,
    actor_id: int | None = None,
) -> bool:
    """Give a question other words, tags or another weight, and return whether anything changed.

    Ratings that it has keep counting: whether they still answer the question is for the owner to say.

    Raises
    ------
    ConflictError
        The project is archived.
    """
    refuse_archived(project)
    before, kept = _words_of(query), list(dict.fromkeys(tags))
    weight = query.weight if weight is None else weight
    after = {"text": text, "intent": intent, "tags": kept, "weight": weight}
    if before == after:
        return False
    query.text, query.intent, query.tags, query.weight = text, intent, kept, weight
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
        EarlierWording(
            event.payload["before"]["text"],
            event.payload["before"]["intent"],
            tuple(event.payload["before"]["tags"]),
            event.payload["before"]["weight"],
            event.at,
            name or "",
        )
        for event, name in rows
        if "before" in event.payload and query.id in event.payload["query_ids"]
    ]


def ratings_given(session: Session, query: Query) -> int:
    """Return how many ledger entries rate answers of a question: given for the words that it has or had."""
    return (
        session.scalar(
            select(func.count())
            .select_from(Judgment)
            .join(Candidate, Candidate.id == Judgment.candidate_id)
            .where(Candidate.query_id == query.id, Judgment.grade.is_not(None))
        )
        or 0
    )


def _words_of(query: Query) -> dict[str, Any]:
    return {
        "text": query.text,
        "intent": query.intent,
        "tags": list(query.tags or ()),
        "weight": query.weight,
    }


# Queries with judgments are never deleted: they are retired, and can come back.


def retire_queries(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Take queries out of scores and out of what is rated, and return how many were still active.

    Raises
    ------
    NotFoundError
        The project has no such query.
    ConflictError
        The project is archived.
    """
    found = _get_queries(session, project, external_ids)
    active = [query for query in found if query.retired_revision is None]
    _turn(session, project, active, EventKind.QUERY_RETIRED, actor_id)
    return len(active)


def restore_queries(
    session: Session, project: Project, external_ids: Sequence[str], *, actor_id: int | None = None
) -> int:
    """Bring retired queries back, and return how many were retired.

    Raises
    ------
    NotFoundError
        The project has no such query.
    ConflictError
        The project is archived.
    """
    retired = [
        row for row in _get_queries(session, project, external_ids) if row.retired_revision is not None
    ]
    _turn(session, project, retired, EventKind.QUERY_RESTORED, actor_id)
    return len(retired)


def _get_queries(session: Session, project: Project, external_ids: Sequence[str]) -> list[Query]:
    wanted = list(dict.fromkeys(external_ids))
    rows = session.scalars(
        select(Query).where(Query.project_id == project.id, Query.external_id.in_(wanted))
    ).all()
    if missing := set(wanted) - {row.external_id for row in rows}:
        raise NotFoundError(f"The project {project.slug} has no query {min(missing)!r}.")
    return list(rows)


def _turn(
    session: Session, project: Project, queries: list[Query], kind: EventKind, actor_id: int | None
) -> None:
    if not queries:
        return
    refuse_archived(project)
    payload = {"query_ids": [query.id for query in queries]}
    event = record_event(session, project.id, kind, payload, actor_id=actor_id)
    for query in queries:
        query.retired_revision = event.revision if kind is EventKind.QUERY_RETIRED else None
    session.flush()


# Questions pasted into a page, as a file.


def pasted_file(session: Session, project: Project, text: str) -> ImportFile:
    """Return pasted questions as a file to import: one a line, or an id, a tab and the question.

    A question that the project holds word by word keeps its id; the others get the next free q1, q2, ...

    Raises
    ------
    InvalidError
        There is no question in the text.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        raise InvalidError("Paste at least one question, one per line.", code="empty")
    rows = session.execute(select(Query.text, Query.external_id).where(Query.project_id == project.id))
    known: dict[str, str] = dict(rows.all())
    taken = {*known.values(), *(line.partition("\t")[0] for line in lines if "\t" in line)}
    free = (f"q{number}" for number in count(1) if f"q{number}" not in taken)
    table = [
        line if "\t" in line else f"{known.get(line) or next(free)}\t{line}" for line in dict.fromkeys(lines)
    ]
    content = "query_id\ttext\n" + "\n".join(table) + "\n"
    return ImportFile(content=content.encode(), name="pasted questions", format="tsv")
