"""Database sessions of a request: one read snapshot when first needed, write sessions by name."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from flask import Flask, current_app, g, request
from sqlalchemy.orm import Session

from app.database import Database, close_reader
from app.services.accounts.sign_in import network_of
from app.services.prepared import Prepared
from config import Settings

KEY = "touchstone"
READING = {"GET", "HEAD", "OPTIONS"}
Item = TypeVar("Item")
Result = TypeVar("Result")


class State:
    """What one process keeps: its settings, and its database, opened when first needed (after a fork)."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._database: Database | None = None

    @property
    def database(self) -> Database:
        """Return the database of this process."""
        if self._database is None:
            self._database = Database(
                self.settings.database_url, pool_size=self.settings.web_threads, serves=True
            )
        return self._database

    def close(self) -> None:
        """Close the database, if it was opened."""
        if self._database is not None:
            self._database.dispose()


def install(app: Flask, settings: Settings) -> None:
    """Keep settings and database with the application, and close sessions with their request."""
    app.extensions[KEY] = State(settings)
    app.secret_key = settings.secret_key
    app.testing = settings.testing
    app.teardown_appcontext(_close)


def settings() -> Settings:
    """Return the settings of the running application."""
    return cast("State", current_app.extensions[KEY]).settings


def database() -> Database:
    """Return the database of the running application."""
    return cast("State", current_app.extensions[KEY]).database


def close_database(app: Flask) -> None:
    """Close the database of this process at its end: on SQLite, all that was saved is one file then."""
    cast("State", app.extensions[KEY]).close()


def read_session() -> Session:
    """Return this request's read session: one snapshot from the first question to the last."""
    session: Session | None = g.get("read_session")
    if session is None:
        session = g.read_session = database().open_reader()
    return session


def ask(question: Prepared, values: dict[str, Any]) -> Any:
    """Return the only row, or None: in this request's snapshot, unless it goes on to write and needs none."""
    if request.method in READING:
        return question.row(read_session(), values)
    with database().ask() as connection:
        return question.row(connection, values)


def close_read_session() -> None:
    """Close this request's snapshot: before long arithmetic, and before writing what was just read."""
    session: Session | None = g.pop("read_session", None)
    if session is not None:
        close_reader(session)


@contextmanager
def write_session() -> Iterator[Session]:
    """Give a write session that knows who asks and from where: returned = commit, raised = rollback."""
    close_read_session()
    with database().write() as session:
        identity = g.get("identity")
        # A token of the command line acts for nobody.
        session.info["actor"] = identity.id or None if identity else None
        session.info["network"] = current_network()
        yield session


def current_network() -> str:
    """Return from which network this request comes: an address of IPv4, or 48 bits of one of IPv6."""
    return network_of(request.remote_addr or "").key


def write_together(
    work: Callable[[Session], Item],
    last: Callable[[Session, list[Item]], list[Result]],
    *,
    about: Iterable[Hashable],
) -> Result:
    """Return the result of some work once it is committed, perhaps together with others'; see `Database`."""
    close_read_session()
    return cast("Result", database().write_together(work, last, about=about))


def _close(_error: BaseException | None) -> None:
    close_read_session()
