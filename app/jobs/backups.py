"""Backups: written beside their place, checked, and only then given their name; restored the same way.

A copy that nobody has opened is no backup: each is checked like the database itself before it is kept.
What is killed half way leaves a draft with a name of its own, which the next backup to the folder removes.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import secrets
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sqlalchemy import Engine, create_engine, delete, func, inspect, make_url, select, text, update
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from app.database import Database, ServedError, forget_count, path_of, reason_of, take_file
from app.jobs.erasing import erase_again
from app.models import OpenSession, Person, Upload
from app.schema import is_current, reason_to_refuse, revision_of
from app.sentences import counted
from app.services.accounts.people import revoke_links
from app.services.current_judgments import rebuild_current_judgments
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.uploads import ids_with_files
from app.services.verification import (
    Holdings,
    current_problems,
    file_problems,
    holdings_of,
    ledger_problems,
)
from config import Settings, environment_with

log = logging.getLogger(__name__)
DRAFT = ".part"
SQLITE, POSTGRESQL = "SQLite", "PostgreSQL"
SQLITE_HEAD, POSTGRESQL_HEAD = b"SQLite format 3\0", b"PGDMP"
WAIT_SECONDS = 30
# Cookies and caches know numbers of what came after the backup: those are given to nobody else.
SKIPPED = 1000
FOREVER_NUMBERED = ("person", "project", "run")
# A newest backup that is so many times as old as it should be is told of.
LATE = 2
AGAIN_SECONDS = 600


def problems_of(database: Database) -> list[str]:
    """Return everything that is wrong with a database; it takes some seconds for a million ratings."""
    problems: list[str] = []
    try:
        with database.read() as session:
            if problems := file_problems(session):
                return problems
        if reason := reason_to_refuse(database):
            problems = [reason]
        with database.read() as session:
            return problems + ledger_problems(session) + current_problems(session)
    except DBAPIError as error:
        return problems or [f"it cannot be read: {reason_of(error)}"]


def check_database(database: Database, uploads: Path) -> tuple[Holdings, list[str]]:
    """Return what a whole database holds, and the names of waiting files that are not in their folder.

    :raise ConflictError: It is not whole, or a waiting file is not the one that was uploaded.
    """
    problems = problems_of(database)
    refuse_problems("The database is not whole", problems)
    with database.read() as session:
        waiting = [session.get_one(Upload, number) for number in sorted(ids_with_files(session))]
        held = holdings_of(session)
    lost = [each for each in waiting if not (uploads / each.id).is_file()]
    changed = [
        each.file_name for each in waiting if each not in lost and not _is_as_sent(uploads / each.id, each)
    ]
    refuse_problems("Files that wait for their import were changed since", changed)
    return held, [each.file_name for each in lost]


def _is_as_sent(path: Path, upload: Upload) -> bool:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest() == upload.sha256


# One backup.


def back_up(database: Database, file: Path, *, replace: bool = False) -> Holdings:
    """Write a checked backup of a database to a file, while people rate, and return what it holds.

    :raise ConflictError: There is such a file already, or what was written is not whole.
    """
    own = path_of(database.url)
    if file.exists() and not file.is_file():
        raise ConflictError(f"{file} is no plain file, and nothing takes its place: name another.")
    if file.exists() and (not replace or (own is not None and own.exists() and file.samefile(own))):
        raise ConflictError(f"There is already a file {file}: name another, or add --force to replace it.")
    try:
        with draft_of(file) as draft:
            held = _write_sqlite(own, draft) if own is not None else _write_postgresql(database, draft)
            sync(draft)
            draft.replace(file)
            sync(file.parent)
    except OSError as error:
        raise ConflictError(f"The backup was not written to {file}: {error.strerror or error}.") from error
    except (DBAPIError, sqlite3.Error) as error:
        reason = reason_of(error) if isinstance(error, DBAPIError) else str(error)
        raise ConflictError(f"The backup was not written to {file}: {reason}.") from error
    return held


@contextmanager
def draft_of(file: Path) -> Iterator[Path]:
    """Give an empty file beside another, readable only by this user; it is gone afterwards unless renamed."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    for left in file.parent.glob(f".*{DRAFT}"):
        _remove_left(left)
    draft = file.with_name(f".{file.name}.{secrets.token_hex(4)}{DRAFT}")
    descriptor = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        # It says that somebody is at work here, and ends with the process.
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield draft
    finally:
        os.close(descriptor)
        _remove(draft)


def _remove_left(draft: Path) -> None:
    """Remove a draft that nobody works on any more."""
    with suppress(OSError):
        descriptor = os.open(draft, os.O_RDWR)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(draft)
        finally:
            os.close(descriptor)


def _remove(file: Path) -> None:
    for end in ("-journal", "-wal", "-shm", ""):
        Path(f"{file}{end}").unlink(missing_ok=True)


def sync(path: Path) -> None:
    """Wait until a file or a folder is on the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _write_sqlite(source: Path, draft: Path) -> Holdings:
    # On a connection of its own: writers go on meanwhile, into the write-ahead log.
    with closing(sqlite3.connect(source, timeout=WAIT_SECONDS, isolation_level=None)) as connection:
        connection.execute("VACUUM INTO ?", (str(draft),))
    return check_file(draft, "The database")


def check_file(file: Path, name: str = "") -> Holdings:
    """Check an SQLite file that nobody writes to, and return what it holds; nothing is written beside it.

    :raise NotFoundError: There is no such file.
    :raise InvalidError: It is no SQLite file.
    :raise ConflictError: It is not whole, or not of this version.
    """
    name = name or file.name
    if (kind := _kind_of(file)) != SQLITE:
        raise InvalidError(
            f"{name} is a backup of {kind}: to check it, restore it into an empty database."
            if kind
            else f"{name} is no backup, or damaged: its first bytes are not those of a database."
        )
    with _frozen(file) as database:
        try:
            if not is_current(database):
                raise ConflictError(
                    f"{name} is of another version of Touchstone ({revision}): `flask --app app db upgrade` "
                    "brings a database up to date, and restoring a backup does, too."
                    if (revision := revision_of(database))
                    else f"{name} has no tables of Touchstone: check its path, or DATABASE_URL. A new "
                    "database gets them by `flask --app app db upgrade`."
                )
        except DBAPIError as error:
            raise ConflictError(f"{name} is damaged: {reason_of(error)}.") from error
        refuse_problems(f"{name} is not whole", problems_of(database))
        with database.read() as session:
            return holdings_of(session)


def refuse_problems(what: str, problems: list[str]) -> None:
    """Refuse in one sentence what is not whole.

    :raise ConflictError: There are problems.
    """
    if problems:
        raise ConflictError(f"{what}: {'; '.join(problems)}.", code="not_whole")


class _Frozen(Database):
    """An SQLite file that is only read and that nobody writes: nothing appears beside it."""

    def __init__(self, file: Path) -> None:
        super().__init__(f"sqlite:///{file}")
        self.dispose()
        self.engine = self._readers = _engine_of(file)


def _engine_of(file: Path) -> Engine:
    address = f"{file.as_uri()}?immutable=1"
    return create_engine("sqlite://", creator=lambda: sqlite3.connect(address, uri=True), poolclass=NullPool)


@contextmanager
def _frozen(file: Path) -> Iterator[Database]:
    database = _Frozen(file.resolve())
    try:
        yield database
    finally:
        database.dispose()


def _write_postgresql(database: Database, draft: Path) -> Holdings:
    with database.read() as session:
        # What is checked is what is written: both see this snapshot.
        snapshot = session.scalar(select(func.pg_export_snapshot()))
        refuse_problems("The database is not whole", ledger_problems(session) + current_problems(session))
        _run(database.url, "pg_dump", "--format=custom", "--no-owner", "--no-privileges",
             f"--snapshot={snapshot}", f"--file={draft}")  # fmt: skip
        held = holdings_of(session)
    _run(database.url, "pg_restore", "--list", str(draft), connects=False)
    return held


def _run(url: str, name: str, *words: str, connects: bool = True) -> None:
    """Run one of PostgreSQL's programs on a database.

    :raise ConflictError: It is not installed, or it failed; with the first thing it said.
    """
    program = shutil.which(name)
    if program is None:
        raise ConflictError(
            f"{name} was not found: install PostgreSQL's programs, of the server's version or newer "
            "(Debian: apt install postgresql-client)."
        )
    parsed = make_url(url).set(drivername="postgresql")
    place = f"--dbname={parsed.set(password=None).render_as_string(hide_password=False)}"
    done = subprocess.run(  # noqa: S603 - a program of PostgreSQL's, and settings of the operator
        [program, *words, *([place] if connects else [])],
        # Not among the arguments, which everybody on this machine can read.
        env=environment_with(**({"PGPASSWORD": str(parsed.password)} if parsed.password else {})),
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False,
    )  # fmt: skip
    if done.returncode:
        complaint = " ".join(done.stderr.split()) or f"it ended with status {done.returncode}"
        raise ConflictError(f"{name} failed: {complaint[:400]}")


# Restoring.


@dataclass(frozen=True)
class Restored:
    """What was restored, and where the database is that was there before."""

    held: Holdings
    aside: Path | None


def restore(settings: Settings, file: Path, *, force: bool = False) -> Restored:
    """Put a backup in the place of the database; the one that is there is kept aside.

    Everybody signs in again, links that nobody has used work no more, who was erased since is erased again.

    :raise NotFoundError: There is no such file.
    :raise ConflictError: A server runs, something is there already, or the backup is not whole.
    """
    kind = _kind_of(file)
    path = path_of(settings.database_url)
    if path is None and kind == POSTGRESQL:
        return _restore_postgresql(settings, file)
    if path is None or kind != SQLITE:
        raise InvalidError(
            f"{file} is a backup of {kind}, and DATABASE_URL names another kind of database: restore it into "
            f"an empty {kind} database first, then use `flask --app app db copy`."
            if kind
            else f"{file} is no backup."
        )
    with nobody_serves(path):
        try:
            return _restore_sqlite(settings, path, file, force=force)
        except OSError as error:
            raise ConflictError(f"{file} was not restored: {error.strerror or error}.") from error


def _kind_of(file: Path) -> str:
    """Return which database a file is a backup of; nothing where it is none.

    :raise NotFoundError: There is no such file.
    """
    try:
        with file.open("rb") as opened:
            head = opened.read(len(SQLITE_HEAD))
    except OSError as error:
        raise NotFoundError(f"{file} cannot be read: {error.strerror}.") from error
    if head == SQLITE_HEAD:
        return SQLITE
    return POSTGRESQL if head.startswith(POSTGRESQL_HEAD) else ""


@contextmanager
def unserved(database: Database) -> Iterator[None]:
    """Keep servers away from a database meanwhile.

    :raise ConflictError: One has it.
    """
    if (path := path_of(database.url)) is not None:
        with nobody_serves(path):
            yield
        return
    with database.unserved() as is_unserved:
        if not is_unserved:
            raise ConflictError("The database is served just now: stop all servers that use it first.")
        yield


@contextmanager
def nobody_serves(path: Path) -> Iterator[None]:
    """Keep servers away from an SQLite file meanwhile.

    :raise ConflictError: One has it.
    """
    try:
        lock = take_file(path)
    except ServedError as holder:
        raise ConflictError(f"The database {path} is served by {holder}: stop that first.") from holder
    try:
        yield
    finally:
        os.close(lock)


def _restore_sqlite(settings: Settings, path: Path, file: Path, *, force: bool) -> Restored:
    is_there = path.exists() and path.stat().st_size > 0
    if is_there and not force:
        raise ConflictError(
            f"There is a database at {path}: add --force to put the backup in its place. It is kept aside."
        )
    with draft_of(path) as draft:
        shutil.copyfile(file, draft)
        if Path(f"{file}-wal").exists():
            shutil.copyfile(f"{file}-wal", f"{draft}-wal")
        held = _make_ready(settings, file, draft)
        aside = _set_aside(path) if is_there else None
        forget_count(path)
        draft.replace(path)
        sync(path.parent)
    return Restored(held, aside)


def _make_ready(settings: Settings, file: Path, draft: Path) -> Holdings:
    """Check the copy of a backup, bring it to this version, and make it safe to serve."""
    database = Database(f"sqlite:///{draft}")
    try:
        with database.read() as session:
            refuse_problems(f"{file} is not whole", file_problems(session))
        _bring_up(database, file)
        refuse_problems(f"{file} is not whole", problems_of(database))
        _start_over(database, settings, file)
    except DBAPIError as error:
        raise ConflictError(f"{file} is not whole: {reason_of(error)}.") from error
    finally:
        # The last connection copies the write-ahead log into the file, and removes it.
        database.dispose()
    held = check_file(draft, str(file))
    sync(draft)
    return held


def _bring_up(database: Database, file: Path) -> None:
    from app.migrating import upgrade_schema  # here, as it loads Alembic

    if revision_of(database) is None:
        raise ConflictError(f"{file} is no backup of Touchstone: it has none of its tables.")
    try:
        if upgrade_schema(database):
            with database.write() as session:
                rebuild_current_judgments(session)
    except RuntimeError as error:
        raise ConflictError(f"{file} cannot be used: {error}.") from error


def _start_over(database: Database, settings: Settings, file: Path) -> None:
    """Let nobody use what was taken from them after the backup."""
    with database.write() as session:
        session.execute(update(Person).values(session_epoch=Person.session_epoch + SKIPPED))
        session.execute(delete(OpenSession))
        revoke_links(session)
        for table in FOREVER_NUMBERED:
            if database.is_sqlite:
                session.execute(
                    text("UPDATE sqlite_sequence SET seq = seq + :skipped WHERE name = :table"),
                    {"skipped": SKIPPED, "table": table},
                )
            else:
                sequence = func.pg_get_serial_sequence(table, "id")
                session.execute(select(func.setval(sequence, func.nextval(sequence) + SKIPPED)))
    erase_again(database, [settings.instance_path, file.parent])


def _set_aside(path: Path) -> Path:
    """Give the database that is there a second name, so that at no moment there is none; return that name."""
    with suppress(sqlite3.DatabaseError), closing(sqlite3.connect(path, isolation_level=None)) as connection:
        # With the write-ahead log in it, it is one file; a damaged one keeps its log beside it.
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    aside = path.with_name(f"{path.name}.before-{_stamp()}")
    if aside.exists():  # left in this second by a restore that was stopped
        aside = aside.with_name(f"{aside.name}-{secrets.token_hex(4)}")
    for end in ("-wal", ""):
        part = Path(f"{path}{end}")
        if part.exists() and (not end or part.stat().st_size):
            os.link(part, f"{aside}{end}")
    sync(path.parent)
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    return aside


def _restore_postgresql(settings: Settings, file: Path) -> Restored:
    database = Database(settings.database_url, pool_size=2)
    try:
        with unserved(database):
            if inspect(database.engine).get_table_names():
                raise ConflictError(
                    "The PostgreSQL database that DATABASE_URL names has tables already: create an empty "
                    "one, name it, and restore there."
                )
            _run(database.url, "pg_restore", "--single-transaction", "--exit-on-error", "--no-owner",
                 "--no-privileges", str(file))  # fmt: skip
            _bring_up(database, file)
            refuse_problems(f"{file} was restored and is not whole", problems_of(database))
            _start_over(database, settings, file)
            with database.read() as session:
                return Restored(holdings_of(session), None)
    finally:
        database.dispose()


# By schedule.


def backups_in(folder: Path) -> list[Path]:
    """Return the backups that were made by schedule, the newest first."""
    # Their names are their times.
    return sorted((each for each in folder.glob("touchstone-*Z.*") if each.is_file()), reverse=True)


def backup_age(settings: Settings) -> timedelta | None:
    """Return how old the newest backup is that was made by schedule, None where there is none."""
    newest = backups_in(settings.backup_path)[:1] if settings.backup_path else []
    return timedelta(seconds=max(time.time() - newest[0].stat().st_mtime, 0)) if newest else None


def backup_trouble(settings: Settings) -> str:
    """Return why the last backup by schedule failed, as a sentence; nothing where it did not."""
    if settings.backup_path is None:
        return ""
    with suppress(OSError):
        return _failure(settings).read_text(encoding="utf-8")
    return ""


def backup_notice(settings: Settings) -> str:
    """Return what administrators should know of the backups by schedule; nothing where all is well."""
    if trouble := backup_trouble(settings):
        return f"The last backup failed: {trouble}"
    age = backup_age(settings)
    if age is None or age < LATE * timedelta(hours=settings.backup_every_hours):
        return ""
    return f"The newest backup is {counted(age // timedelta(hours=1), 'hour')} old. See the server's log."


def back_up_if_due(database: Database, settings: Settings) -> None:
    """Back up where the newest backup is old enough, and remove those that are one too many.

    What fails is logged, and kept for administrators to read until a backup succeeds; it is tried again some
    minutes later.
    """
    if settings.backup_path is None:
        return
    age = backup_age(settings)
    is_recent = age is not None and age < timedelta(hours=settings.backup_every_hours)
    failed = _failure(settings)
    if time.time() - failed.stat().st_mtime < AGAIN_SECONDS if failed.exists() else is_recent:
        return
    end = "sqlite3" if database.is_sqlite else "dump"
    try:
        back_up(database, settings.backup_path / f"touchstone-{_stamp()}.{end}", replace=True)
        for old in backups_in(settings.backup_path)[settings.backups_kept :]:
            old.unlink(missing_ok=True)
    except (ConflictError, OSError) as error:
        log.error("the backup failed: %s", error)  # noqa: TRY400 - an operator reads the reason, not our code
        failed.write_text(str(error), encoding="utf-8")
    else:
        failed.unlink(missing_ok=True)


def _failure(settings: Settings) -> Path:
    return settings.instance_path / "backup-failed"


def _stamp() -> str:
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")
