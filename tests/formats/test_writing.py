import csv
import io
import math
import re
from itertools import chain

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from app.formats.errors import FormatError
from app.formats.exported import FORMS
from app.formats.jsonl import object_of
from app.formats.qrels_files import RatedQuery, write_rated
from app.formats.schema import is_known
from app.formats.writing import number_text, write_table
from tests.formats.made import IDS
from tests.formats.reading import rows_of

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
CELLS = st.one_of(
    st.none(), TEXTS, st.integers(-(2**63), 2**63), st.floats(allow_nan=False, allow_infinity=False)
)
TABLES = st.lists(st.tuples(CELLS, CELLS, CELLS), max_size=5)
NAMES = ("ranker", "measure", "value")


@given(TABLES)
def test_a_csv_reads_back_cell_for_cell_with_any_reader(rows):
    text = "".join(write_table(NAMES, rows, "csv", data=True))

    cells = list(csv.reader(io.StringIO(text, newline=""), strict=True))

    assert cells == [list(NAMES), *([_text(cell) for cell in row] for row in rows)]


@given(TABLES)
def test_json_lines_hold_values_exactly_and_null_for_nothing(rows):
    lines = list(write_table(NAMES, rows, "jsonl"))

    assert [tuple(object_of(line).values()) for line in lines] == rows
    assert all(len(line.splitlines()) == 1 for line in lines)


@given(TABLES)
def test_no_text_is_a_formula_in_a_spreadsheet(rows):
    text = "".join(write_table(NAMES, rows, "csv")).removeprefix("\ufeff")

    for cell in chain.from_iterable(csv.reader(io.StringIO(text, newline=""))):
        assert not cell.lstrip().startswith(("=", "@", "+", "-")) or _is_number(cell)
        assert not cell.startswith(("\t", "\r"))


@given(st.lists(st.tuples(st.text("a;=+-@\t\r\n \"'")), max_size=5))
def test_no_part_of_a_text_is_a_formula_where_other_marks_part_cells(rows):
    text = "".join(write_table(["a"], rows, "csv"))

    for cell in re.split(r"[;\t\r\n]", text):
        assert not cell.lstrip().startswith(("=", "@", "+", "-"))


@pytest.mark.parametrize(
    "cell",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        " =1",
        "\n=1",
        "\xa0=1",
        "\u200b=1",
        "\ufeff =1",
        "=cmd|' /C calc'!A0",
    ],
)
def test_a_text_that_begins_like_a_formula_gets_a_quote(cell):
    row = list(csv.reader(io.StringIO("".join(write_table(["a"], [[cell]], "csv")), newline="")))[1]

    assert row[0].startswith("'")
    assert row[0].replace("'", "") == cell.replace("'", "")


def test_numbers_stay_numbers_in_a_spreadsheet():
    text = "".join(write_table(["a", "b"], [[-1.5, -3]], "csv"))

    assert text == '\ufeff"a","b"\n-1.5,-3\n'


def test_the_data_export_leaves_formulas_untouched():
    assert list(write_table(["a"], [["=1+1"]], "csv", data=True)) == ["a\n", "=1+1\n"]


@pytest.mark.parametrize("cell", ["a\tb", "a\nb", "a\rb"])
def test_tsv_refuses_what_it_cannot_hold(cell):
    with pytest.raises(FormatError, match="TSV"):
        list(write_table(["a"], [[cell]], "tsv"))


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize("cell", ["a\x00b", "a\ud800b"])
def test_no_format_takes_a_text_that_cannot_be_read_back(format, cell):
    with pytest.raises(FormatError):
        list(write_table(["a"], [[cell]], format))


def test_a_backslash_before_u0000_is_no_nul():
    line = next(write_table(["a"], [["\\u0000"]], "jsonl"))

    assert object_of(line) == {"a": "\\u0000"}


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf, np.float64("nan")])
def test_what_is_no_number_is_not_written_as_one(number):
    for name in ("csv", "tsv"):
        with pytest.raises(FormatError):
            list(write_table(["a"], [[number]], name))
    with pytest.raises(ValueError, match="JSON compliant"):
        list(write_table(["a"], [[number]], "jsonl"))


def test_numbers_of_numpy_are_written_as_numbers():
    assert number_text(np.float64(0.1)) == "0.1"
    assert number_text(np.int64(7)) == "7"


def test_there_is_no_trec_table():
    with pytest.raises(FormatError, match="csv, tsv or jsonl"):
        write_table(["a"], [], "trec")


def _text(cell):
    return "" if cell is None else cell if isinstance(cell, str) else number_text(cell)


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


ANY_TEXT = st.text(st.characters(exclude_categories=("Cc", "Cs")), min_size=1).filter(str.strip)
RATED = st.dictionaries(
    IDS,
    st.tuples(ANY_TEXT, st.dictionaries(IDS, st.integers(0, 9), min_size=1, max_size=3)),
    max_size=3,
    min_size=1,
)


@pytest.mark.thorough
@pytest.mark.parametrize("form", FORMS["qrels"])
@given(RATED)
@example({"DOCNO": ("text", {"0": 0})})
def test_one_rating_for_each_answer_comes_back_from_every_tools_file(form, rated):
    texts = [text.strip() for text, _ in rated.values()]
    assume(not form.by_text or len(set(texts)) == len(texts))
    queries = [RatedQuery(name, text, list(grades.items())) for name, (text, grades) in rated.items()]

    written = "".join(write_rated(queries, form.name, "mine", 10, data=True))

    keys = {name: text.strip() if form.by_text else name for name, (text, _) in rated.items()}
    # Where an id begins as JSON, TREC is named; where questions are called as columns are, the pairs are.
    looks_like_a_table = form.name == "json-pairs" and any(is_known(name, "judgments") for name in rated)
    rows = rows_of("judgments", written, form.format if form.name == "trec" or looks_like_a_table else None)
    assert {(row.query_id, row.document_id, row.grade) for row in rows} == {
        (keys[name], one, grade) for name, (_, grades) in rated.items() for one, grade in grades.items()
    }
