"""One build of the demo's plan, and one database with it, for all tests that only read them."""

from __future__ import annotations

import shutil

import pytest

from app.database import Database
from app.demo.plan import build_plan
from app.demo.writing import write_plan
from app.services.projects.projects import get_project


@pytest.fixture(scope="session")
def plan():
    return build_plan()


@pytest.fixture(scope="session")
def loaded(plan, sqlite_template, tmp_path_factory):
    """Give a database that holds the demo; tests read it and write nothing."""
    path = shutil.copyfile(sqlite_template, tmp_path_factory.mktemp("demo") / "demo.sqlite3")
    database = Database(f"sqlite:///{path}")
    with database.write() as session:
        write_plan(session, plan)
    yield database
    database.dispose()


@pytest.fixture(scope="session")
def demo_id(loaded):
    with loaded.read() as session:
        return get_project(session, "kettle-lane").id
