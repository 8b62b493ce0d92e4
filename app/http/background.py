"""The background worker of this process, made when it is first needed (after a fork)."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, cast

from flask import current_app

from app.http.sessions import database, settings

if TYPE_CHECKING:
    from app.jobs.worker import Worker

KEY = "worker"
_making = threading.Lock()


def worker() -> Worker:
    """Return the worker; under test it works at once."""
    from app.jobs.backups import back_up_if_due
    from app.jobs.worker import Worker

    with _making:
        if KEY not in current_app.extensions:
            current_app.extensions[KEY] = Worker(
                database(),
                settings().instance_path,
                megabytes=settings().import_memory_mb,
                immediate=settings().testing,
                audit_days=settings().audit_days,
                back_up=partial(back_up_if_due, database(), settings()),
            )
        return cast("Worker", current_app.extensions[KEY])


def stop_worker() -> None:
    """End the worker's processes, if there are any: they may take a second to notice by themselves."""
    if (found := current_app.extensions.get(KEY)) is not None:
        found.stop()
