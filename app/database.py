"""Engine and sessions: one way to read, one way to write, the same on both databases.

A read session sees one snapshot and the database itself refuses its writes; a write session takes the
writer's place at once (`BEGIN IMMEDIATE` on SQLite), so that read-then-write never fails half way.
"""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.orm import Session

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy import Connection, Engine

BUSY_SECONDS = 30
# What is stored stays out of error messages and logs: mail addresses, hashes, texts.
HIDDEN = True
PRAGMAS = ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "recursive_triggers=ON")


class Database:
    """The engine of one process, and its read and write sessions."""

    def __init__(self, url: str, *, pool_size: int = 20) -> None:
        self.url = url
        self.is_sqlite = url.startswith("sqlite")
        self.engine = _open_engine(url, pool_size)
        self._turn: AbstractContextManager[Any] = threading.Lock() if self.is_sqlite else nullcontext()
        self._readers = (
            self.engine
            if self.is_sqlite
            else self.engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)
        )
        self._writers = self.engine.execution_options(writes=True)

    def open_reader(self) -> Session:
        """Return a session on one snapshot that cannot write; the caller closes it."""
        return Session(self._readers, autoflush=False)

    @contextmanager
    def read(self) -> Iterator[Session]:
        """Give a read session: one snapshot, closed at the end."""
        with self.open_reader() as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Give a write session: returned = commit, raised = rollback."""
        # The lock is a `with`, not an event: SQLAlchemy's "commit" event fires before the driver commits.
        with self._turn, Session(self._writers, expire_on_commit=False) as session, session.begin():
            yield session

    def dispose(self) -> None:
        """Close all connections."""
        self.engine.dispose()


def _open_engine(url: str, pool_size: int) -> Engine:
    if not url.startswith("sqlite"):
        return create_engine(
            url, pool_pre_ping=True, pool_size=pool_size, max_overflow=10, hide_parameters=HIDDEN
        )
    if name := make_url(url).database:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(
        url,
        connect_args={"timeout": BUSY_SECONDS},
        pool_size=pool_size + 12,
        max_overflow=10,
        hide_parameters=HIDDEN,
    )
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine


def _on_connect(dbapi: Any, _record: object) -> None:
    dbapi.isolation_level = None  # the driver must not begin transactions of its own
    for pragma in PRAGMAS:
        dbapi.execute(f"PRAGMA {pragma}")


def _on_begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get("writes", False)
    # Said every time: the setting stays with a pooled connection.
    connection.exec_driver_sql(f"PRAGMA query_only = {int(not writes)}")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
