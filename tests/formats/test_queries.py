import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.rows import QueryRow
from tests.formats.bad import BAD_IDS
from tests.formats.made import IDS
from tests.formats.reading import found, read, rows_of
from tests.formats.test_bad_archives import book
from tests.furniture.properties import tried

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1).filter(str.strip)
TAGS = st.lists(
    st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z"), exclude_characters=";"), min_size=1)
)
QUERIES = st.lists(
    st.builds(
        QueryRow,
        IDS,
        TEXTS,
        st.one_of(st.none(), TEXTS),
        TAGS.map(tuple),
        weight=st.one_of(st.none(), st.floats(1e-6, 1e6)),
    ),
    unique_by=lambda row: row.query_id,
    min_size=1,
)


@pytest.mark.parametrize(
    "data",
    [
        "query_id,text\nq1,red shoes\nq2,blue\n",
        "id,query\nq1,red shoes\nq2,blue\n",
        "ID;Query\nq1;red shoes\nq2;blue\n",
        "text,query_id\nred shoes,q1\nblue,q2\n",
        '\ufeff"query_id","text"\r\n"q1","red shoes"\r\n"q2","blue"\r\n',
        "query_id\ttext\nq1\tred shoes\nq2\tblue\n",
        "q1\tred shoes\nq2\tblue\n",
        "q1\tred shoes\r\nq2\tblue",
        '{"query_id": "q1", "text": "red shoes"}\n{"id": "q2", "query": "blue"}\n',
        '{"_id": "q1", "text": "red shoes", "metadata": {}}\n\n{"text": "blue", "query_id": "q2"}',
        "query_id,text,intent,tags,more\nq1,red shoes,,,x\nq2,blue,,,\n",
    ],
)
def test_queries_are_read_from_every_shape(data):
    assert rows_of("queries", data) == [QueryRow("q1", "red shoes"), QueryRow("q2", "blue")]


def test_intent_and_tags_are_kept():
    table = "query_id,text,intent,tags\nq1,red,Wants shoes,hard; new\n"
    lines = '{"query_id": "q1", "text": "red", "intent": "Wants shoes", "tags": ["hard", "new"]}'

    assert rows_of("queries", table) == rows_of("queries", lines)
    assert rows_of("queries", table) == [QueryRow("q1", "red", "Wants shoes", ("hard", "new"))]


@pytest.mark.parametrize("weight", ["0", "-1", "nan", "two", "1e999", "1000000000001"])
def test_a_weight_is_a_number_above_0(weight):
    _, log = read("queries", f"query_id,text,weight\nq1,red,{weight}\n")

    assert [problem.code for problem in log.problems] == ["weight"]


def test_quotation_marks_are_part_of_a_text_in_tsv():
    assert rows_of("queries", 'q1\t"to be" or\nq2\twhat is "it"\n')[0].text == '"to be" or'


def test_a_text_keeps_its_blanks_and_line_ends_in_csv():
    row = rows_of("queries", 'query_id,text\nq1," two\r\nlines\n "\n')[0]

    assert row.text == " two\r\nlines\n "


def test_problems_after_cells_with_line_ends_name_the_line_of_the_file():
    assert found("queries", 'query_id,text\nq1,"a\nb\nc"\n,d\n') == [(5, "id-empty")]


def test_rows_know_their_line():
    assert [row.line for row in rows_of("queries", 'id,text\nq1,"a\nb"\n\nq2,c\n')] == [2, 5]


@pytest.mark.parametrize("format", ["csv", "tsv", "tsv without names", "jsonl"])
@pytest.mark.parametrize(("value", "code"), BAD_IDS.values(), ids=BAD_IDS)
def test_a_bad_id_is_refused(format, value, code):
    data = {
        "csv": f'query_id,text\n"{value}",red\n',
        "tsv": f"query_id\ttext\n{value}\tred\n",
        "tsv without names": f"q1\tblue\n{value}\tred\n",
        "jsonl": '{"query_id": "q1", "text": "blue"}\n'
        + json.dumps({"query_id": value, "text": "red"})
        + "\n",
    }[format]
    if format == "jsonl" and "\x00" in value:
        code = "json-text"

    assert found("queries", data, format.split()[0]) == [(2, code)]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("query_id,text\nq1,\n", (2, "text")),
        ("query_id,text\nq1,   \n", (2, "text")),
        ("query_id,text\nq1,a\x00b\n", (2, "text")),
        ("query_id,text\nq1\n", (2, "columns")),
        ("query_id,text\nq1,a,b\n", (2, "columns")),
        ("query_id,text\nq1,a\nq1,b\n", (3, "contradiction")),
        ("query_id,title\nq1,a\n", (1, "header")),
        ("query_id,text,Text,text\nq1,a,b,c\n", (1, "header")),
        ("id\tsomething\nq1\ta\n", (1, "header")),
        ("q1\ta\nq2 b\n", (2, "columns")),
        ("q1\ta\tb\nq2\tb\tc\n", (1, "header")),
        ("just a question\n", (None, "format")),
        ('{"query_id": "q1", "text": 5}\n', (1, "text")),
        ('{"query_id": "q1", "text": null}\n', (1, "text")),
        ('{"query_id": "q1", "text": "a", "tags": [1]}\n', (1, "text")),
        ('{"query_id": "q1", "text": "a", "tags": "a\\nb"}\n', (1, "name")),
        ('{"query_id": "q1", "text": "a", "tags": {"a": 1}}\n', (1, "text")),
        ('{"query_id": "q1", "text": "a", "intent": ["b"]}\n', (1, "text")),
        ('{"query_id": "q1"}\n', (1, "header")),
        ('{"query_id": "q1", "text": "\\ud83d"}\n', (1, "json-text")),
    ],
)
def test_a_query_that_cannot_be_is_refused(data, problem):
    assert found("queries", data) == [problem]


def test_advice_on_json_lines_speaks_of_fields_and_not_of_a_first_line():
    _, log = read("queries", '{"doc_id": "d1"}\n')

    told = str(log.problems[0])
    assert "the object has no field query_id, and no field text" in told
    assert (
        "Every object needs the fields query_id and text. Without ids, one field named question is enough. "
        "Rename its fields, or choose which field is which."
    ) in told
    assert "column" not in told
    assert "first line" not in told


@pytest.mark.parametrize("data", ["text\nred shoes\nblue\n", "query,notes\nred shoes,x\nblue,y\n"])
def test_texts_alone_are_queries_without_ids(data):
    assert rows_of("queries", data) == [QueryRow("red shoes", "red shoes"), QueryRow("blue", "blue")]


@pytest.mark.parametrize(
    ("data", "start"),
    [
        (
            "text,tags\nred,a\n",
            "The first line must name query_id and text. Without ids, one column named question is enough.",
        ),
        (
            '{"text": "red"}\n',
            "Every object needs the fields query_id and text. Without ids, one field named question is enough.",
        ),
        (
            book([["text", "tags"], ["red", "a"]]),
            (
                "The first row must hold the names of the columns, query_id and text. Without ids, one column "
                "named question is enough. Remove the rows above the names, rename the columns, or say which"
            ),
        ),
    ],
)
def test_who_has_no_ids_of_queries_is_told_that_none_are_needed(data, start):
    _, log = read("queries", data)

    assert str(log.problems[0].remedy).startswith(start)


def test_a_table_whose_columns_are_all_read_lacks_one():
    _, log = read("documents", "title,text\nred,shoes\n")

    assert log.problems[0].reason == "there is no column doc_id"
    assert log.problems[0].remedy.startswith("Add what is missing, or say which column is which (--column")


@pytest.mark.parametrize(("kind", "missing"), [("documents", "text or title"), ("queries", "text")])
def test_an_object_without_any_other_field_has_nothing_to_choose(kind, missing):
    name = {"documents": "doc_id", "queries": "query_id"}[kind]
    _, log = read(kind, f'{{"{name}": "p1", "text": "ok"}}\n{{"{name}": "p2"}}\n')

    (problem,) = log.problems
    assert problem.reason == f"the object has no field {missing}"
    assert problem.remedy == "Add what is missing."


def test_there_are_no_queries_in_trec_format():
    _, log = read("queries", "q1 a\n", "trec")

    assert [problem.code for problem in log.problems] == ["format"]
    assert "Give CSV, TSV, JSONL, JSON, PANDAS, QUEPID" in str(log.problems[0])


def test_an_equal_query_again_is_taken_once():
    rows, log = read("queries", "query_id,text\nq1,a\nq1,a\n")

    assert len(rows) == 1
    assert log.total == 0
    assert log.left_out["repeated"] == 1


def test_the_second_line_of_a_contradiction_names_the_first():
    _, log = read("queries", "q1\ta\nq2\tb\nq1\tc\n")

    assert "line 1" in str(log.problems[0])


@settings(max_examples=tried(200))
@given(
    st.text(st.sampled_from('q1,;\t"\r\n{}[]:\\u0 id text\ufeff'), max_size=60),
    st.sampled_from((None, "csv", "tsv", "jsonl")),
)
def test_nearly_right_files_never_crash_a_reader(text, format):
    for kind in ("queries", "documents", "judgments"):
        rows, log = read(kind, "query_id,text,doc_id,grade\n" + text, format)
        assert rows or log.total


def test_all_faults_of_a_line_are_said():
    line = '{"query_id": "q1 ", "text": " ", "intent": 3, "tags": ["\\u0007"]}\n'

    expected = [(1, "id-space"), (1, "text"), (1, "text"), (1, "name")]
    assert found("queries", line + '{"query_id": "", "text": "x"}\n') == [*expected, (2, "id-empty")]
