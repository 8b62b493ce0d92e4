"""Imports are seen as a whole or not at all, wherever they break off; a sweep removes what they leave."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import signal
import time
from contextlib import contextmanager

import pytest
from sqlalchemy import event
from sqlalchemy.exc import OperationalError

from app.database import Database
from app.jobs import steps
from app.jobs.imports import import_documents, import_judgments, import_queries, import_run
from app.jobs.project_export import export_project
from app.jobs.steps import sweep
from app.models import Base, Project
from app.services.bulk import batches
from app.services.collection import documents as documents_module
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import RunImport, plan_run
from app.services.errors import ConflictError
from app.services.exports.listing import rankers_page
from tests.furniture.factories import Make
from tests.furniture.files import corpus, file_of, run_text

pytestmark = pytest.mark.usefixtures("at_once")
DOCUMENTS = "doc_id\ttext\n" + "".join(f"n{number}\tText {number}.\n" for number in range(5))
EDITED = DOCUMENTS + "d1\tAnother text of d1.\nd2\tAnother text of d2.\nbare\tNow it has a text.\n"
RUN = run_text({"q1": "d1 new1 d3", "q2": "new2 d5"})
QRELS = "q1 0 d1 3\nq1 0 new1 2\nq2 0 new2 1\nq2 0 d4 0\n"
UNKNOWN = {"unknown_documents": "add"}


def bring_queries(database, project_id):
    import_queries(database, project_id, file_of("q7\tseven\nq8\teight\n"))


def bring_documents(database, project_id):
    import_documents(database, project_id, file_of(EDITED), replace=True)


def bring_run(database, project_id):
    import_run(database, project_id, file_of(RUN), RunOptions(ranker="r", **UNKNOWN))


def bring_judgments(database, project_id):
    import_judgments(database, project_id, file_of(QRELS), JudgmentOptions(**UNKNOWN))


KINDS = [bring_queries, bring_documents, bring_run, bring_judgments]
# Step by step, and the longest of them on PostgreSQL too.
EVERYWHERE = [
    *(("sqlite", bring) for bring in KINDS),
    pytest.param("postgresql", bring_run, marks=pytest.mark.postgresql),
]


def one_at_a_time(rows, _size=1):
    """Yield the documents of an import in as many steps as there are of them."""
    return batches(rows, 1)


@pytest.fixture
def database_kind():
    """Return SQLite, where a test names no other: only the longest import and the locks are tried on both."""
    return "sqlite"


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(documents_module, "CHUNK", 2)
    monkeypatch.setattr(documents_module, "batches", one_at_a_time)


@pytest.fixture
def project(database):
    with database.write() as session:
        return corpus_in(session)


def corpus_in(session):
    make = Make(session)
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    make.document(project, "bare", title="", text="")
    return project


def everything(database):
    """Return all rows of all tables, and what is on its way among them."""
    with database.read() as session:
        return {
            table.name: sorted(map(str, session.execute(table.select()).all()))
            for table in Base.metadata.sorted_tables
        }


def sweep_after_a_kill(database):
    """Sweep as soon as that is possible: PostgreSQL frees a killed process's lock a little later."""
    until = time.monotonic() + 20
    while not sweep(database):
        assert time.monotonic() < until
        time.sleep(0.05)


def seen(rows):
    """Return the rows without those that nobody sees: of no project, unpublished, outside the pool."""
    return rows | {"document": [row for row in rows["document"] if row.split(", ")[1] != "None"]}


@contextmanager
def full_after(database, statements):
    """Let the disk be full for every write after so many of them; gives back how many were asked for."""
    asked, error = [0], database.engine.dialect.dbapi.OperationalError

    def refuse(_connection, _cursor, statement, *_):
        if statement.lstrip().split(" ", 1)[0] in {"INSERT", "UPDATE", "DELETE"}:
            asked[0] += 1
            if asked[0] > statements:
                raise error("database or disk is full")

    event.listen(database.writing_engine, "before_cursor_execute", refuse)
    try:
        yield asked
    finally:
        event.remove(database.writing_engine, "before_cursor_execute", refuse)


def writes_until_published(database, bring):
    """Return how many writes an import needs, by trying it in other projects; after them it only cleans up."""
    needed = 1000
    while True:
        with database.write() as session:
            other = corpus_in(session)
        try:
            with full_after(database, needed - 1) as asked:
                bring(database, other.id)
        except OperationalError:
            sweep(database)
            return needed
        needed = min(asked[0], needed - 1)


@pytest.mark.parametrize("bring", KINDS)
@pytest.mark.thorough
def test_a_full_disk_at_the_first_or_last_or_every_third_write_leaves_nothing(database, project, bring):
    number = writes_until_published(database, bring)
    before = everything(database)
    assert number > 2
    for statements in sorted({*range(0, number, 3), number - 2, number - 1}):
        with full_after(database, statements), pytest.raises(OperationalError):
            bring(database, project.id)
        # Nothing can be removed while the disk is full, and none of it is seen.
        left = everything(database)
        for name in ("event", "ledger_head", "query", "judgment", "current_judgment", "membership"):
            assert left[name] == before[name]
        assert seen(left)["document"] == before["document"]
        sweep(database)
        assert everything(database) == before

    with full_after(database, number):
        bring(database, project.id)
    sweep(database)
    assert seen(everything(database))["document"] == everything(database)["document"]


@pytest.mark.thorough
@pytest.mark.parametrize("bring", KINDS[1:])
def test_a_disk_that_is_full_for_one_moment_leaves_nothing_at_all_by_itself(database, project, bring):
    before = everything(database)
    failed, error = [], database.engine.dialect.dbapi.OperationalError

    def refuse_one_commit(_connection):
        failed.append(True)
        if len(failed) == 2:
            raise error("database or disk is full")

    event.listen(database.writing_engine, "commit", refuse_one_commit)
    try:
        with pytest.raises((OperationalError, error)):
            bring(database, project.id)
    finally:
        event.remove(database.writing_engine, "commit", refuse_one_commit)
    after = everything(database)

    assert after | {"candidate": before["candidate"]} == before
    sweep(database)
    assert everything(database) == before


def die_at(url, project_id, number, bring, commits):
    """Import in a process that is killed at a commit."""
    database, done = Database(url), []

    def die(_connection):
        done.append(True)
        if len(done) > commits:
            os.kill(os.getpid(), signal.SIGKILL)

    documents_module.CHUNK, documents_module.batches = 2, one_at_a_time
    steps.SHORTEST_PAUSE = steps.LONGEST_PAUSE = 0
    event.listen(database.writing_engine, "commit", die)
    KINDS[number](database, project_id)


@pytest.mark.parametrize(("database_kind", "bring"), EVERYWHERE)
@pytest.mark.thorough
def test_a_kill_at_any_commit_leaves_nothing_that_is_seen_and_a_sweep_removes_the_rest(
    database, project, bring
):
    before, forked = everything(database), multiprocessing.get_context("forkserver")
    forked.set_forkserver_preload([__name__])
    for commits in range(12):
        process = forked.Process(
            target=die_at, args=(database.url, project.id, KINDS.index(bring), bring, commits)
        )
        process.start()
        process.join(60)
        if process.exitcode == 0:
            break
        assert process.exitcode == -signal.SIGKILL
        left = everything(database)
        sweep_after_a_kill(database)
        if left["event"] != before["event"]:
            break  # it was published, and killed while it cleaned up
        assert seen(left)["document"] == before["document"]
        assert everything(database) == before
    else:
        raise AssertionError("it never went through")
    after = everything(database)
    assert after == seen(after) != before


def rows_in(database, project, path):
    """Return the lines of the file of a project, without those that name a time and a checksum."""
    export_project(database, project.slug, path)
    with gzip.open(path, "rt") as file:
        return file.read().splitlines()[1:-1]


@pytest.mark.thorough
def test_what_an_import_left_is_not_in_the_file_of_the_project(database, project, tmp_path):
    # Of a ranker that is there already, of a new one, and answers that are rated outside the pool.
    import_run(database, project.id, file_of(run_text({"q1": "d1 d2"})), RunOptions(ranker="old"))
    import_judgments(database, project.id, file_of("q1 0 d6 3\n"), JudgmentOptions())
    before = rows_in(database, project, tmp_path / "before")

    for ranker in ("old", "new"):
        with database.read() as session:
            options = RunOptions(ranker=ranker, **UNKNOWN)
            plan = plan_run(
                session, session.get_one(Project, project.id), read_run_file(file_of(RUN)), options
            )
        for step in RunImport(plan, 2, None).steps():
            if step.publishes:
                break
            with database.write() as session:
                step.write(session)
    left = everything(database)
    after = rows_in(database, project, tmp_path / "after")

    with database.read() as session:
        rankers = rankers_page(session, project.id, 0, 10).items

    assert (len(left["ranker"]), len(left["run"])) == (2, 3)
    assert [(each["ranker"], each["versions"]) for each in rankers] == [("old", 1)]
    assert len(left["candidate"]) > 3
    assert after == before


@pytest.mark.thorough
def test_the_event_and_all_documents_come_in_one_commit(database, project):
    commits = []

    def look(_connection):
        commits.append(seen(everything(database)))

    # The engine may outlive this test.
    event.listen(database.writing_engine, "commit", look)
    bring_documents(database, project.id)
    event.remove(database.writing_engine, "commit", look)

    with_event = [rows["event"] for rows in commits]
    assert len(commits) > 4
    assert all(rows["document"] == commits[0]["document"] for rows in commits[:4])
    assert with_event[0] == with_event[3]
    assert len(everything(database)["event"]) == len(with_event[0]) + 2


@pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
)
def test_what_an_import_wrote_is_not_swept_while_it_is_at_work(database, project):
    with database.importing():
        with database.write() as session:
            documents_module.stage_documents(session, list(rows_of_file()))
        sweep(database)
        assert everything(database)["document"] != seen(everything(database))["document"]

    sweep(database)

    assert everything(database)["document"] == seen(everything(database))["document"]


def test_documents_that_were_swept_away_meanwhile_stop_the_publication(database, project, monkeypatch):
    publish = documents_module.DocumentImport._publish

    def lost(self, session):
        for step in documents_module.drop_staged(self._new):
            step.write(session)
        publish(self, session)

    monkeypatch.setattr(documents_module.DocumentImport, "_publish", lost)

    with pytest.raises(ConflictError, match="start it again"):
        bring_documents(database, project.id)


def rows_of_file():
    from app.formats.documents import read_documents
    from app.formats.errors import ProblemLog

    file = file_of(DOCUMENTS)
    return read_documents(file.content, file.name, ProblemLog())
