"""What programs ask: does the process answer, may it be sent people, and how is it doing."""

from __future__ import annotations

import hmac
import os
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from flask import Flask, Response, current_app, request
from sqlalchemy import func, select, text
from sqlalchemy.exc import SQLAlchemyError

from app.database import Database, path_of
from app.http.background import worker
from app.http.counts import Counts, metric
from app.http.permissions import Access, allow
from app.http.sessions import database, read_session, settings
from app.http.tokens import bearer_in
from app.jobs.backups import backup_age
from app.schema import is_current
from app.services.uploads import count_by_state
from config import Settings

KEY = "readiness"
# A public address must not make work: what was found is told again for so long.
KEPT_SECONDS = 1.0
# SQLite and uploads need room to go on.
LEAST_FREE = 64 * 1024 * 1024
# What the first visitor would wait for.
WARMED = ("projects/home.html", "judging/batch.html", "dashboard/overview.html")
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Readiness:
    """Whether this process may be sent people, and why not."""

    def __init__(self) -> None:
        self.is_starting = False
        self._guard = threading.Lock()
        self._until = 0.0
        self._reason: str | None = None

    def reason(self) -> str | None:
        """Return why people should go elsewhere; None where they may come."""
        with self._guard:
            if time.monotonic() > self._until:
                self._reason = self._look()
                self._until = time.monotonic() + KEPT_SECONDS
            return self._reason

    def _look(self) -> str | None:
        if self.is_starting:
            return "the process is starting"
        try:
            return why_unusable(database(), settings()) or why_idle()
        except (SQLAlchemyError, OSError):
            return "the database cannot be reached"


def why_unusable(found: Database, given: Settings) -> str | None:
    """Return why a database and its folders cannot be used as they are; None where they can."""
    if not is_current(found):
        return "the database is not at the version of the code"
    if found.is_lost:
        return "files of the database were removed or replaced"
    if not found.is_sqlite and _is_read_only(found):
        return "the database takes no changes"
    folders = {given.instance_path, *([path.parent] if (path := path_of(given.database_url)) else [])}
    if path is not None and not os.access(path, os.W_OK):
        return "the database takes no changes"
    return next((why for folder in sorted(folders) if (why := _why_full(folder))), None)


def _is_read_only(found: Database) -> bool:
    with found.engine.connect() as connection:
        asked = text("SELECT pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on'")
        return bool(connection.scalar(asked))


def _why_full(folder: Path) -> str | None:
    if not os.access(folder, os.W_OK | os.X_OK):
        return "a folder of the site cannot be written"
    return "the disk is full" if shutil.disk_usage(folder).free < LEAST_FREE else None


def why_idle() -> str | None:
    """Return why nothing is done in the background; None where it is."""
    return None if worker().is_alive else "the background worker does not run"


def readiness() -> Readiness:
    """Return the readiness of the running application."""
    return cast("Readiness", current_app.extensions[KEY])


def warm_up(app: Flask) -> None:
    """Load what the first page needs."""
    app.extensions[KEY].is_starting = True
    # What is wrong with the database is said by /readyz, for as long as it is so.
    # A context of its own: that of the command, in which this runs, keeps its sessions until its end.
    with suppress(SQLAlchemyError), app.app_context(), app.test_request_context("/sign-in"):
        app.full_dispatch_request()
        read_session().scalar(select(1))


def load_rest(app: Flask) -> None:
    """Begin to work in the background, and load large pages; then the process is ready."""
    try:
        with app.app_context():
            worker().start()
        for name in WARMED:
            app.jinja_env.get_template(name)
    finally:
        app.extensions[KEY].is_starting = False


@allow(Access.PUBLIC)
def healthz() -> Response:
    """Say that the process answers; nothing else is looked at."""
    return _plain("ok")


@allow(Access.PUBLIC)
def readyz() -> Response:
    """Say whether people may be sent here, and why not."""
    reason = readiness().reason()
    return _plain("ready") if reason is None else _plain(f"not ready: {reason}", 503)


@allow(Access.PUBLIC)
def metrics() -> Response:
    """Tell whoever has METRICS_TOKEN how the site is doing, in Prometheus's text format."""
    given, token = bearer_in(request.headers.get("Authorization", "")), settings().metrics_token or ""
    if not hmac.compare_digest((given or "").encode(), token.encode()):
        response = _plain("METRICS_TOKEN is asked for", 401)
        response.headers["WWW-Authenticate"] = 'Bearer realm="metrics"'
        return response
    counts: Counts = current_app.extensions["counts"]
    body = "\n".join([*counts.lines(), *_gauges(database(), settings())])
    return Response(body + "\n", content_type="text/plain; version=0.0.4; charset=utf-8")


def _plain(line: str, status: int = 200) -> Response:
    return Response(f"{line}\n", status=status, mimetype="text/plain")


def _gauges(found: Database, given: Settings) -> Iterator[str]:
    """Return what is measured now, as far as the database says it."""
    for name, help_text, samples in (*_of_process(found, given), *_of_database(found)):
        yield from metric(name, "gauge", help_text, samples)


Gauge = tuple[str, str, list[tuple[dict[str, str], float]]]


def _of_process(found: Database, given: Settings) -> Iterator[Gauge]:
    pools: list[Any] = [engine.pool for engine in {found.engine, found.writing_engine}]
    yield (
        "touchstone_database_connections",
        "Connections of the process that answers, by what they do.",
        [
            ({"state": "in use"}, sum(pool.checkedout() for pool in pools)),
            ({"state": "idle"}, sum(pool.checkedin() for pool in pools)),
        ],
    )
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_BYTES
    yield "touchstone_resident_bytes", "Memory of the process that answers.", [({}, resident)]
    if (age := backup_age(given)) is not None:
        yield (
            "touchstone_backup_age_seconds",
            "Age of the newest backup by schedule.",
            [({}, age.total_seconds())],
        )
    free = shutil.disk_usage(given.instance_path).free
    yield "touchstone_disk_free_bytes", "Room on the disk of INSTANCE_PATH.", [({}, free)]


def _of_database(found: Database) -> Iterator[Gauge]:
    try:
        with found.read() as session:
            states = count_by_state(session)
            size = (
                _size_of(found)
                if found.is_sqlite
                else session.scalar(select(func.pg_database_size(func.current_database())))
            )
    except SQLAlchemyError:
        yield "touchstone_database_up", "Whether the database answers.", [({}, 0)]
        return
    yield "touchstone_database_up", "Whether the database answers.", [({}, 1)]
    yield "touchstone_database_bytes", "Size of the database, its log included.", [({}, size or 0)]
    yield (
        "touchstone_files",
        "Uploaded files by what became of them; waiting, checking and importing are at work.",
        [({"state": state}, number) for state, number in states.items()],
    )


def _size_of(found: Database) -> int:
    path = path_of(found.url)
    files = [] if path is None else [path, Path(f"{path}-wal")]
    return sum(file.stat().st_size for file in files if file.exists())


def install(app: Flask, settings: Settings) -> None:
    """Add the addresses; that of the metrics only where they have a token."""
    app.extensions[KEY] = Readiness()
    app.add_url_rule("/healthz", "healthz", healthz)
    app.add_url_rule("/readyz", "readyz", readyz)
    if settings.metrics_token:
        app.add_url_rule("/metrics", "metrics", metrics)
