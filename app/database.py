"""Engine and sessions: one way to read, one way to write, the same on both databases.

A read session sees one snapshot and the database itself refuses its writes; a write session takes the
writer's place at once (`BEGIN IMMEDIATE` on SQLite), so that read-then-write never fails half way.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import os
import sqlite3
import struct
import threading
import time
from collections import deque
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from select import POLLIN, poll
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError, OperationalError
from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from sqlalchemy import Connection, Dialect, Engine
    from sqlalchemy.pool import ConnectionPoolEntry

    Last = Callable[[Session, list[Any]], list[Any]]

log = logging.getLogger(__name__)
BUSY_SECONDS = 30
# One writes at a time; a few more are there for those who do not take turns.
WRITERS = 2
# Advisory locks: of those who import, of those who serve, of those who change tables, and of those who remove
# what imports have left.
IMPORTING, SERVING, MIGRATING, SWEEPING = (3, 0), (3, 1), (3, 2), (4, 0)
# How long a process waits for its turn to write, and how often it looks. After that it asks SQLite anyway.
TURN_SECONDS, TURN_APART = 1, 0.001
# The most pieces of work that share a commit, so that nobody waits for more than a moment.
MOST_TOGETHER = 64
# What is stored stays out of error messages and logs: mail addresses, hashes, texts.
HIDDEN = True
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON")
# SQLite's codes for a file that is in use, full, or cannot be read just now.
UNAVAILABLE = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_NOMEM,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_PROTOCOL,
}
# PostgreSQL's: the connection broke, a transaction was in another's way, the server stops or starts.
PASSING = ("08", "40001", "40P01", "53300", "57P0")
DISK_FULL = "53100"
# What others who write can cause: a row that is named is gone, or one of the same key is there already.
CONFLICTS = {
    sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    "23503",
    "23505",
}
CONNECT_SECONDS = 5
# A connection that waited for longer is tried before it is used: a firewall may have forgotten it.
TRIED_AFTER_SECONDS = 10
USED = "used"
# How long others may be in the way of rewriting the files.
COMPACT_SECONDS = 20
LOST = (
    "Files of the database %s were removed or replaced. Nothing is saved until the site is started again. %s"
)
KEPT = "What was saved before is kept."
NOT_KEPT = "Ratings of the last minutes may be lost."


def is_unavailable(error: DBAPIError) -> bool:
    """Tell whether the database is busy or away, not asked for what it does not have."""
    if isinstance(error.orig, sqlite3.Error):
        code = getattr(error.orig, "sqlite_errorcode", sqlite3.SQLITE_BUSY)
        return isinstance(error, OperationalError) and code & 0xFF in UNAVAILABLE
    return isinstance(error, OperationalError) or is_passing(error)


def is_full(error: DBAPIError) -> bool:
    """Tell whether the disk of the database has no room: nothing was saved."""
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    return getattr(error.orig, "sqlstate", None) == DISK_FULL


def is_conflict(error: DBAPIError) -> bool:
    """Tell whether a row names another that is gone, or is there already: others may have changed that."""
    if isinstance(error.orig, sqlite3.Error):
        return getattr(error.orig, "sqlite_errorcode", 0) in CONFLICTS
    return getattr(error.orig, "sqlstate", None) in CONFLICTS


def is_passing(error: DBAPIError) -> bool:
    """Tell whether the same may succeed in a moment with another connection."""
    if isinstance(error.orig, sqlite3.Error):
        return False  # it has waited for its turn already
    state = getattr(error.orig, "sqlstate", None)
    if error.connection_invalidated or state is None:
        return error.connection_invalidated or isinstance(error, OperationalError)
    return str(state).startswith(PASSING)


def reason_of(error: DBAPIError) -> str:
    """Return what the database says of a failure, on one line."""
    return " ".join(str(error.orig).split())


class DatabaseLostError(Exception):
    """Files of an SQLite database were removed or replaced while they were in use: nothing can be saved."""


class _Turn:
    """The turn to write into an SQLite file, among the threads of this process and then among processes.

    Only SQLite decides who writes. But whoever waits for it sleeps longer and longer, and others come first
    (tests/trials/README.md): so processes lock the file's folder before they ask for it.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._threads = threading.Lock()
        self._lock: int | None = None

    def __enter__(self) -> None:
        self._threads.acquire()
        self._lock = _lock_folder(self._folder)

    def __exit__(self, *_: object) -> None:
        if self._lock is not None:
            os.close(self._lock)
        self._threads.release()


def _lock_folder(folder: str) -> int | None:
    """Return a lock, given back by closing it; None where it cannot be had soon."""
    try:
        lock = os.open(folder, os.O_RDONLY)
    except OSError:
        return None  # SQLite says what is wrong
    until = time.monotonic() + TURN_SECONDS
    while not _is_locked(lock):
        if time.monotonic() > until:
            os.close(lock)
            return None
        time.sleep(TURN_APART)
    return lock


def _is_locked(descriptor: int) -> bool:
    """Lock a file for this process alone; return whether that succeeded."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class _Files:
    """The files of an SQLite database, as a connection has opened them.

    Whoever removes the write-ahead log of a running server takes away what has been saved since it was last
    copied into the database, and all that comes after: the server goes on writing into a file without a name.

    Where a server has ever had the database, commits are counted: in the database, within each of them
    (`user_version`), and in the server's lock file, after it. So the lock file is never ahead, unless
    something that was saved has been taken away since.
    """

    def __init__(self, path: str) -> None:
        self._paths = (path, f"{path}-wal", f"{path}-shm")
        self._opened: tuple[int, ...] = ()
        self.are_lost = False
        self._lock: int | None = None
        with suppress(FileNotFoundError):
            self._lock = os.open(f"{path}.lock", os.O_RDWR)
        self._mine = threading.local()

    def on_begin(self, connection: Connection) -> None:
        """Refuse to write where a file is not the one that this connection has open."""
        found = self._look()
        self._opened = connection.info.setdefault("files", found)
        if found != self._opened or self.are_lost:
            self._lose(connection, found)
        dbapi: Any = connection.connection.dbapi_connection
        self._mine.changes, self._mine.count = dbapi.total_changes, None

    def on_commit(self, connection: Connection) -> None:
        """Count what is about to be saved."""
        dbapi: Any = connection.connection.dbapi_connection
        if self._lock is None or dbapi.total_changes == self._mine.changes:
            return
        (count,) = dbapi.execute("PRAGMA user_version").fetchone()
        self._mine.count = (count + 1) % COUNTS
        dbapi.execute(f"PRAGMA user_version = {self._mine.count}")

    def confirm(self) -> None:
        """Refuse to call saved what was written into a file that was removed meanwhile."""
        # Before the first statement of all, no connection has opened anything.
        if self._opened and self._look() != self._opened:
            raise DatabaseLostError
        count = getattr(self._mine, "count", None)
        if self._lock is not None and count is not None:
            os.pwrite(self._lock, _count_line(count), 0)

    def close(self) -> None:
        """Count no more. Where no log is left, all is in the database: an older copy may take its place."""
        if self._lock is None:
            return
        if not _number_of(self._paths[1]):
            os.pwrite(self._lock, _count_line(None), 0)
        os.close(self._lock)
        self._lock = None

    def _look(self) -> tuple[int, ...]:
        """Return the numbers of the files; 0 where one is missing."""
        return tuple(_number_of(path) for path in self._paths)

    def _lose(self, connection: Connection, found: tuple[int, ...]) -> None:
        dbapi: Any = connection.connection.dbapi_connection
        dbapi.rollback()
        if not self.are_lost:
            self.are_lost = True
            # Where nobody has made new ones, what is in the removed files is copied into the database.
            is_copied = found[0] == self._opened[0] and 0 in found
            if is_copied:
                dbapi.execute("PRAGMA wal_checkpoint(FULL)")
            log.critical(LOST, self._paths[0], KEPT if is_copied else NOT_KEPT)
        raise DatabaseLostError


def _number_of(path: str) -> int:
    try:
        return os.stat(path).st_ino  # noqa: PTH116 - asked at every commit
    except FileNotFoundError:
        return 0


class _Piece:
    """Work that waits for the writer's place, and what came of it."""

    __slots__ = ("_error", "_result", "about", "is_done", "last", "leads", "stirred", "work")

    def __init__(self, work: Callable[[Session], Any], last: Last | None, about: Iterable[Hashable]) -> None:
        self.work, self.last, self.about = work, last, set(about)
        self.is_done = self.leads = False
        # Set once it is done, or once it is its turn to do the work of all.
        self.stirred = threading.Event()
        self._result: Any = None
        self._error: Exception | None = None

    def succeed(self, result: Any) -> None:
        self._result, self.is_done = result, True
        self.stirred.set()

    def fail(self, error: Exception) -> None:
        self._error, self.is_done = error, True
        self.stirred.set()

    def outcome(self) -> Any:
        if self._error is not None:
            raise self._error
        return self._result


def _finished(session: Session, pieces: list[_Piece], items: list[Any]) -> list[Any]:
    """Return the results of some pieces by what comes last for each."""
    results = [*items]
    for last in dict.fromkeys(piece.last for piece in pieces if piece.last is not None):
        places = [place for place, piece in enumerate(pieces) if piece.last == last]
        for place, result in zip(places, last(session, [items[place] for place in places]), strict=True):
            results[place] = result
    return results


class Database:
    """The engine of one process, and its read and write sessions.

    Each connection of one that serves says so to PostgreSQL, which forgets it with the connection.
    """

    def __init__(self, url: str, *, pool_size: int = 20, serves: bool = False) -> None:
        self.url = url
        # What write sessions know of who writes: whoever opens them adds to it; the audit trail reads it.
        self.info: dict[str, Any] = {}
        self.is_sqlite = url.startswith("sqlite")
        self.engine = _open_engine(url, pool_size)
        if serves and not self.is_sqlite:
            event.listen(self.engine, "connect", partial(_say_served, self.engine.dialect))
        # On SQLite writers have connections of their own, which are never told to refuse writes and to allow
        # them again: each such pragma throws away every statement that the connection has compiled.
        self.writing_engine = _open_sqlite(url, WRITERS, writes=True) if self.is_sqlite else self.engine
        self._files: _Files | None = None
        path = path_of(url)
        if path is not None:
            self._files = _Files(str(path))
            event.listen(self.writing_engine, "begin", self._files.on_begin)
            event.listen(self.writing_engine, "commit", self._files.on_commit)
        self._turn: AbstractContextManager[Any] = nullcontext() if path is None else _Turn(str(path.parent))
        self._readers = (
            self.engine
            if self.is_sqlite
            else self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        )
        if not self.is_sqlite:
            event.listen(self._readers, "rollback", _end_snapshot)
        self._single = (
            self.engine if self.is_sqlite else self.engine.execution_options(isolation_level="AUTOCOMMIT")
        )
        self._mine = threading.local()
        # Who waits for `write_together`, guarded by its lock; one of them leads, or is about to.
        self._queue = threading.Lock()
        self._pieces: deque[_Piece] = deque()
        self._is_led = False

    @property
    def is_lost(self) -> bool:
        """Whether files of an SQLite database were seen to be removed or replaced: nothing can be saved."""
        return self._files is not None and self._files.are_lost

    def _confirm(self) -> None:
        if self._files is not None:
            self._files.confirm()

    def open_reader(self) -> Session:
        """Return a session on one snapshot that cannot write; the caller closes it."""
        return Session(self._readers, autoflush=False)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a read session: one snapshot, closed at the end."""
        session = self.open_reader()
        try:
            yield session
        finally:
            close_reader(session)

    def ask(self) -> Connection:
        """Return a connection for one prepared question, outside of any transaction; the caller closes it."""
        return self._single.connect()

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Give a write session: returned = commit, raised = rollback."""
        # The lock is a `with`, not an event: SQLAlchemy's "commit" event fires before the driver commits.
        with (
            self._turn,
            Session(self.writing_engine, expire_on_commit=False, info=self.info) as session,
            session.begin(),
        ):
            yield session
            self._mine.commits = self.commits + 1
        self._confirm()

    @property
    def commits(self) -> int:
        """How many commits this thread has begun."""
        return getattr(self._mine, "commits", 0)

    def write_together(
        self,
        work: Callable[[Session], Any],
        last: Last | None = None,
        *,
        about: Iterable[Hashable] = (),
    ) -> Any:
        """Return `work(session)` once it is committed together with what others write just now.

        Each commit waits for the disk, SQLite has one writer, and PostgreSQL lets one at a time append to a
        ledger. The thread that gets the writer's place does the work of all in this process who wait for it,
        first come first served, and commits once for all of them. Where one of them fails, nothing of the
        others' work is kept: then each is done again by itself, so `work` must do the same when it is called
        twice.

        Parameters
        ----------
        last
            What is done last in the transaction, once for all who name it: with what the work of each has
            returned, in their order, it returns the result of each.
        about
            Pieces of work with one of these in common never share a commit: the later one finds what the
            earlier one has written.
        """
        self._mine.commits = self.commits + 1
        mine = _Piece(work, last, about)
        with self._queue:
            self._pieces.append(mine)
            mine.leads = not self._is_led
            self._is_led = True
        if not mine.leads:
            mine.stirred.wait()
        if mine.leads:
            self._lead(mine)
        return mine.outcome()

    def _lead(self, mine: _Piece) -> None:
        """Do the work of the oldest who wait, `mine` among them, and let the next one lead.

        The others sleep meanwhile: fifty threads that try for one lock keep each other from working.
        """
        pieces: list[_Piece] = []
        try:
            with self._turn:
                with self._queue:
                    pieces = self._take()
                self._do_some(pieces)
        finally:
            with self._queue:
                # A thread that is being stopped leaves what it has not done to the next one.
                rest = [piece for piece in pieces if not piece.is_done and piece is not mine]
                self._pieces.extendleft(reversed(rest))
                if mine in self._pieces:
                    self._pieces.remove(mine)
                self._is_led = bool(self._pieces)
                if self._is_led:
                    self._pieces[0].leads = True
                    self._pieces[0].stirred.set()

    def _take(self) -> list[_Piece]:
        """Take the oldest who wait, no two of them about the same; the oldest of all is among them."""
        taken: list[_Piece] = []
        later: list[_Piece] = []
        about: set[Any] = set()
        while self._pieces and len(taken) < MOST_TOGETHER:
            piece = self._pieces.popleft()
            (taken if about.isdisjoint(piece.about) else later).append(piece)
            about |= piece.about
        self._pieces.extendleft(reversed(later))
        return taken

    def _do_some(self, pieces: list[_Piece]) -> None:
        try:
            self._do(pieces)
        except OperationalError as error:
            # The database is busy or away: for everybody.
            for piece in pieces:
                piece.fail(error)
        except Exception as error:  # noqa: BLE001 - it belongs to the caller of that piece
            self._do_one_by_one(pieces, error)

    def _do_one_by_one(self, pieces: list[_Piece], error: Exception) -> None:
        if len(pieces) == 1:
            pieces[0].fail(error)
            return
        for piece in pieces:
            try:
                self._do([piece])
            except Exception as its_own:  # noqa: BLE001 - see above
                piece.fail(its_own)

    def _do(self, pieces: list[_Piece]) -> None:
        with Session(self.writing_engine, expire_on_commit=False) as session, session.begin():
            items = [piece.work(session) for piece in pieces]
            results = _finished(session, pieces, items)
        self._confirm()
        # Only now: what is acknowledged is committed.
        for piece, result in zip(pieces, results, strict=True):
            piece.succeed(result)

    @contextmanager
    def hold(self, use: int, number: int) -> Iterator[None]:
        """Hold a lock among all processes, for one use of one thing; SQLite's is for all things of that use.

        It ends with its holder, however that ends: on PostgreSQL it is an advisory lock of a transaction of
        its own, on SQLite a lock on a file.
        """
        if self.is_sqlite:
            with self._lock_file(f"lock-{use}") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                yield
            return
        with self.engine.begin() as connection:
            connection.execute(select(func.pg_advisory_xact_lock(use, number)))
            yield

    @contextmanager
    def importing(self) -> Iterator[None]:
        """Say that something is being written that is not published yet, so that nobody sweeps it away.

        The lock ends with its holder, however that ends.
        """
        if not self.is_sqlite:
            with self.engine.connect() as connection:
                connection.execute(select(func.pg_advisory_xact_lock_shared(*IMPORTING)))
                yield
            return
        with self._lock_file("importing") as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield

    @contextmanager
    def alone(self) -> Iterator[bool]:
        """Tell whether nobody is importing; if so, nobody begins to meanwhile."""
        if not self.is_sqlite:
            with self.engine.connect() as connection:
                yield bool(connection.scalar(select(func.pg_try_advisory_xact_lock(*IMPORTING))))
            return
        with self._lock_file("importing") as lock:
            yield _is_locked(lock)

    @contextmanager
    def unserved(self) -> Iterator[bool]:
        """Tell whether nobody serves a PostgreSQL database; if so, nobody begins to meanwhile."""
        with self.engine.connect() as connection:
            yield bool(connection.scalar(select(func.pg_try_advisory_xact_lock(*SERVING))))

    @contextmanager
    def _lock_file(self, name: str) -> Iterator[int]:
        path = Path(f"{path_of(self.url)}-{name}")
        lock = os.open(path, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            yield lock
        finally:
            os.close(lock)

    def compact(self, tables: Sequence[str]) -> bool:
        """Rewrite the files, so that they hold nothing of what was deleted; return whether that succeeded.

        On SQLite it is the whole file, and ratings wait for it (some seconds for a million); on PostgreSQL it
        is the files of some tables.
        """
        if not self.is_sqlite:
            with self.engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
                connection.exec_driver_sql(f"SET lock_timeout = '{COMPACT_SECONDS}s'")
                for table in tables:
                    connection.exec_driver_sql(f"VACUUM (FULL, ANALYZE) {table}")
                # It holds common values of columns, and those of before until it is written again.
                connection.exec_driver_sql("VACUUM (FULL) pg_statistic")
                connection.exec_driver_sql("RESET lock_timeout")
            return True
        with self._turn, closing(self.writing_engine.raw_connection()) as connection:
            dbapi: Any = connection.dbapi_connection
            dbapi.execute("VACUUM")
            # What was deleted is in the write-ahead log too, until nobody reads from it and it is emptied.
            dbapi.execute(f"PRAGMA busy_timeout = {COMPACT_SECONDS * 1000}")
            try:
                return not dbapi.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                dbapi.execute(f"PRAGMA busy_timeout = {BUSY_SECONDS * 1000}")

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()
        self.writing_engine.dispose()
        if self._files is not None:
            self._files.close()


def _open_engine(url: str, pool_size: int) -> Engine:
    if not url.startswith("sqlite"):
        engine = create_engine(
            url,
            connect_args={"connect_timeout": CONNECT_SECONDS},
            pool_size=pool_size,
            # The one used last has most statements prepared.
            pool_use_lifo=True,
            max_overflow=10,
            hide_parameters=HIDDEN,
        )
        event.listen(engine, "checkin", _on_checkin)
        event.listen(engine, "checkout", partial(_on_checkout, engine.dialect))
        return engine
    return _open_sqlite(url, pool_size + 12, writes=False)


def _say_served(dialect: Dialect, driver: Any, _record: object) -> None:
    """Say, for as long as this connection lasts, that a server uses the database."""
    (is_said,) = driver.execute("SELECT pg_try_advisory_lock_shared(%s, %s)", SERVING).fetchone()
    driver.commit()
    if not is_said:
        driver.close()
        raise dialect.loaded_dbapi.OperationalError("a command changes its tables just now")


def _on_checkin(_driver: object, record: ConnectionPoolEntry) -> None:
    record.info[USED] = time.monotonic()


def _on_checkout(dialect: Dialect, driver: Any, record: ConnectionPoolEntry, _proxied: object) -> None:
    """Try a connection before it is used, unless it was used just now and the server has not ended it since.

    Who ends a connection says so, and the server says nothing else to a connection that waits.
    """
    idle = time.monotonic() - record.info.get(USED, time.monotonic())
    try:
        if driver.closed or idle > TRIED_AFTER_SECONDS or _has_heard(driver.fileno()):
            dialect.do_ping(driver)
    except driver.Error as error:
        raise InvalidatePoolError from error


def _has_heard(descriptor: int) -> bool:
    """Return whether something has arrived that nobody has read."""
    waiting = poll()
    waiting.register(descriptor, POLLIN)
    return bool(waiting.poll(0))


def _end_snapshot(connection: Connection) -> None:
    """End a transaction that only read by COMMIT: at a ROLLBACK the driver forgets what it has prepared."""
    if connection.invalidated:
        return
    driver: Any = connection.connection.dbapi_connection
    # Whatever is wrong with it, the rollback that follows says.
    with suppress(driver.Error):
        driver.commit()


def close_reader(session: Session) -> None:
    """Close a read session; where the server has ended its connection by now, what was read is read."""
    try:
        session.close()
    except DBAPIError:
        session.invalidate()


class ServedError(Exception):
    """A server has the SQLite file, or the folder; the message is who."""


def take_file(path: Path, holder: str = "") -> int:
    """Return the lock that says who serves an SQLite file, held until it is closed or this process ends.

    :raise ServedError: Another process has it.
    """
    make_private(path)
    descriptor = os.open(f"{path}.lock", os.O_CREAT | os.O_RDWR, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        _, other = _read_lock(descriptor)
        os.close(descriptor)
        raise ServedError(other or "another process") from error
    count, _ = _read_lock(descriptor)
    content = _count_line(count) + holder.encode()
    os.pwrite(descriptor, content, 0)
    os.ftruncate(descriptor, len(content))
    return descriptor


def take_folder(folder: Path, url: str) -> int:
    """Return the lock that says which database a folder is for, held until it is closed or this process ends.

    Its jobs and uploads are those of one database, whose servers may share it.

    :raise ServedError: A server of another database has it.
    """
    name = str(path_of(url) or make_url(url).set(password=None).render_as_string())
    mark = hashlib.sha256(name.encode()).hexdigest().encode()
    descriptor = os.open(folder / "server.lock", os.O_CREAT | os.O_RDWR, 0o600)
    if _is_locked(descriptor):
        os.pwrite(descriptor, mark, 0)
    # Nobody keeps it alone for longer than that.
    fcntl.flock(descriptor, fcntl.LOCK_SH)
    if os.pread(descriptor, len(mark), 0) != mark:
        os.close(descriptor)
        raise ServedError("a server of another database")
    return descriptor


# A lock file: the number of the last commit, in a line of its own, then who has the database.
COUNT_DIGITS = 11
# The numbers that SQLite has room for; after the last one comes 0.
COUNTS = 2**31


def _count_line(count: int | None) -> bytes:
    return b"%-*s\n" % (COUNT_DIGITS, b"" if count is None else b"%d" % count)


def _read_lock(descriptor: int) -> tuple[int | None, str]:
    """Return the number of the last commit, None where it is not known, and who has the database."""
    first, end, rest = os.pread(descriptor, 400, 0).decode(errors="replace").partition("\n")
    count = int(first) if end and first.strip().isascii() and first.strip().isdigit() else None
    # Version 1.0.0 has no first line.
    return count, rest if end else first


def forget_count(path: Path) -> None:
    """Forget what was saved in an SQLite file: another one takes its place on purpose."""
    with suppress(FileNotFoundError):
        descriptor = os.open(f"{path}.lock", os.O_RDWR)
        os.pwrite(descriptor, _count_line(None), 0)
        os.close(descriptor)


class LogMissingError(Exception):
    """The write-ahead log of an SQLite file was removed; the message says what to do."""


# How SQLite keeps the index of its log (https://sqlite.org/walformat.html): a header twice, then a count.
LOG_INDEX_HEAD = struct.Struct("=16xI28x")
COPIED_FRAMES = struct.Struct("=I")
# The head of a log: it changes each time that SQLite starts the log again from its beginning.
LOG_HEAD = 32


def refuse_missing_log(path: Path) -> None:
    """Refuse an SQLite file whose write-ahead log was removed before all of it was copied into the file.

    The index of the log beside it tells. Whoever opens the file makes a new index: this must be asked first.
    If that is gone too, the number of the last commit tells, which the lock file has.

    :raise LogMissingError: It was removed.
    """
    _refuse_missing_by_index(path)
    _refuse_missing_by_count(path)


def _refuse_missing_by_index(path: Path) -> None:
    if Path(f"{path}-wal").exists():
        return
    index = Path(f"{path}-shm")
    try:
        with index.open("rb") as file:
            head = file.read(LOG_INDEX_HEAD.size * 2 + COPIED_FRAMES.size)
    except FileNotFoundError:
        return
    size = LOG_INDEX_HEAD.size
    if len(head) < size * 2 + COPIED_FRAMES.size or head[:size] != head[size : size * 2]:
        return  # the machine stopped before it was on the disk
    (frames,) = LOG_INDEX_HEAD.unpack_from(head)
    (copied,) = COPIED_FRAMES.unpack_from(head, size * 2)
    if frames > copied:
        raise LogMissingError(
            f"The file {path}-wal was removed, and with it what was saved last, which is not in {path} yet: "
            "put it back, or restore a backup with `flask --app app db restore`. To go on without it, "
            f"remove {index}."
        )


def _refuse_missing_by_count(path: Path) -> None:
    if not path.exists():
        forget_count(path)
        return
    lock = Path(f"{path}.lock")
    try:
        descriptor = os.open(lock, os.O_RDONLY)
    except FileNotFoundError:
        return
    saved, _ = _read_lock(descriptor)
    os.close(descriptor)
    if saved is None:
        return
    log = Path(f"{path}-wal")
    reason = (
        f"{log} is damaged, or belongs to another copy"
        if log.exists()
        else f"{log} and {path}-shm were removed after a crash, or an older copy was put in its place"
    )
    try:
        with looked_at(path) as connection:
            (count,) = connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.DatabaseError:
        return  # others say what is wrong with it
    if 0 < (saved - count) % COUNTS < COUNTS // 2:
        raise LogMissingError(
            f"What was saved last is not in {path}: {reason}. Put back what was there, or restore a backup "
            f"with `flask --app app db restore`. To go on without it, remove {lock}."
        )


@contextmanager
def looked_at(path: Path) -> Iterator[sqlite3.Connection]:
    """Give a connection to an SQLite file that leaves it, its log and the index of its log as they are.

    Whoever closes a file last copies its log into it, as far as that can be read, and removes the log. So the
    file gets a second name, in a folder of its own beside a copy of its log.
    """
    with ExitStack() as names:
        try:
            folder = names.enter_context(TemporaryDirectory(prefix=f".{path.name}.", dir=path.parent))
            name = _twin_of(path, Path(folder))
        except OSError:
            # No room, or no second names here: SQLite may then rewrite the index of the log, nothing else.
            name = path
        found = sqlite3.connect(f"{name.as_uri()}?mode=ro", timeout=BUSY_SECONDS, uri=True)
        with closing(found):
            found.execute("PRAGMA user_version").fetchone()
            # Now all is open: no name is left over, however this process ends.
            names.close()
            yield found


def _twin_of(path: Path, folder: Path) -> Path:
    twin, log = folder / path.name, Path(f"{path}-wal")
    twin.hardlink_to(path)
    if log.exists():
        Path(f"{twin}-wal").write_bytes(_content_of(log))
    return twin


def _content_of(log: Path) -> bytes:
    """Return what is in a log at one moment: a running server may start it again meanwhile."""
    while True:
        with log.open("rb", buffering=0) as file:
            content = file.read()
            file.seek(0)
            if file.read(LOG_HEAD) == content[:LOG_HEAD]:
                return content


def make_private(path: Path) -> None:
    """Make an SQLite file, and its folder, that nobody else on this machine can read; SQLite's own follow it.

    What exists keeps its mode.
    """
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Never opened where it exists: closing it would end the locks that this process holds on it.
    with suppress(FileExistsError):
        os.close(os.open(os.path.realpath(path), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def path_of(url: str) -> Path | None:
    """Return the file of an SQLite database, of which links may be other names; None for PostgreSQL."""
    given = make_url(url)
    name = given.database if given.drivername.startswith("sqlite") else None
    return Path(os.path.realpath(name)) if name else None


def _open_sqlite(url: str, pool_size: int, *, writes: bool) -> Engine:
    if (path := path_of(url)) is not None:
        make_private(path)
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_SECONDS},
        pool_size=pool_size,
        max_overflow=10,
        hide_parameters=HIDDEN,
    )
    event.listen(engine, "connect", partial(_on_connect, writes=writes))
    event.listen(engine, "begin", partial(_on_begin, statement="BEGIN IMMEDIATE" if writes else "BEGIN"))
    return engine


def _on_connect(dbapi: Any, _record: object, *, writes: bool) -> None:
    dbapi.isolation_level = None  # the driver must not begin transactions of its own
    for pragma in (*PRAGMAS, f"query_only={'OFF' if writes else 'ON'}"):
        dbapi.execute(f"PRAGMA {pragma}")


def _on_begin(connection: Connection, *, statement: str) -> None:
    if statement == "BEGIN":
        # Past SQLAlchemy, which takes longer over it than SQLite does. It asks for nothing: it never fails.
        plain: Any = connection.connection.dbapi_connection
        plain.execute(statement)
        return
    # This one may find the database busy.
    connection.exec_driver_sql(statement)
