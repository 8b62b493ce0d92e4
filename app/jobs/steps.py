"""Work in several transactions: each step is committed before the next begins."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from itertools import chain
from typing import TypeVar

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database import SWEEPING, Database, is_conflict
from app.models import Project
from app.services.collection.documents import all_staged, drop_staged
from app.services.collection.files import FileImport, ImportStep
from app.services.collection.pool import drop_unused, unused_candidates
from app.services.collection.run_import import sweep_unpublished
from app.services.errors import ConflictError, NotFoundError
from app.services.projects.purging import removal_steps, unfinished_projects

log = logging.getLogger(__name__)
Progress = Callable[[int, int], None]
Result = TypeVar("Result")
# Done in the transaction that publishes: so it is true if and only if everything is there.
Finish = Callable[[Session, Result], None]

# Writers who wait for SQLite look again every few hundredths of a second. To be seen by them, the time
# between two steps is as long as the step was, within these bounds.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.2


def nothing(done: int, total: int) -> None:
    """Say nothing about the progress."""


def write_import(
    database: Database,
    work: FileImport[Result],
    progress: Progress = nothing,
    finish: Finish[Result] | None = None,
) -> Result:
    """Write an import step by step, publish it with the last step, and return what was done.

    If a step fails, what those before it have written is removed; what a crash leaves is removed by
    `sweep`, which knows by `importing` that nobody writes any more.
    """

    def done(session: Session) -> None:
        if finish is not None:
            finish(session, work.result)

    with database.importing():
        try:
            commit_steps(database, work.steps(), work.total, progress, done)
        finally:
            _clean(database, work)
    return work.result


def _clean(database: Database, work: FileImport[Result]) -> None:
    try:
        commit_steps(database, work.clean())
    except Exception:
        # Such as a disk that is still full: nobody sees what is left, and it is swept away later.
        log.exception("what an import left could not be removed yet")


def sweep(database: Database) -> bool:
    """Remove what imports wrote and did not publish; return False, doing nothing, while somebody imports."""
    with database.alone() as is_alone:
        if not is_alone:
            return False
        with database.write() as session:
            sweep_unpublished(session)
        with database.read() as session:
            documents, candidates = all_staged(session), unused_candidates(session)
        commit_steps(database, chain(drop_unused(candidates), drop_staged(documents)))
    sweep_projects(database)
    return True


def sweep_projects(database: Database) -> None:
    """Remove projects whose import did not come to its end, unless somebody is importing just now.

    Others may import while they are removed: it takes about as long as their import.
    """
    with database.hold(*SWEEPING):
        unfinished: list[int] = []
        with database.alone() as is_alone:
            if is_alone:
                with database.read() as session:
                    unfinished = unfinished_projects(session)
        commit_steps(database, chain.from_iterable(map(removal_steps, unfinished)))


def commit_steps(
    database: Database,
    steps: Iterable[ImportStep],
    total: int = 0,
    progress: Progress = nothing,
    published: Callable[[Session], None] | None = None,
) -> None:
    """Do every step in a transaction of its own, and leave the others a moment in between.

    `published` is called in the transaction of the step that publishes.

    Raises
    ------
    ConflictError
        What a step builds on was removed meanwhile.
    """
    done, free_at, pause = 0, time.perf_counter(), 0.0
    for step in steps:
        # Making the step has left the others some of the pause already.
        time.sleep(max(free_at + pause - time.perf_counter(), 0))
        began = _commit(database, step, published)
        free_at = time.perf_counter()
        pause = min(max(free_at - began, SHORTEST_PAUSE), LONGEST_PAUSE)
        done += step.size
        progress(done, total)


def _commit(database: Database, step: ImportStep, published: Callable[[Session], None] | None) -> float:
    """Commit one step, and return when its turn began."""
    try:
        with database.write() as session:
            began = time.perf_counter()
            step.write(session)
            if step.publishes and published is not None:
                published(session)
    except IntegrityError as error:
        if not is_conflict(error):
            raise
        raise ConflictError(
            "The project was changed during this import: start it again.", code="changed_meanwhile"
        ) from error
    return began


def project_of(session: Session, project_id: int) -> Project:
    """Return the project of this number.

    Raises
    ------
    NotFoundError
        There is none.
    """
    project = session.get(Project, project_id)
    if project is None:
        raise NotFoundError("There is no such project.")
    return project
