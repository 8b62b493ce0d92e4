"""Work on uploads: what was killed is found and taken up again, and what nobody wants is swept away."""

from __future__ import annotations

import hashlib
import os
import time
import zipfile
from datetime import timedelta

import pytest
from openpyxl import Workbook
from sqlalchemy import select, text

from app.formats.errors import ProblemLog
from app.formats.source import Source
from app.jobs.uploads import (
    check_upload,
    import_upload,
    importing,
    resume_uploads,
    tidy_uploads,
    watching,
    work,
)
from app.jobs.uploads.watching import watched
from app.models import Document, Event, EventKind, Query, Upload, now_utc
from app.services.collection import documents
from app.services.uploads import OPEN, NewUpload, begin_next, has_changed, record_upload, turn_upload
from tests.furniture.factories import making_in

pytestmark = pytest.mark.everyday

QUERIES = b"query_id,text\nq1,how do I mend a tyre\nq2,do you buy old bikes\n"


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "uploads"
    folder.mkdir()
    return folder


@pytest.fixture
def project(database):
    with making_in(database)() as make:
        project = make.project()
        project.owner = make.member(project, "owner").id
    return project


@pytest.fixture
def arrived(database, folder, project):
    """Return what makes a file arrive in a state; it returns the upload's id."""

    def arrived(state="checking", content=QUERIES, kind="queries", name="q.csv", **options):
        new = NewUpload(
            kind=kind, name=name, size=len(content), sha256=hashlib.sha256(content).digest(), options=options
        )
        with database.write() as session:
            upload = record_upload(session, project.id, project.owner, new)
            upload.state = state
        (folder / upload.id).write_bytes(content)
        return upload.id

    return arrived


def row(database, upload_id):
    with database.read() as session:
        return session.get(Upload, upload_id)


def queries(database):
    with database.read() as session:
        return sorted(session.scalars(select(Query.external_id)))


@pytest.mark.thorough
def test_a_check_says_what_would_happen_and_at_which_revision(database, folder, arrived):
    upload = arrived()

    check_upload(database, folder, upload)

    found = row(database, upload)
    assert found.state == "checked"
    assert found.report["counts"]["added"] == 2
    assert found.checked_revision == 1
    assert queries(database) == []


def test_an_import_ends_with_its_counts_and_without_its_file(database, folder, arrived):
    upload = arrived("importing")

    import_upload(database, folder, upload)

    found = row(database, upload)
    assert (found.state, found.report["done"]["added"]) == ("done", 2)
    assert queries(database) == ["q1", "q2"]
    assert not (folder / upload).exists()
    with database.read() as session:
        event = session.get_one(Event, (found.project_id, found.report["done"]["revision"]))
        assert event.payload["file"] == "q.csv"


@pytest.mark.thorough
@pytest.mark.parametrize("state", ["waiting", "checked", "done", "cancelled", "failed"])
def test_work_that_nobody_waits_for_is_not_done(database, folder, arrived, state):
    upload = arrived(state)

    check_upload(database, folder, upload)
    import_upload(database, folder, upload)
    check_upload(database, folder, "no-such-upload")

    assert row(database, upload).state == state
    assert queries(database) == []


def test_the_same_work_twice_is_done_once(database, folder, arrived):
    upload = arrived("importing")
    import_upload(database, folder, upload)

    import_upload(database, folder, upload)

    assert row(database, upload).report["done"]["added"] == 2


@pytest.mark.thorough
def test_an_import_killed_before_it_was_noted_is_done_again_and_nothing_is_doubled(database, folder, arrived):
    upload = arrived("importing")
    import_upload(database, folder, upload)
    with database.write() as session:
        session.get(Upload, upload).state = "importing"
    (folder / upload).write_bytes(QUERIES)

    for upload_id, state in resume_uploads(database, folder):
        assert (upload_id, state) == (upload, "importing")
        import_upload(database, folder, upload_id)

    assert row(database, upload).report["done"]["unchanged"] == 2
    assert queries(database) == ["q1", "q2"]


def test_killed_work_whose_file_is_gone_is_taken_up_unless_another_machine_may_have_it(
    database, folder, arrived
):
    here, elsewhere, untouched = arrived("checking"), arrived("importing"), arrived("waiting")
    arrived("checked")
    (folder / elsewhere).unlink()

    gone = [(elsewhere, "importing")] if database.is_sqlite else []
    assert resume_uploads(database, folder) == [(here, "checking"), *gone, (untouched, "checking")]
    assert row(database, untouched).state == "checking"
    import_upload(database, folder, elsewhere)
    (problem,) = row(database, elsewhere).report["problems"]
    assert problem["remedy"] == "Choose the file again."


def test_work_that_kills_its_process_again_and_again_is_given_up(database, folder, arrived):
    upload = arrived("checking", attempts=3)

    check_upload(database, folder, upload)

    found = row(database, upload)
    assert found.state == "failed"
    assert "Nothing was saved" in found.report["refusal"]


def test_a_failure_of_our_own_is_said_logged_and_saves_nothing(database, folder, arrived, monkeypatch):
    logged = []
    monkeypatch.setattr(work.log, "exception", lambda *message: logged.append(message))
    monkeypatch.setitem(import_upload.__globals__["IMPORTS"], "queries", lambda *_: 1 / 0)
    upload = arrived("importing")

    import_upload(database, folder, upload)

    assert row(database, upload).state == "failed"
    assert logged == [("upload %s failed", upload)]
    assert queries(database) == []


def test_what_the_database_refuses_for_another_reason_is_no_change_by_others(
    database, folder, arrived, monkeypatch
):
    logged = []
    monkeypatch.setattr(work.log, "exception", lambda *message: logged.append(message))
    with database.write() as session:
        session.execute(
            text("ALTER TABLE query ADD COLUMN colour INTEGER NOT NULL DEFAULT 0 CHECK (colour = 1)")
        )
    upload = arrived("importing")

    import_upload(database, folder, upload)

    assert row(database, upload).state == "failed"
    assert "Something went wrong on our side" in row(database, upload).report["refusal"]
    assert logged == [("upload %s failed", upload)]


def test_a_check_that_was_cancelled_meanwhile_stays_cancelled(database, folder, arrived, monkeypatch):
    upload = arrived()

    def cancelling(*_):
        with database.write() as session:
            assert turn_upload(session, upload, ["checking"], "cancelled")
        return {}

    monkeypatch.setitem(check_upload.__globals__["CHECKS"], "queries", cancelling)
    check_upload(database, folder, upload)

    assert row(database, upload).state == "cancelled"


def test_progress_is_written_while_a_file_is_read(database, folder, arrived, monkeypatch):
    monkeypatch.setattr(watching, "EVERY_SECONDS", 0)
    upload = arrived()
    seen = []
    monkeypatch.setattr(watching, "note_progress", lambda _session, *message: seen.append(message))

    check_upload(database, folder, upload)

    assert (upload, len(QUERIES), len(QUERIES)) in seen


@pytest.mark.thorough
def test_a_file_with_problems_keeps_them_and_waits(database, folder, arrived):
    upload = arrived(content=b"query_id,text\nq1,\nq2,\n")

    check_upload(database, folder, upload)

    found = row(database, upload)
    assert found.state == "checked"
    assert [problem["line"] for problem in found.report["problems"]] == [2, 3]


def test_ratings_are_no_change_and_new_questions_are(database, project, folder, arrived):
    with database.read() as session:
        assert not has_changed(session, project.id, 1)
        assert has_changed(session, project.id, None)

    import_upload(database, folder, arrived("importing"))

    with database.read() as session:
        assert has_changed(session, project.id, 1)
        assert not has_changed(session, project.id, 2)


class TestTidying:
    def test_what_waited_too_long_goes_with_its_file(self, database, folder, arrived):
        old, young = arrived("checked"), arrived("checked")
        with database.write() as session:
            session.get(Upload, old).expires_at = now_utc() - timedelta(seconds=1)
        self.age(folder)

        tidy_uploads(database, folder)

        assert row(database, old) is None
        assert [path.name for path in folder.iterdir()] == [young]

    def test_files_that_just_arrive_are_left_alone(self, database, folder):
        (folder / "arriving.part").write_bytes(b"x")

        tidy_uploads(database, folder)

        assert (folder / "arriving.part").exists()

    def test_finished_imports_keep_their_line_and_no_file(self, database, folder, arrived):
        done = arrived("done")
        with database.write() as session:
            session.get(Upload, done).expires_at = now_utc() - timedelta(days=9)
        self.age(folder)

        tidy_uploads(database, folder)

        assert row(database, done).state == "done"
        assert list(folder.iterdir()) == []

    def test_a_folder_that_is_not_there_is_no_problem(self, database, tmp_path):
        tidy_uploads(database, tmp_path / "nowhere")

    def age(self, folder):
        long_ago = time.time() - 7 * 3600
        for path in folder.iterdir():
            os.utime(path, (long_ago, long_ago))


@pytest.mark.thorough
def test_files_chosen_together_follow_each_other_in_order_and_wait_through_a_restart(
    database, folder, arrived
):
    group = {"group": "g", "goes_on": True}
    answers = arrived("waiting", b"doc_id,text\nd1,Turn it.\n", "documents", "a.csv", **group)
    questions = arrived("waiting", **group)
    with database.write() as session:
        begun = begin_next(session, session.get_one(Upload, answers))

    assert begun.id == questions
    assert resume_uploads(database, folder) == [(questions, "checking")]
    check_upload(database, folder, questions)
    assert (row(database, questions).state, row(database, answers).state) == ("importing", "waiting")
    import_upload(database, folder, questions)
    assert (row(database, questions).state, row(database, answers).state) == ("done", "checking")


ANSWERS = b"doc_id,text\n" + b"".join(b"d%d,Turn it.\n" % number for number in range(9))


@pytest.mark.thorough
@pytest.mark.parametrize(("kind", "content"), [("queries", QUERIES), ("documents", ANSWERS)])
def test_an_import_that_is_cancelled_while_it_writes_leaves_nothing(
    database, folder, arrived, monkeypatch, kind, content
):
    upload = arrived("importing", content, kind)
    monkeypatch.setattr(watching, "EVERY_SECONDS", 0)
    monkeypatch.setattr(documents, "CHUNK", 2)
    begun = importing.begin_work

    def begin_and_cancel(*args):
        found = begun(*args)
        with database.write() as session:
            assert turn_upload(session, upload, OPEN, "cancelled")
        return found

    monkeypatch.setattr(importing, "begin_work", begin_and_cancel)
    import_upload(database, folder, upload)

    assert row(database, upload).state == "cancelled"
    with database.read() as session:
        assert session.scalars(select(Query.id)).all() == session.scalars(select(Document.id)).all() == []
        assert EventKind.DOCUMENTS_ADDED not in session.scalars(select(Event.kind)).all()


@pytest.mark.thorough
def test_what_an_archive_holds_tells_how_far_it_is_read(tmp_path):
    lines = b"".join(b"q%d\ttext %d\n" % (number, number) for number in range(60_000))
    packed = tmp_path / "a.zip"
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.tsv", lines)
    book = Workbook()
    for number in range(2_500):
        book.active.append([f"q{number}", "text"])
    book.save(tmp_path / "a.xlsx")

    def shares_of(path):
        told = []
        found = watched(path, path.stat().st_size, lambda done, whole: told.append(done / whole))
        assert sum(1 for _ in Source(found, "a", ProblemLog()).lines()) > 2_000
        return told

    for path in (packed, tmp_path / "a.xlsx"):
        shares = shares_of(path)
        assert len(shares) > 1
        assert shares == sorted(shares)
        assert 0 < shares[0] < shares[-1] <= 1
