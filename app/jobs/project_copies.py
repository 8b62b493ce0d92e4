"""Copy a project in the background, for a page that waits; a copy that was killed is made again."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from sqlalchemy.orm import Session

from app.database import Database
from app.jobs.project_import import copy_through
from app.models import Project
from app.services.errors import ServiceError
from app.services.projects.copies import begin_copy, fail_copy, note_copied, note_copying

log = logging.getLogger(__name__)
SECONDS = 0.5
"""How often progress is written down."""


def make_copy(database: Database, folder: Path, project_id: int) -> None:
    """Make the copy of a project that was asked for; one that is made already is left alone."""
    with database.write() as session:
        copy = begin_copy(session, project_id)
        source = session.get_one(Project, project_id).slug if copy is not None else ""
    if copy is None:
        return
    # Always of this name: what a kill leaves is overwritten, or removed with other files that nobody needs.
    file = folder / f"copy-{project_id}"

    def finish(session: Session) -> None:
        file.unlink()  # now: once the copy is noted, this process may be ended
        note_copied(session, project_id)

    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file.touch(mode=0o600)  # it names people
        copy_through(
            file,
            database,
            source,
            copy.slug,
            name=copy.name,
            with_ratings=copy.with_ratings,
            progress=_Progress(database, project_id),
            actor_id=copy.person_id,
            network=copy.network,
            finish=finish,
        )
    except ServiceError as error:
        _fail(database, project_id, error.message)
    except Exception:
        log.exception("the copy of project %s failed", project_id)
        _fail(database, project_id, "")
    finally:
        file.unlink(missing_ok=True)


def _fail(database: Database, project_id: int, refusal: str) -> None:
    with database.write() as session:
        fail_copy(session, project_id, refusal)


class _Progress:
    """Writes down how far a copy is, now and then."""

    def __init__(self, database: Database, project_id: int) -> None:
        self._database, self._project_id = database, project_id
        self._told = 0.0

    def __call__(self, done: int, total: int) -> None:
        """Say how much is done: half of it is reading, the other half writing."""
        if time.monotonic() - self._told < SECONDS:
            return
        self._told = time.monotonic()
        with self._database.write() as session:
            note_copying(session, self._project_id, done, total)
