"""Files with more unknown ids than a memory should hold: not read to their end, and said so."""

from __future__ import annotations

import json
from contextlib import nullcontext

import pytest

from app.formats.errors import PROBLEMS_KEPT, FormatError
from app.jobs.imports import (
    check_run,
    import_documents,
    import_judgments,
    import_queries,
    import_run,
    read_run,
)
from app.services.collection import unknown_ids
from app.services.collection.judgment_files import JudgmentOptions, read_judgment_file
from app.services.collection.judgment_import import plan_judgments
from app.services.collection.run_files import RunOptions
from app.services.collection.unknown_ids import UnknownGuard, known_queries
from app.services.errors import ConflictError, InvalidError
from tests.furniture.factories import Make
from tests.furniture.files import corpus, file_of

MOST = 2_000
LINES = 24_000
# What is read at once, in lines of these files.
BLOCK = 16_000
TREC = "q1 Q0 new{0} {0} 1 tag\n"
CSV = "q1,new{0},{0}\n"
QRELS = "q1 0 new{0} 1\n"
GRADES = "q1,new{0},1\n"
HEADERS = {CSV: "query_id,doc_id,rank\n", GRADES: "query_id,doc_id,grade\n"}


def file_with(line, lines=LINES):
    return file_of(HEADERS.get(line, "") + "".join(line.format(number) for number in range(1, lines + 1)))


@pytest.fixture
def database_kind():
    """Return SQLite, where a test names no other: what is kept of a file is decided before the database."""
    return "sqlite"


@pytest.fixture
def project(database, monkeypatch):
    monkeypatch.setattr(unknown_ids, "MOST_UNKNOWN", MOST)
    with database.write() as session:
        project = Make(session).project(k=2, pool_depth=2)
        corpus(session, project)
    return project


@pytest.mark.thorough
@pytest.mark.parametrize("line", [TREC, CSV])
def test_of_a_run_no_more_ids_are_kept_than_can_be_told(database, project, line):
    lists = read_run(database, project.id, file_with(line), RunOptions(ranker="r"))

    assert MOST < len(lists.document_ids) <= MOST + BLOCK
    assert lists.lines == len(lists.document_ids)


def test_of_a_run_no_more_queries_are_kept_than_can_be_told(database, project):
    file = file_with("new{0} Q0 d1 {0} 1 tag\n")

    lists = read_run(database, project.id, file, RunOptions(ranker="r", unknown_documents="add"))

    assert MOST < len(lists.query_ids) <= MOST + BLOCK


@pytest.mark.thorough
@pytest.mark.parametrize("line", [QRELS, GRADES, "new{0} 0 d1 1\n"])
def test_of_ratings_no_more_ids_are_kept_than_can_be_told(database, project, line):
    options = JudgmentOptions()
    guard = UnknownGuard(database.read, project.id, options)

    found = read_judgment_file(file_with(line), options, guard)

    assert MOST < len(found.query_ids) + len(found.document_ids) <= MOST + BLOCK


@pytest.mark.thorough
@pytest.mark.parametrize("bring", [import_run, check_run])
def test_what_is_told_of_a_file_that_was_not_read_to_its_end_is_the_least(database, project, bring):
    twice = file_with(TREC + TREC.replace("q1", "q2"))

    with pytest.raises(FormatError, match="at least") as refused:
        bring(database, project.id, twice, RunOptions(ranker="r"))

    error = refused.value
    assert MOST < error.total <= LINES
    assert MOST < error.stopped_at < 2 * LINES
    assert len(error.problems) == PROBLEMS_KEPT
    assert error.problems[0].reason == ("the project has no document with this id (used on at least 2 lines)")


def test_a_file_that_is_read_to_its_end_tells_every_number_exactly(database, project):
    twice = file_with(QRELS + QRELS.replace("q1", "q2"), lines=150)

    with pytest.raises(FormatError) as refused:
        import_judgments(database, project.id, twice, JudgmentOptions())

    assert (refused.value.total, refused.value.stopped_at) == (150, None)
    assert refused.value.problems[0].reason == "the project has no document with this id (used on 2 lines)"


@pytest.mark.thorough
def test_a_file_of_known_documents_is_read_to_its_end(database, project):
    texts = "doc_id\ttext\n" + "".join(f"new{number}\tText {number}.\n" for number in range(1, 3 * MOST + 1))
    import_documents(database, project.id, file_of(texts))

    done = import_run(database, project.id, file_with(CSV, 3 * MOST), RunOptions(ranker="r"))

    assert done.report.lines == 3 * MOST


@pytest.mark.thorough
def test_documents_may_be_unknown_where_they_are_added_or_their_lists_are_skipped(database, project):
    file = file_with("q9 Q0 new{0} {0} 1 tag\n" + TREC.replace("new", "added"))
    options = RunOptions(ranker="r", unknown_documents="add", unknown_queries="skip")

    report = check_run(database, project.id, file, options).report

    assert (report.lines, report.new_documents, report.skipped_queries) == (LINES, LINES, 1)


SKIPS = RunOptions(ranker="r", unknown_documents="add", unknown_queries="skip")


@pytest.mark.thorough
@pytest.mark.parametrize("line", ["zz{0} Q0 d{0} 1 5 big\n", "zz{0},d{0},1\n"])
def test_of_a_run_nothing_is_kept_of_lists_that_are_skipped(database, project, line):
    known = line.format("", "").replace("zz", "q1").replace("d", "d1", 1)
    head = "query_id,doc_id,rank\n" if "," in line else ""
    file = file_of(head + known + "".join(line.format(number) for number in range(1, LINES)))

    lists = read_run(database, project.id, file, SKIPS)
    report = check_run(database, project.id, file, SKIPS).report

    assert (lists.query_ids, list(lists.document_ids), lists.lines) == (["q1"], ["d1"], 1)
    assert (report.lines, report.skipped_queries, report.skipped_lines) == (1, MOST, LINES - 1)
    assert "Skipped: at least 2,000 lists for queries that the project does not have, with 23,999 lines." in (
        report.warnings
    )


def test_few_skipped_lists_are_counted_exactly(database, project):
    file = file_of("q1 Q0 d1 1 5 t\n" + "".join(f"zz{n % 7} Q0 d{n} {n} -{n} t\n" for n in range(70)))

    report = check_run(database, project.id, file, SKIPS).report

    assert (report.skipped_queries, report.skipped_lines) == (7, 70)
    assert any(each.startswith("Skipped: 7 lists") for each in report.warnings)


@pytest.mark.parametrize("text", ["zz Q0 d1 1 5 t\n", "query_id,doc_id,rank\nzz,d1,1\n"])
def test_a_run_all_of_whose_lists_are_skipped_answers_nothing(database, project, text):
    with pytest.raises(InvalidError, match="answers none"):
        check_run(database, project.id, file_of(text), SKIPS)


def test_a_bad_line_of_a_skipped_list_is_still_refused(database, project):
    with pytest.raises(FormatError) as refused:
        check_run(database, project.id, file_of("q1 Q0 d1 1 5 t\nzz Q0 d1 1 high t\n"), SKIPS)

    assert [(problem.line, problem.code) for problem in refused.value.problems] == [(2, "score")]


def test_documents_that_may_not_be_unknown_are_few_where_queries_are_skipped(database, project):
    options = RunOptions(ranker="r", unknown_queries="skip")

    lists = read_run(database, project.id, file_with(TREC), options)

    assert MOST < len(lists.document_ids) <= MOST + BLOCK


@pytest.mark.thorough
@pytest.mark.parametrize("line", ["zz{0} 0 d{0} 1\n", "zz{0},d{0},1\n"])
def test_of_ratings_nothing_is_kept_of_lines_that_are_skipped(database, project, line):
    options = JudgmentOptions(unknown_documents="add", unknown_queries="skip")
    head = "query_id,doc_id,grade\nq1,d1,1\n" if "," in line else "q1 0 d1 1\n"
    file = file_of(head + "".join(line.format(number) for number in range(1, LINES)))

    keeps = known_queries(database.read, project.id, options)
    found = read_judgment_file(file, options, keeps=keeps)
    done = import_judgments(database, project.id, file, options, check=True)

    assert (found.query_ids, list(found.document_ids), len(found)) == (["q1"], ["d1"], 1)
    assert (done.added, done.skipped_lines, keeps.left_out) == (1, LINES - 1, MOST)


def test_a_query_that_is_named_by_its_text_is_not_skipped(database, project):
    file = file_of("query,docid,rating\nHow do I mend part 1?,d1,1\nHow do I mend it?,d2,1\n", "r.csv")
    options = JudgmentOptions(unknown_queries="skip")

    done = import_judgments(database, project.id, file, options, check=True)

    assert (done.added, done.skipped_lines) == (1, 1)


@pytest.mark.parametrize(
    "database_kind", ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgresql)]
)
def test_ratings_skipped_before_are_taken_once_their_query_is_there_also_from_one_line(database, project):
    rows = [("zz", "d1", 1), ("zz", "d1", 1), ("zz", "d2", 2), ("q1", "d1", 3), ("q1", "d2", 0)]
    text = json.dumps([{"query_id": q, "doc_id": d, "grade": grade} for q, d, grade in rows])
    file, options = file_of(text, "ratings.json"), JudgmentOptions(unknown_queries="skip")

    first = import_judgments(database, project.id, file, options)
    import_queries(database, project.id, file_of("zz\tHow do I mend the rest?\n"))
    second = import_judgments(database, project.id, file, options)

    assert (first.added, first.skipped_lines) == (2, 3)
    assert (second.added, second.unchanged, second.repeated) == (2, 2, 1)


def test_a_half_read_file_is_refused_even_if_its_ids_became_known_meanwhile(database, project):
    asked = []

    class Impatient(UnknownGuard):
        def __call__(self, queries, documents):
            asked.append(len(documents))
            return len(documents) == 2

    options = JudgmentOptions()
    guard = Impatient(nullcontext, project.id, options)
    found = read_judgment_file(file_of("q1 0 d1 1\nq1 0 d2 1\nq1 0 d3 1\n"), options, guard)

    with database.read() as session, pytest.raises(ConflictError):
        plan_judgments(session, session.merge(project), found, options)
    assert asked == [1, 2]
