"""Reading takes time in proportion to the size of a file, whatever it holds; wide files are refused."""

from __future__ import annotations

import json
import time

import pytest

from app.formats.documents import read_documents
from app.formats.errors import ProblemLog
from app.formats.judgments import read_judgments
from app.formats.preview import preview_of
from app.formats.queries import read_queries
from app.formats.runs import read_run_columns
from app.formats.writing import write_table

# A hundred times what it takes; where time grows with the square of the size, it takes minutes or hours.
SECONDS = 30
READERS = {
    "queries": read_queries,
    "documents": read_documents,
    "judgments": read_judgments,
    "run": read_run_columns,
}
COMMAS = "," * 900_000 + "\n"
DISTINCT = ",".join(f"c{number}" for number in range(100_000)) + "\n"
WIDE_OBJECT = json.dumps({f"c{number}": 1 for number in range(60_000)}) + "\n"
LONG_NUMBER = "query_id,doc_id,rank,score\nq1,d1,1," + "1" * 40_000 + "x\n"
CONTRADICTIONS = "query_id,doc_id,rank,score\n" + "".join(
    f"q{number},d{number},1,{score}\n" for score in (1, 2) for number in range(20_000)
)


def problems_of(kind, text):
    log = ProblemLog()
    found = READERS[kind](text.encode(), "file", log)
    if kind != "run":
        list(found)
    return log.problems


@pytest.mark.thorough
@pytest.mark.parametrize("kind", READERS)
@pytest.mark.parametrize(
    ("text", "line"), [(COMMAS, 1), (DISTINCT, 1), (WIDE_OBJECT, 1)], ids=["commas", "names", "object"]
)
def test_a_file_of_too_many_columns_is_refused_at_once_in_one_sentence(kind, text, line):
    began = time.perf_counter()

    (problem,) = problems_of(kind, text)
    preview_of(text.encode(), kind)

    assert time.perf_counter() - began < SECONDS
    assert (problem.line, problem.code) == (line, "header")
    # Where only the beginning of a file was read, nobody knows how many there are.
    assert problem.reason == "there are more than 1,000 columns"
    assert len(str(problem)) < 600


def test_a_thousand_columns_are_read_and_one_more_is_not():
    names = ["doc_id", "text", *(f"c{number}" for number in range(998))]
    row = ["d1", "x", *("v" for _ in range(998))]

    assert problems_of("documents", ",".join(names) + "\n" + ",".join(row) + "\n") == []
    assert problems_of("documents", ",".join([*names, "more"]) + "\n" + ",".join([*row, "v"]) + "\n")


def test_a_problem_lists_a_few_columns_and_counts_the_others():
    (problem,) = problems_of("queries", ",".join(f"c{number}" for number in range(900)) + "\nx\n")[:1]

    assert "880 more" in problem.value or len(problem.value) <= 120
    assert len(str(problem)) < 600


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "code"), [(LONG_NUMBER, "score"), (CONTRADICTIONS, "document-twice")], ids=["digits", "twice"]
)
def test_a_hostile_run_is_refused_in_time(text, code):
    began = time.perf_counter()

    problems = problems_of("run", text)

    assert time.perf_counter() - began < SECONDS
    assert problems[0].code == code


def test_a_long_row_of_line_ends_is_written_in_time():
    began = time.perf_counter()

    written = "".join(write_table(("text",), [("a" + "\n" * 60_000 + "b",)], "csv"))

    assert time.perf_counter() - began < SECONDS
    assert len(written) > 60_000


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("judgments", '{"' + '\\"' * 60_000),
        ("queries", "<top>\n<num>1\n" + "<a " * 200_000 + "\n</top>\n"),
        ("documents", "<DOC>\n" + "<a>" * 200_000 + "\n</DOC>\n"),
        ("documents", "<DOC>\n" + "".join(f"<a{number}>" for number in range(9_000)) + "\n</DOC>\n"),
        ("judgments", "1 qid:" + "a:1 " * 200_000),
    ],
    ids=["open text", "open tags of a topic", "open tags", "many open tags", "features without a document"],
)
def test_what_another_tool_would_never_write_is_refused_in_time(kind, text):
    began = time.perf_counter()

    assert problems_of(kind, text)

    assert time.perf_counter() - began < SECONDS
