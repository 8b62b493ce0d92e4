"""Import queries: all of a file or nothing, in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlalchemy import bindparam, insert, select, update

from app.formats.errors import Problem, ProblemLog
from app.formats.queries import read_queries
from app.models import Candidate, EventKind, Judgment, Query
from app.services.bulk import stream, table_of
from app.services.corpus.result import CONTRADICTS, CorpusImported
from app.services.import_file import refuse_archived
from app.services.ledger import record_event

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.formats.rows import QueryRow
    from app.models import Project
    from app.services.import_file import ImportFile

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
