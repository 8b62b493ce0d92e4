"""Work in several transactions: each step is committed before the next begins."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.database import Database
from app.models import Project
from app.services.collection.files import ImportStep
from app.services.errors import ConflictError, NotFoundError

Progress = Callable[[int, int], None]

# Writers who wait for SQLite look again every few hundredths of a second. To be seen by them, the time
# between two steps is as long as the step was, within these bounds.
SHORTEST_PAUSE, LONGEST_PAUSE = 0.02, 0.2


def nothing(done: int, total: int) -> None:
    """Say nothing about the progress."""


def commit_steps(
    database: Database, steps: Iterable[ImportStep], total: int = 0, progress: Progress = nothing
) -> None:
    """Do every step in a transaction of its own, and leave the others a moment in between.

    Raises
    ------
    ConflictError
        What a step builds on was removed meanwhile.
    """
    done, free_at, pause = 0, time.perf_counter(), 0.0
    for step in steps:
        # Making the step has left the others some of the pause already.
        time.sleep(max(free_at + pause - time.perf_counter(), 0))
        began = _commit(database, step)
        free_at = time.perf_counter()
        pause = min(max(free_at - began, SHORTEST_PAUSE), LONGEST_PAUSE)
        done += step.size
        progress(done, total)


def _commit(database: Database, step: ImportStep) -> float:
    """Commit one step, and return when its turn began."""
    try:
        with database.write() as session:
            began = time.perf_counter()
            step.write(session)
    except IntegrityError as error:
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
