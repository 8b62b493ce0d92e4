"""What a crash or a change of mind leaves behind: work to take up again, files and rows to remove."""

from __future__ import annotations

import time
from pathlib import Path

from app.database import Database
from app.jobs.steps import sweep
from app.services.uploads import forget_expired, ids_with_files, turn_upload, uploads_at_work

# A file that arrives has no row yet: it is left alone for as long as the slowest upload may take.
UNCLAIMED_SECONDS = 6 * 3600


def resume_uploads(database: Database, folder: Path) -> list[tuple[str, str]]:
    """Return (id, state) of the work that was killed; what has its file on another machine is left to it."""
    with database.read() as session:
        # What was chosen together with other files waits for them, or for a click.
        found = {
            upload.id: upload.state
            for upload in uploads_at_work(session)
            if upload.state != "waiting" or "group" not in upload.options
        }
    here = {
        upload_id: state
        for upload_id, state in found.items()
        if database.is_sqlite or (folder / upload_id).exists()
    }
    for upload_id in [upload_id for upload_id, state in here.items() if state == "waiting"]:
        here[upload_id] = "checking"
        with database.write() as session:
            turn_upload(session, upload_id, ["waiting"], "checking")
    return list(here.items())


def tidy_uploads(database: Database, folder: Path) -> None:
    """Remove uploads that waited too long, files that nobody needs, and runs that were never published."""
    with database.write() as session:
        forget_expired(session)
    sweep(database)
    with database.read() as session:
        needed = ids_with_files(session)
    oldest = time.time() - UNCLAIMED_SECONDS
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.name not in needed and path.stat().st_mtime < oldest:
            path.unlink(missing_ok=True)
