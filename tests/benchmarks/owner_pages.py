"""Pages of an owner, asked for in one process without a network: what the benchmarks of the dashboard share."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from app.database import Database
from app.migrating import upgrade_schema
from app.models import Person
from tests.benchmarks.made_projects import Shape, make_project
from tests.benchmarks.timing import Taken

if TYPE_CHECKING:
    from pathlib import Path

    from flask import Flask
    from flask.testing import FlaskClient


def made_once(folder: Path, shape: Shape) -> Path:
    """Return the database of a project in a folder, made if it is not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{shape.slug}.sqlite3"
    if not file.exists():
        fresh = file.with_suffix(".new")
        fresh.unlink(missing_ok=True)
        database = Database(f"sqlite:///{fresh}")
        upgrade_schema(database)
        make_project(database, replace(shape))
        database.dispose()
        with sqlite3.connect(fresh) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        fresh.rename(file)
    return file


def signed_in(app: Flask, database: Database, person_id: int) -> FlaskClient:
    """Return a client in which somebody is signed in."""
    with database.read() as session:
        epoch = session.get_one(Person, person_id).session_epoch
    client = app.test_client()
    with client.session_transaction() as held:
        held["person"], held["epoch"] = person_id, epoch
        held.permanent = True
    return client


def seconds_of(client: FlaskClient, path: str, headers: Any = None, *, wanted: int = 200) -> Taken:
    """Return how long one request takes; it has to be answered as wanted."""
    started, worked = time.perf_counter(), time.process_time()
    response = client.get(path, headers=headers or {})
    taken = Taken(time.perf_counter() - started, time.process_time() - worked)
    if response.status_code != wanted:
        raise RuntimeError(f"{path} answered {response.status_code}, not {wanted}")
    return taken
