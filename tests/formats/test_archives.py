"""Zip archives, spreadsheets and Parquet files are read as the text or the rows that they hold."""

import io
import json
import sys
import zipfile
from datetime import UTC, datetime

import pyarrow as pa
import pytest
from openpyxl import Workbook
from pyarrow import parquet

from app.formats.archives import Unpacked
from app.formats.errors import BadValueError, FormatError
from tests.formats.reading import found, guessed, read, rows_of

TABLE = [
    ["query", "docid", "rating", None],
    ["red shoes", 7, 3, None],
    [None] * 4,
    ["red shoes", 8.0, 0.0, "x"],
]
SOLR = json.dumps({"response": {"docs": [{"id": "d1"}]}}, indent=1)


def packed(**files):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            # Of a fixed time: the same bytes whenever the tests run.
            member = zipfile.ZipInfo(name)
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, content)
    return file.getvalue()


def sheet(*tables):
    book = Workbook()
    book.remove(book.active)
    for rows in tables:
        page = book.create_sheet()
        for row in rows:
            page.append(row)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def packed_with(data, before, after):
    """Return a workbook with other bytes in the XML of its sheets."""
    old = zipfile.ZipFile(io.BytesIO(data))
    return packed(**{name: old.read(name).replace(before, after) for name in old.namelist()})


def test_a_spreadsheet_is_read_row_by_row():
    data = sheet(TABLE, [])

    assert [(row.query_id, row.document_id, row.grade, row.line) for row in rows_of("judgments", data)] == [
        ("red shoes", "7", 3, 2),
        ("red shoes", "8", 0, 4),
    ]
    guess = guessed(data, "judgments")
    assert guess.reason == "Looks like a spreadsheet: 3 columns, names in the first row."
    assert guess.encoding == "Read as a spreadsheet."
    (row,) = rows_of("judgments", sheet([[*TABLE[0][:3], "judged_at"], ["a", "d", 1, datetime(2026, 1, 2)]]))
    assert row.judged_at == datetime(2026, 1, 2, tzinfo=UTC)


def test_what_a_sheet_says_of_its_size_is_not_believed():
    data = packed_with(sheet([row[:3] for row in TABLE]), b'ref="A1:C4"', b'ref="A1:B2"')

    assert [row.grade for row in rows_of("judgments", data)] == [3, 0]


def test_what_is_wrong_in_a_spreadsheet_has_its_row():
    assert found("judgments", sheet([*TABLE, ["red shoes", 9, "good", None]])) == [(5, "off-scale")]


def test_an_archive_of_one_file_or_several_is_read_as_one():
    first, second = "query_id,doc_id,score\nq1,d1,2\nq1,d2,1", "query_id,doc_id,score\nq2,d1,1\n"
    data = packed(**{"a.csv": first, "__MACOSX/a.csv": "x", "b.csv": "\ufeff" + second})

    assert [(row.query_id, row.document_id) for row in rows_of("run", data)] == [
        ("q1", "d1"),
        ("q1", "d2"),
        ("q2", "d1"),
    ]
    assert guessed(data, "run").encoding == "Read as a zip archive of 2 files."


NAMED = "query_id,doc_id,{}\n"
MANY = {
    "names of columns in each": (
        "judgments",
        {
            "a.csv": NAMED.format("grade") + "q1,d1,3\nq1,d2,3",
            "b.csv": NAMED.format("grade") + "q2,d1,3\nq2,d2,x",
        },
        "b.csv in file.txt, line 3: the grade is not a number: 'x'",
    ),
    "an earlier file": (
        "judgments",
        {"a.csv": NAMED.format("grade") + "q1,d1,x\nq1,d2,3", "b.csv": NAMED.format("grade") + "q2,d1,3\n"},
        "a.csv in file.txt, line 2: the grade is not a number: 'x'",
    ),
    "no names of columns": (
        "run",
        {"x/a.run": "q1 Q0 d1 1 3 t\nq1 Q0 d2 2 2 t\n", "x/b.run": "q2 Q0 d1 1 3 t\nq2 Q0 d2 2 nan t\n"},
        "x/b.run in file.txt, line 2: the score is not a number: 'nan'",
    ),
    "carriage returns": (
        "judgments",
        {"a.csv": "query_id,doc_id,grade\rq1,d1,3\rq1,d2,3\r", "b.csv": "query_id,doc_id,grade\rq2,d2,x\r"},
        "b.csv in file.txt, line 2: the grade is not a number: 'x'",
    ),
    "another line": (
        "judgments",
        {"a.csv": NAMED.format("grade") + "q1,d1,3\n", "b.csv": NAMED.format("grade") + "q1,d1,2\n"},
        "b.csv in file.txt, line 2: line 2 of a.csv gives this answer another rating: 'q1 d1'",
    ),
    "another line of a run": (
        "run",
        {"a.csv": NAMED.format("score") + "q1,d1,3\n", "b.csv": NAMED.format("score") + "q1,d1,2\n"},
        "b.csv in file.txt, line 2: the query has this document already, on line 2 of a.csv: 'q1 d1'",
    ),
    "whole values": (
        "run",
        {"a.json": SOLR, "b.json": SOLR.replace('"id": "d1"', '"id": ""')},
        "b.json in file.txt, line 1: the document id is empty",
    ),
}


@pytest.mark.parametrize("name", MANY)
def test_what_is_wrong_in_an_archive_names_the_file_and_its_own_line(name):
    kind, files, told = MANY[name]

    _, log = read(kind, packed(**files))

    assert str(log.problems[0]).startswith(told)


def test_problems_of_an_archive_are_in_the_order_of_its_files():
    bad = "query_id,doc_id,grade\nq1,d1,{}\nq1,d1,{}\n"
    _, log = read("judgments", packed(**{"b.csv": bad.format("x", "y"), "a.csv": bad.format("x", "y")}))
    log.problems.reverse()

    with pytest.raises(FormatError) as caught:
        log.raise_if_any()

    assert [(each.member, each.line) for each in caught.value.problems] == [
        ("b.csv", 2),
        ("b.csv", 3),
        ("a.csv", 2),
        ("a.csv", 3),
    ]


def test_the_only_file_of_an_archive_is_not_named():
    _, log = read("judgments", packed(**{"a.csv": "query_id,doc_id,grade\nq1,d1,x\n"}))

    assert str(log.problems[0]).startswith("file.txt, line 2: ")


def test_each_file_of_searches_answers_the_query_that_names_it():
    data = packed(**{"searches/red shoes.json": SOLR, "searches/blue hat.json": SOLR})

    assert [(row.query_id, row.document_id) for row in rows_of("run", data)] == [
        ("red shoes", "d1"),
        ("blue hat", "d1"),
    ]


def test_a_parquet_file_is_read(tmp_path):
    path = tmp_path / "a.parquet"
    parquet.write_table(pa.table({"_id": ["1", "2"], "title": ["", "b"], "text": ["x", None]}), path)

    rows = rows_of("documents", path.read_bytes())

    assert [(row.document_id, row.title, row.text) for row in rows] == [("1", "", "x"), ("2", "b", "")]


def test_of_a_spreadsheet_one_sheet_is_read_at_a_time():
    with pytest.raises(BadValueError) as refused:
        list(Unpacked(io.BytesIO(sheet(TABLE, TABLE)), ["Sheet", "Sheet1"]).blocks())

    assert str(refused.value) == "only one sheet of a spreadsheet is read at a time"
    assert refused.value.remedy == "Name one of them, and then the next."


@pytest.mark.parametrize(("package", "data"), [("openpyxl", sheet(TABLE)), ("pyarrow", b"PAR1....PAR1")])
def test_a_missing_reader_is_named_in_one_sentence(package, data, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)

    _, log = read("judgments", data)

    (problem,) = log.problems
    assert f"{package}, which reads it, is not installed here" in problem.reason
    assert problem.remedy.startswith(f"Install it with pip install {package}, or ")


BEIR = packed(
    **{"x/corpus.jsonl": '{"_id": "d", "text": "x"}', "x/queries.jsonl": '{"_id": "q", "text": "y"}'}
)
BAD = {
    "a whole collection": (BEIR, "files of several kinds: 'corpus.jsonl, queries.jsonl'"),
    "other endings": (packed(**{"a.csv": "query,docid,rating\na,d,1\n", "README.md": "x"}), "several kinds"),
    "cut off": (packed(a="x" * 999)[:60], "cannot be read"),
    "damaged": (packed(a="abc" * 9).replace(b"a", b"b", 1), "cannot be read"),
    "nothing in it": (packed(**{"folder/": ""}), "it holds no file"),
    "no file at all": (packed(), "zip archive without files"),
    "packed again": (packed(a=packed(b="x")), "zip archive in another one"),
    "a bomb": (packed(a="0" * 3_000_000), "100 times its size"),
    "two sheets": (sheet(TABLE, TABLE), "2 sheets with content"),
    "no sheet with content": (sheet([]), "no sheet of the spreadsheet has names of columns"),
    "a document": (
        packed(**{"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": "<x/>"}),
        "Word and similar files cannot be read",
    ),
    "a workbook that is none": (packed(**{"xl/workbook.xml": "<x/>"}), "the spreadsheet cannot be read"),
    "other columns": (
        packed(**{"a.csv": "query,docid,rating\na,d,1\n", "b.csv": "a,b,c,d\n1,2,3,4\n"}),
        "4 cells",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_archive_is_refused_with_its_reason(name):
    data, told = BAD[name]

    assert found("judgments", data)
    assert told in str(read("judgments", data)[1].problems[0])
