"""Purge an archived project: the one way in which ledger rows go, all of a project's at once."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, cast

from sqlalchemy import ColumnElement, CursorResult, Table, delete, exists, func, select, tuple_
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import Base
from app.models.document import Document
from app.models.judgment import CurrentJudgment
from app.models.person import Membership, Person, PersonKind
from app.models.project import Project, Purge
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Run
from app.sentences import Message, message, number_message
from app.services.accounts.audit import record
from app.services.bulk import lock_project
from app.services.collection.files import ImportStep
from app.services.errors import ConflictError


def loss_of(session: Session, project: Project) -> Message:
    """Return in words what a purge would delete."""
    columns = (Query.project_id, Document.project_id, Run.project_id)
    queries, documents, runs = (
        session.scalar(select(func.count()).where(column == project.id)) or 0 for column in columns
    )
    graded = (CurrentJudgment.project_id == project.id, CurrentJudgment.grade.is_not(None))
    judgments = session.scalar(select(func.count()).where(*graded)) or 0
    # Probes and answers added by hand are kept as runs, and are no version of a ranker.
    by_hand = select(func.count()).select_from(Run).join(Ranker, Ranker.id == Run.ranker_id)
    runs -= session.scalar(by_hand.where(Run.project_id == project.id, Ranker.kind == "manual")) or 0
    return message(
        "%(questions)s, %(answers)s, %(versions)s and %(ratings)s of %(project)s, with their history",
        questions=number_message("%(num)s question", "%(num)s questions", queries),
        answers=number_message("%(num)s answer", "%(num)s answers", documents),
        versions=number_message("%(num)s version", "%(num)s versions", runs),
        ratings=number_message("%(num)s rating", "%(num)s ratings", judgments),
        project=project.slug,
    )


def purge_project(session: Session, project: Project, *, typed_slug: str) -> None:
    """Delete a project with everything that belongs to it; nothing of it can come back.

    :raise ConflictError: It is not archived, or the slug was not typed as it is.
    """
    if typed_slug != project.slug:
        raise ConflictError(
            message("To delete this project, type its short name: %(slug)s.", slug=project.slug),
            code="slug_differs",
        )
    project = lock_project(session, project.id)
    if project.state != "archived":
        raise ConflictError(
            message("Archive the project %(slug)s before deleting it.", slug=project.slug),
            code="not_archived",
        )
    record(session, AuditKind.PROJECT_PURGED, project_id=project.id)
    _delete_everything(session, project.id)


def _delete_everything(session: Session, project_id: int) -> None:
    imported = session.scalars(
        select(Membership.person_id)
        .join(Person, Person.id == Membership.person_id)
        .where(Membership.project_id == project_id, Person.kind != PersonKind.PERSON.value)
    ).all()
    session.add(Purge(project_id=project_id))
    session.flush()
    # Children before parents: whatever table is added later is purged too.
    for table in reversed(Base.metadata.sorted_tables):
        if table.name != Purge.__tablename__ and (belongs := belongs_to(table, project_id)) is not None:
            session.execute(delete(table).where(belongs))
    session.execute(delete(Project).where(Project.id == project_id))
    _delete_sources(session, list(imported))
    session.execute(delete(Purge).where(Purge.project_id == project_id))


def belongs_to(table: Table, project_id: int) -> ColumnElement[bool] | None:
    """Return which rows of a table belong to the project, directly or through a parent; None for none."""
    if "project_id" in table.c:
        return table.c.project_id == project_id
    for key in sorted(table.foreign_keys, key=lambda key: key.parent.name):
        parent = key.column.table
        if "project_id" in parent.c:
            return key.parent.in_(select(key.column).where(parent.c.project_id == project_id))
    return None


# So many rows are removed at a time, and fewer where each of them is looked for in whole tables.
REMOVED = 500
REMOVED_SLOWLY = {"document": 200, "query": 20, "run": 20}


def unfinished_projects(session: Session) -> list[int]:
    """Return the projects whose import did not come to its end, or is under way."""
    return list(session.scalars(select(Project.id).where(~Project.is_complete())))


def removal_steps(project_id: int) -> Iterator[ImportStep]:
    """Yield the short steps that remove a project whose import did not come to its end, and its people.

    A step must be written before the next one is asked for. A project that is complete loses nothing.
    """
    for table in reversed(Base.metadata.sorted_tables):
        if table.name != Purge.__tablename__ and belongs_to(table, project_id) is not None:
            left = [True]
            while left[-1]:
                yield ImportStep(0, partial(_remove_some, project_id, table, left))
    left = [True]
    while left[-1]:
        yield ImportStep(0, partial(_remove_last, project_id, left))


def _remove_some(project_id: int, table: Table, left: list[bool], session: Session) -> None:
    """Remove some of a table's rows, and note whether there may be more."""
    belongs = belongs_to(table, project_id)
    left.append(False)
    if _unfinished(session, project_id) is not None and belongs is not None:
        most = REMOVED_SLOWLY.get(table.name, REMOVED)
        key = table.primary_key.columns
        some = select(*key).where(belongs).limit(most)
        session.add(Purge(project_id=project_id))
        session.flush()
        removed = session.execute(delete(table).where(tuple_(*key).in_(some)))
        left[-1] = cast("CursorResult[Any]", removed).rowcount == most
        session.execute(delete(Purge).where(Purge.project_id == project_id))


def _remove_last(project_id: int, left: list[bool], session: Session) -> None:
    """Remove one of the people who were made for a project, or the project, and note whether more is left."""
    project = _unfinished(session, project_id)
    left.append(bool(project is not None and project.importing))
    if project is not None and project.importing:
        session.execute(delete(Person).where(Person.id == project.importing[0]))
        project.importing = project.importing[1:]
    elif project is not None:
        session.delete(project)


def _unfinished(session: Session, project_id: int) -> Project | None:
    return session.scalar(select(Project).where(Project.id == project_id, ~Project.is_complete()))


def _delete_sources(session: Session, person_ids: list[int]) -> None:
    # Files and simulations that rated nowhere else; people keep their accounts.
    elsewhere = exists().where(Membership.person_id == Person.id)
    session.execute(delete(Person).where(Person.id.in_(person_ids), ~elsewhere))
