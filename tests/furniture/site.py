"""The application for tests of pages and API: on SQLite, with CSRF on, over a fresh database for each test."""

from __future__ import annotations

import os
from contextlib import contextmanager
from dataclasses import is_dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import pytest
from argon2 import PasswordHasher
from flask import Flask, Response
from flask.testing import FlaskClient
from itsdangerous import URLSafeTimedSerializer
from jinja2 import FileSystemBytecodeCache, Undefined, UndefinedError
from jinja2.utils import missing
from werkzeug.routing import Rule
from werkzeug.test import TestResponse

from app import create_app
from app.database import Database
from app.http.sessions import KEY as STATE
from app.http.sessions import State
from app.services.accounts import sign_in
from config import Settings
from tests.furniture.factories import making_in
from tests.furniture.words import closed_up

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from click.testing import Result

    from app.models import Person
    from tests.furniture.factories import Make

SECRET_KEY = "only for tests, and long enough for it"
UNSAFE = {"POST", "PUT", "PATCH", "DELETE"}


class Reply(TestResponse, Response):
    """What came back; the text of a page is as `closed_up` has it, which most tests never ask for."""

    @cached_property
    def text(self) -> str:
        """The body as text."""
        text = self.get_data(as_text=True)
        return closed_up(text) if self.mimetype == "text/html" else text


class Visitor(FlaskClient):
    """A browser without a window. Like one that read the page first, it knows the CSRF token of its session."""

    sends_token = True

    def __init__(self, app: Flask, *args: Any, **kwargs: Any) -> None:
        super().__init__(app, Reply, *args[1:], **kwargs)

    def open(self, *args: Any, **kwargs: Any) -> TestResponse:
        """Make a request; unsafe ones carry the token unless `sends_token` is off."""
        if self.sends_token and str(kwargs.get("method", "GET")).upper() in UNSAFE:
            headers = dict(kwargs.get("headers") or {})
            kwargs["headers"] = {"X-CSRFToken": self._token(), **headers}
        reply = super().open(*args, **kwargs)
        if reply.mimetype == "text/html":
            reply.get_data()
        return reply

    def _token(self) -> str:
        with self.session_transaction() as session:
            raw = session.setdefault("csrf_token", "0123456789abcdef0123456789abcdef01234567")
        return str(URLSafeTimedSerializer(SECRET_KEY, salt="wtf-csrf-token").dumps(raw))


@pytest.fixture(scope="session", autouse=True)
def compiled_templates(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Keep compiled templates for the whole run: each application would compile them anew, which takes longest."""
    folder = tmp_path_factory.getbasetemp()
    # The processes of a run share them.
    folder = (folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder) / "jinja"
    folder.mkdir(exist_ok=True)
    Flask.jinja_options = {"bytecode_cache": FileSystemBytecodeCache(str(folder))}


@pytest.fixture(scope="session", autouse=True)
def compiled_addresses() -> Iterator[None]:
    """Keep what builds addresses for the whole run, for the same reason; it depends on nothing but the rule."""
    compile_builder = Rule._compile_builder
    kept: dict[tuple[object, ...], Callable[..., tuple[str, str]]] = {}

    def compiled(rule: Rule, append_unknown: bool = True) -> Callable[..., tuple[str, str]]:
        key = (rule.rule, repr(rule.defaults), tuple(rule._trace), append_unknown)
        if key not in kept:
            kept[key] = compile_builder(rule, append_unknown)
        return kept[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Rule, "_compile_builder", compiled)
        yield


HASHER, NOBODY = sign_in._hasher, sign_in._nobody
QUICK = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


@pytest.fixture(scope="session", autouse=True)
def quick_passwords() -> Iterator[None]:
    """Hash passwords in no time; tests of how well they are hashed ask for `real_passwords`."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sign_in, "_hasher", QUICK)
        patch.setattr(sign_in, "_nobody", QUICK.hash("the password of nobody"))
        yield


@pytest.fixture
def real_passwords(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hash passwords as the site does."""
    monkeypatch.setattr(sign_in, "_hasher", HASHER)
    monkeypatch.setattr(sign_in, "_nobody", NOBODY)


class NoSuchAttribute(Undefined):
    """A name that templates do not know is empty, as on the site; but an object has what is asked of it."""

    def __init__(self, hint: str | None = None, obj: Any = missing, *rest: Any, **named: Any) -> None:
        super().__init__(hint, obj, *rest, **named)
        if is_dataclass(obj) and not isinstance(obj, type):
            raise UndefinedError(self._undefined_message)


def plain_settings(folder: Path, url: str) -> Settings:
    """Return settings of which nothing is chosen but where things are."""
    return Settings(instance_path=folder, database_url=url, secret_key=SECRET_KEY, testing=True)


@pytest.fixture
def settings(tmp_path: Path, sqlite_url: str) -> Settings:
    """Return settings over a temporary instance folder with a migrated database."""
    return plain_settings(tmp_path, sqlite_url)


@pytest.fixture(scope="session")
def shared_app(tmp_path_factory: pytest.TempPathFactory) -> Flask:
    """Return one application for all tests that choose no settings: making one takes long."""
    folder = tmp_path_factory.mktemp("shared_app")
    # Threads that outlive their test open this one, and leave nothing in the tree.
    app = create_app(plain_settings(folder, f"sqlite:///{folder}/none.sqlite3"))
    app.jinja_env.undefined = NoSuchAttribute
    app.test_client_class = Visitor
    return app


@contextmanager
def moved(app: Flask, folder: Path, url: str) -> Iterator[Database]:
    """Let an application work on another database and folder, with nothing left of the one before."""
    before, config = dict(app.extensions), dict(app.config)
    settings = replace(app.extensions["settings"], instance_path=folder, database_url=url)
    app.extensions["settings"] = settings
    app.extensions[STATE] = state = State(settings)
    try:
        yield state.database
    finally:
        state.database.dispose()
        app.extensions.clear()
        app.extensions.update(before)
        app.config.clear()
        app.config.update(config)


@pytest.fixture
def app(settings: Settings, request: pytest.FixtureRequest) -> Iterator[Flask]:
    """Give the application over a database of its own; a fresh one where a test chooses settings."""
    if settings != plain_settings(settings.instance_path, settings.database_url):
        yield request.getfixturevalue("fresh_app")
        return
    shared = request.getfixturevalue("shared_app")
    with moved(shared, settings.instance_path, settings.database_url):
        yield shared


@pytest.fixture
def fresh_app(settings: Settings) -> Iterator[Flask]:
    """Give an application of its own, for tests that change it."""
    app = create_app(settings)
    app.test_client_class = Visitor
    yield app
    app.extensions["touchstone"].database.dispose()


@pytest.fixture
def stored(settings: Settings) -> Iterator[Database]:
    """Give the database of `app`, to look at what a request has written."""
    database = Database(settings.database_url)
    yield database
    database.dispose()


@pytest.fixture
def making(stored: Database) -> Callable[[], AbstractContextManager[Make]]:
    """Return `with making() as make:`, which commits rows to the database of `app`."""
    return making_in(stored)


@pytest.fixture
def client(app: Flask) -> FlaskClient:
    """Return a visitor whom nobody knows."""
    return app.test_client()


@pytest.fixture
def client_of(app: Flask) -> Callable[[Person], FlaskClient]:
    """Return what signs a person in: `client_of(person).get("/")`. The password is not asked for: hashing is slow."""

    def client_of(person: Person) -> FlaskClient:
        client = app.test_client()
        with client.session_transaction() as session:
            session.permanent = True
            session["person"] = person.id
            session["epoch"] = person.session_epoch
        return client

    return client_of


@pytest.fixture
def run_command(app: Flask) -> Callable[..., Result]:
    """Return what runs a command: `run_command("import", "run", "demo", path)`."""

    def run_command(*words: Any) -> Result:
        # The `flask` command opens this context itself.
        with app.app_context():
            return app.test_cli_runner().invoke(args=[str(word) for word in words])

    return run_command
