"""Uploads that wait for work, and workers that do it."""

from __future__ import annotations

import hashlib
import time

import pytest

from app.database import Database
from app.jobs import steps
from app.jobs.project_export import export_project
from app.jobs.worker import Worker
from app.models import Upload
from app.services.uploads import NewUpload, record_upload
from tests.furniture.factories import making_in

QUERIES = b"query_id,text\nq1,how do I mend a tyre\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "uploads").mkdir()
    return tmp_path


@pytest.fixture
def arrived(stored, folder):
    """Return what makes a file of a new owner arrive in a state; it returns the upload's id."""

    def arrived(state, padding=b""):
        content = QUERIES + padding
        new = NewUpload(
            kind="queries",
            name="q.csv",
            size=len(content),
            sha256=hashlib.sha256(content).digest(),
            options={},
        )
        with making_in(stored)() as make:
            project = make.project()
            upload = record_upload(make.session, project.id, make.member(project, "owner").id, new)
            upload.state = state
        (folder / "uploads" / upload.id).write_bytes(content)
        return upload.id

    return arrived


@pytest.fixture
def new_worker(stored, folder):
    """Return what makes a worker that is stopped at the end of the test."""
    made = []

    def new_worker(**values):
        made.append(Worker(stored, folder, **values))
        return made[-1]

    yield new_worker
    for worker in made:
        worker.stop()


@pytest.fixture
def wait_until():
    """Return what waits until something is so."""

    def wait_until(is_so):
        for _ in range(2400):  # a busy machine takes long to start a process
            if is_so():
                return
            time.sleep(0.05)
        raise AssertionError("it is still not so")

    return wait_until


@pytest.fixture
def wait_for(stored, wait_until):
    """Return what waits for a state of an upload, and returns its row."""

    def row(upload_id):
        with stored.read() as session:
            return session.get(Upload, upload_id)

    def wait_for(upload_id, state):
        wait_until(lambda: row(upload_id).state == state)
        return row(upload_id)

    return wait_for


@pytest.fixture
def full(two_projects, tmp_path):
    """Give a database with two projects, with rows in every table; `there` is the one that is moved."""
    database = Database(two_projects.copy_to(tmp_path))
    yield database
    database.dispose()


@pytest.fixture
def at_once(monkeypatch):
    """Leave no pauses between steps."""
    monkeypatch.setattr(steps, "SHORTEST_PAUSE", 0)
    monkeypatch.setattr(steps, "LONGEST_PAUSE", 0)


@pytest.fixture
def file(full, tmp_path):
    """Return the path of a file with a whole project and the addresses of its people."""
    path = tmp_path / "there.touchstone"
    export_project(full, "there", path, by_email=True)
    return path
