"""Uploads as the pages handle them: whose they are, how they come in, and who works on them."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from app.formats.errors import visible
from app.formats.inflate import PACKED
from app.formats.schema import Kind
from app.http.background import worker
from app.http.permissions import current_access, current_identity_or_404
from app.http.project import current_project
from app.http.receiving import ReceivedFile, has_arrived
from app.http.sessions import close_read_session, database, read_session, settings, write_session
from app.jobs.uploads.looking import SMALL
from app.models import Upload
from app.services.errors import NotFoundError
from app.services.uploads import AT_WORK, LEFT_OUT, NewUpload, get_upload, record_upload, turn_upload

# Work on so small a file is mostly done at once: the page is answered after it, or after a moment.
MOMENT_SECONDS = 1.5
LOOKS_SECONDS = 0.05
# So many requests may wait for that moment: the others of the server are for everybody else.
_waiting = threading.Semaphore(2)
DISCARDED = ("waiting", *AT_WORK, "checked", "failed")


def this_upload(upload_id: str) -> Upload:
    """Return an upload of this person to this project; anybody else's does not exist."""
    person = current_identity_or_404()
    return get_upload(read_session(), current_project().id, person.id, upload_id)


def display_name(raw: str | None) -> str:
    """Return what a file is called on pages: without its folders, and with nothing invisible in it."""
    name = re.split(r"[/\\]", raw or "")[-1].strip()
    return visible(name) if name.strip(".") else "unnamed file"


def take_in(
    file: ReceivedFile,
    kind: Kind,
    name: str,
    options: dict[str, Any],
    report: dict[str, Any] | None = None,
    *,
    waits: bool = False,
) -> str:
    """Return the id of a file that has arrived; its check has begun, or an archive is opened.

    One that `waits` was chosen with others, and stays as it is. `report` says how it looks.
    """
    place, person = current_access(), current_identity_or_404()
    packed = file.head.startswith(PACKED)
    size = file.size
    told = {"lines": None if packed else file.lines, "packed": packed}
    new = NewUpload(
        kind=kind, name=name, size=size, sha256=file.sha256, options={**options, **told}, report=report or {}
    )
    with write_session() as session:
        upload_id = record_upload(session, place.project.id, person.id, new).id
    has_arrived()
    file.keep_as(upload_id)
    if not waits:
        set_to_work(upload_id, new, "waiting", "checking")
        worker().start()
    return upload_id


def discard(upload_id: str) -> bool:
    """Throw an upload of this person away, also while it is at work; False if it is done, or not there."""
    try:
        upload = this_upload(upload_id)
    except NotFoundError:
        return False
    return discard_own(upload)


def leave_out(upload: Upload) -> bool:
    """Throw an upload of this person away because they chose so: the page of the other files names it."""
    return discard_own(upload, options=upload.options | {LEFT_OUT: True})


def discard_own(upload: Upload, **values: Any) -> bool:
    """Throw an upload away that is known to be this person's; False if it is done."""
    with write_session() as session:
        is_discarded = turn_upload(session, upload.id, DISCARDED, "cancelled", **values)
    if is_discarded:
        (settings().uploads_path / upload.id).unlink(missing_ok=True)
    return is_discarded


def set_to_work(upload_id: str, upload: Upload | NewUpload, before: str, state: str, **values: Any) -> bool:
    """Begin to check or to import an upload; False if it is not in the state it was shown in."""
    with write_session() as session:
        fresh = {"progress_done": 0, "progress_total": 0}
        if not turn_upload(session, upload_id, [before], state, **fresh, **values):
            return False
    worker().take(upload_id, state)
    if upload.size <= SMALL:
        wait_a_moment(lambda session: session.scalar(_state_of(upload_id)) != state)
    return True


def _state_of(upload_id: str) -> Select[str]:
    return select(Upload.state).where(Upload.id == upload_id)


def wait_a_moment(is_done: Callable[[Session], bool]) -> None:
    """Wait until some work is done, but for a moment only, and not if others wait already."""
    if not _waiting.acquire(blocking=False):
        return
    try:
        close_read_session()
        until = time.monotonic() + MOMENT_SECONDS
        while time.monotonic() < until:
            with database().read() as session:
                if is_done(session):
                    return
            time.sleep(LOOKS_SECONDS)
    finally:
        _waiting.release()
