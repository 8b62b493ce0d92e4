"""Reading takes time in proportion to the size of a file, whatever it holds; wide files are refused."""

from __future__ import annotations

import io
import json
import random
import time

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from app.formats.archives import _bounded
from app.formats.documents import read_documents
from app.formats.errors import BadValueError, ProblemLog
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
    found = READERS[kind](text.encode() if isinstance(text, str) else text, "file", log)
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


def packed(table, **options):
    file = io.BytesIO()
    parquet.write_table(table, file, compression="zstd", **options)
    return file.getvalue()


def same(text, times, more=0):
    """Return a column that has one text in all its rows, and is in the file once."""
    rows = pa.array([0] * times, pa.int32())
    columns = {"document_id": pa.DictionaryArray.from_arrays(rows, pa.array([text]))}
    noise = random.Random(5).randbytes(more).hex()
    return pa.table(columns | ({"text": pa.array([noise] + [None] * (times - 1))} if more else {}))


BOMBS = {
    "a text in each row": lambda: packed(same("x" * 100_000, 3_000_000)),
    "a long one": lambda: packed(same("x" * 20_000_000, 100_000, more=300_000)),
    "shared beginnings": lambda: packed(
        pa.table({"document_id": ["x" * 10_000] * 10_000}),
        use_dictionary=False,
        column_encoding={"document_id": "DELTA_BYTE_ARRAY"},
    ),
    "nothing": lambda: packed(pa.table({"document_id": pa.nulls(20_000_000)})),
    "one row": lambda: packed(pa.table({"document_id": ["d1"], "text": pa.array([["x"] * 3_000_000])})),
    "in structures": lambda: packed(pa.table({"document_id": pa.array([{"a": [None] * 1000}] * 3_000)})),
}


@pytest.mark.thorough
@pytest.mark.parametrize("bomb", BOMBS)
def test_a_parquet_file_that_unpacks_to_much_more_than_its_size_is_refused_at_once(bomb):
    content = BOMBS[bomb]()
    began = time.process_time()

    (problem,) = problems_of("documents", content)

    assert time.process_time() - began < SECONDS
    assert str(problem) == (
        "file: the Parquet file unpacks to more than 100 times its size or 4 GB. "
        "Write it as JSON Lines, or in parts."
    )


def test_a_spreadsheet_whose_cells_all_name_one_long_text_is_refused():
    lines = _bounded([b"x" * 30_000] * 100, taken=20_000)

    with pytest.raises(BadValueError) as refused:
        list(lines)

    assert str(refused.value.reason) == "the spreadsheet unpacks to more than 100 times its size or 4 GB"
    assert len(list(_bounded([b"x" * 30_000] * 60, taken=20_000))) == 60


def sheet_of(width):
    made, file = Workbook(), io.BytesIO()
    made.active.append([f"c{number}" for number in range(width)])
    made.active.append(["x"] * width)
    made.save(file)
    return file.getvalue()


@pytest.mark.parametrize(
    "content",
    [lambda: packed(pa.table({f"c{number}": ["x"] for number in range(1_001)})), lambda: sheet_of(1_001)],
    ids=["parquet", "xlsx"],
)
def test_a_table_of_too_many_columns_is_refused_by_its_names(content):
    (problem,) = problems_of("documents", content())

    assert problem.reason == "there are more than 1,000 columns"
    assert preview_of(content(), "documents").guess.reason.startswith("There are more than 1,000 columns.")


def test_columns_are_counted_as_they_are_or_there_are_more_than_a_thousand():
    def reason(content):
        return str(preview_of(content, "documents").guess.reason)

    assert "CSV: more than 1,000 columns separated by commas" in reason(COMMAS.encode())
    assert "CSV: 1,000 columns separated" in reason(("a," * 999 + "b\n").encode())
    long = packed(pa.table({"document_id": ["d1"], "text": [random.Random(5).randbytes(100_000).hex()]}))
    assert "Parquet file: 2 columns" in reason(long)
