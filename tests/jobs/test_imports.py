"""Imports as pages, API and commands ask for them: all or nothing, in short transactions, with progress."""

from __future__ import annotations

import weakref

import pytest
from sqlalchemy import func, select

from app.formats.errors import FormatError
from app.jobs import imports as imports_module
from app.jobs.imports import check_run, import_documents, import_judgments, import_queries, import_run
from app.jobs.settings import change_settings
from app.jobs.steps import write_import
from app.models import Candidate, Document, Judgment, Query, Ranking, Run
from app.services.collection import documents as documents_module
from app.services.collection import run_import as importing_module
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.run_files import RunOptions
from app.services.errors import InvalidError, NotFoundError
from app.services.ledger import head_of
from app.services.projects.settings import SettingChanges
from tests.furniture.factories import Make
from tests.furniture.files import corpus, file_of, run_text

DOCUMENTS = "doc_id\ttext\n" + "".join(f"n{number}\tText {number}.\n" for number in range(5))
RUN = run_text({"q1": "d1 d2 d3", "q2": "d4 d5"})


@pytest.fixture
def project(database):
    with database.write() as session:
        project = Make(session).project(k=2, pool_depth=2)
        corpus(session, project)
    return project


def rows_of(database, model):
    with database.read() as session:
        return session.scalar(select(func.count()).select_from(model))


def test_documents_are_committed_in_chunks_and_counted_while_they_are(database, project, monkeypatch):
    monkeypatch.setattr(documents_module, "CHUNK", 2)
    seen = []

    def progress(done, total):
        seen.append((done, total, rows_of(database, Document)))

    done = import_documents(database, project.id, file_of(DOCUMENTS), progress=progress)

    assert done.added == 5
    assert seen == [(2, 5, 8), (4, 5, 10), (5, 5, 11), (5, 5, 11)]


BESIDE = {
    "judgments": "query_id,query,doc_id,grade\nq1,%s,d1,3\nq2,%s,d4,1\nq2,%s,d1,1\n",
    "run": "query_id,query,doc_id,rank\nq1,%s,d1,1\nq2,%s,d4,1\nq2,%s,d1,2\n",
}


def reported(database, project, kind, data, *, check):
    """Return the columns that an import leaves out, and its hints."""
    if kind == "judgments":
        done = import_judgments(database, project.id, file_of(data), JudgmentOptions(), check=check)
    elif check:
        done = check_run(database, project.id, file_of(data), RunOptions(ranker="shop")).report
    else:
        done = import_run(database, project.id, file_of(data), RunOptions(ranker="shop")).report
    return done.columns_left_out, done.hints


@pytest.mark.parametrize("check", [True, False])
@pytest.mark.parametrize("kind", BESIDE)
class TestTextsBesideIds:
    @pytest.mark.thorough
    def test_the_first_that_is_not_that_of_its_id_is_told(self, database, project, kind, check):
        with database.read() as session:
            first, second = session.scalars(
                select(Query.text).where(Query.external_id.in_(["q1", "q2"])).order_by(Query.external_id)
            )
        data = BESIDE[kind] % (first, "blue hats", "green hats")

        names, hints = reported(database, project, kind, data, check=check)

        assert names == ("query (the id is used)",)
        (hint,) = hints
        assert hint == (
            f"Line 3 has the text “blue hats” for the question q2, whose text is “{second}”: the id is used. "
            "If the texts are right, leave out the column of ids."
        )

    @pytest.mark.thorough
    def test_nothing_is_told_of_texts_that_are_those_of_their_ids(self, database, project, kind, check):
        with database.read() as session:
            first, second = session.scalars(
                select(Query.text).where(Query.external_id.in_(["q1", "q2"])).order_by(Query.external_id)
            )
        data = BESIDE[kind] % (f" {first}", second.replace(" ", "  "), second)

        names, hints = reported(database, project, kind, data, check=check)

        assert (names, hints) == (("query (the id is used)",), ())


def test_what_was_found_of_documents_takes_no_memory_while_they_are_written(database, project, monkeypatch):
    found = []

    def read(file):
        digests = documents_module.read_document_digests(file)
        found.append(weakref.ref(digests))
        return digests

    def write(database, work, progress, finish):
        assert found[0]() is None
        return write_import(database, work, progress, finish)

    monkeypatch.setattr(imports_module, "read_document_digests", read)
    monkeypatch.setattr(imports_module, "write_import", write)

    assert import_documents(database, project.id, file_of(DOCUMENTS)).added == 5


@pytest.mark.parametrize(
    ("bring", "text", "model"),
    [
        (import_queries, "q8\tgood\nq9\t\n", Query),
        (import_documents, DOCUMENTS + "bad line without a tab\n", Document),
    ],
    ids=["queries", "documents"],
)
def test_a_bad_line_leaves_nothing_of_its_file(database, project, bring, text, model):
    before = rows_of(database, model)

    with pytest.raises(FormatError):
        bring(database, project.id, file_of(text))

    assert rows_of(database, model) == before


@pytest.mark.parametrize("line", ["q1 Q0 d9 9 1.0 tag\n", "q1 Q0 d6 9 nan tag\n", "q1 Q0 d1 9 1.0 tag\n"])
def test_a_bad_line_leaves_nothing_of_its_run(database, project, line):
    with pytest.raises(FormatError):
        import_run(database, project.id, file_of(RUN + line), RunOptions(ranker="r"))

    assert [rows_of(database, model) for model in (Run, Ranking, Candidate)] == [0, 0, 0]


def test_a_bad_line_leaves_nothing_of_its_judgments(database, project):
    with pytest.raises(FormatError):
        import_judgments(database, project.id, file_of("q1 0 d1 3\nq1 0 d2 9\n"), JudgmentOptions())

    assert [rows_of(database, model) for model in (Judgment, Candidate)] == [0, 0]


def test_a_run_is_written_in_steps(database, project, monkeypatch):
    monkeypatch.setattr(importing_module, "LISTS_A_CHUNK", 1)
    seen = []

    done = import_run(
        database,
        project.id,
        file_of(RUN),
        RunOptions(ranker="r"),
        progress=lambda done, total: seen.append((done, total)),
    )

    assert (done.version, done.new_candidates) == ("v1", 4)
    assert seen == [(0, 6), (1, 6), (2, 6), (6, 6), (6, 6)]
    assert import_run(database, project.id, file_of(RUN), RunOptions(ranker="r")).already


def test_checks_write_nothing_and_name_the_revision(database, project):
    with database.read() as session:
        before = head_of(session, project.id)

    checked = check_run(database, project.id, file_of(RUN), RunOptions(ranker="r"))
    documents = import_documents(database, project.id, file_of(DOCUMENTS), check=True)
    queries = import_queries(database, project.id, file_of("q7\tseven\n"), check=True)
    judgments = import_judgments(database, project.id, file_of("q1 0 d1 3\n"), JudgmentOptions(), check=True)

    assert (checked.revision, checked.report.new_candidates, checked.pool.chosen.answers) == (before, 4, 4)
    assert (documents.added, queries.added, judgments.added) == (5, 1, 1)
    with database.read() as session:
        assert head_of(session, project.id) == before
    assert [rows_of(database, model) for model in (Document, Query, Judgment, Run)] == [6, 2, 0, 0]


def test_the_check_of_a_registered_file_says_so(database, project):
    import_run(database, project.id, file_of(RUN), RunOptions(ranker="r"))

    checked = check_run(database, project.id, file_of(RUN), RunOptions(ranker="r"))

    assert (checked.known.version, checked.report) == ("v1", None)


def test_a_depth_is_changed_with_everything_else_or_not_at_all(database, project):
    import_run(database, project.id, file_of(RUN), RunOptions(ranker="r"))

    with pytest.raises(InvalidError):
        change_settings(database, project.id, SettingChanges(pool_depth=3, overlap=99))
    with database.read() as session:
        assert session.scalar(select(func.count()).where(Candidate.in_pool.is_(True))) == 4
    change = change_settings(database, project.id, SettingChanges(pool_depth=3, overlap=2))

    assert len(change.joins) == 1


def test_an_unknown_project_is_not_found(database):
    with pytest.raises(NotFoundError):
        import_queries(database, 99, file_of("q1\tx\n"))
