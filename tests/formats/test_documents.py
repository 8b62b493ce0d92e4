import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.rows import DocumentRow
from app.formats.writing import json_line
from tests.formats.bad import BAD_IDS
from tests.formats.made import IDS
from tests.formats.reading import found, read, rows_of

TEXTS = st.text(st.characters(codec="utf-8", exclude_characters="\x00"))
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
# Names that are not read as one of our own columns.
EXTRA = st.dictionaries(TEXTS.map("kept {}".format), JSON, max_size=3)
FILLED = TEXTS.filter(bool)
DOCUMENTS = st.lists(
    st.builds(DocumentRow, IDS, TEXTS, TEXTS, st.none() | FILLED, st.none() | FILLED, EXTRA),
    unique_by=lambda row: row.document_id,
    min_size=1,
)


@pytest.mark.parametrize(
    "data",
    [
        "doc_id,title,text,year\nd1,A,Text of A,1967\nd2,,,\n",
        "doc_id\ttitle\ttext\tyear\nd1\tA\tText of A\t1967\nd2\t\t\t\n",
        '{"doc_id": "d1", "title": "A", "text": "Text of A", "year": "1967"}\n{"doc_id": "d2", "text": ""}\n',
        '{"_id": "d1", "title": "A", "text": "Text of A", "year": "1967"}\n{"id": "d2", "title": null, "text": null}\n',
    ],
)
def test_documents_are_read_from_every_shape_and_other_columns_are_kept(data):
    assert rows_of("documents", data) == [
        DocumentRow("d1", "A", "Text of A", None, None, {"year": "1967"}),
        DocumentRow("d2"),
    ]


def test_address_and_source_are_read():
    row = rows_of("documents", "doc_id,text,url,source\nd1,a,https://example.org/1,web\n")[0]

    assert (row.url, row.source, row.extra) == ("https://example.org/1", "web", {})


def test_a_long_text_over_many_lines_is_one_document():
    text = "\n".join(f'line "{at}", and more' for at in range(20_000))
    quoted = text.replace('"', '""')

    assert rows_of("documents", f'doc_id,text\nd1,"{quoted}"\nd2,b\n')[0].text == text


@pytest.mark.parametrize("format", ["csv", "tsv", "jsonl"])
@pytest.mark.parametrize(("value", "code"), BAD_IDS.values(), ids=BAD_IDS)
def test_a_bad_id_is_refused(format, value, code):
    data = {
        "csv": f'doc_id,text\n"{value}",red\n',
        "tsv": f"doc_id\ttext\n{value}\tred\n",
        "jsonl": '{"doc_id": "d1", "text": "b"}\n' + json.dumps({"doc_id": value, "text": "a"}) + "\n",
    }[format]
    if format == "jsonl" and "\x00" in value:
        code = "json-text"

    assert found("documents", data, format) == [(2, code)]


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ("doc_id,text\nd1,a\nd1,b\n", (3, "contradiction")),
        ("doc_id,text\nd1\n", (2, "columns")),
        ("doc_id,text\nd1,a\x00\n", (2, "text")),
        ("doc_id,text,n\x00te\nd1,a,b\n", (2, "text")),
        ("doc_id,text,note\nd1,a,b\x00\n", (2, "text")),
        ("doc_id,year\nd1,1967\n", (1, "header")),
        ("title,text\na,b\n", (1, "header")),
        ('doc_id,text\nd1,"a\n', (2, "csv")),
        ('{"doc_id": "d1", "text": ["a"]}\n', (1, "text")),
        ('{"doc_id": "d1", "text": "a", "url": 7}\n', (1, "text")),
        ('{"doc_id": "d1", "text": "a", "x": {"y": "\\udc00"}}\n', (1, "json-text")),
        ('{"doc_id": "d1", "text": "a", "x": {"y\\u0000": 1}}\n', (1, "json-text")),
        ('{"doc_id": "d1", "text": "a", "x": NaN}\n', (1, "json-number")),
        ('{"doc_id": "d1", "text": "a", "x": [1e999]}\n', (1, "json-number")),
    ],
)
def test_a_document_that_cannot_be_is_refused(data, problem):
    assert found("documents", data) == [problem]


def test_quoted_cells_that_never_end_are_refused_before_they_fill_the_memory():
    line = '"' + "x" * 900_000 + '\n",'

    problems = found("documents", "doc_id,text\n" + line * 6)

    assert (2, "csv") in problems


def test_an_equal_document_again_is_taken_once():
    rows, log = read("documents", "doc_id,text\nd1,a\nd2,b\nd1,a\n")

    assert [row.document_id for row in rows] == ["d1", "d2"]
    assert (log.total, log.left_out["repeated"]) == (0, 1)


@given(DOCUMENTS)
@pytest.mark.thorough
def test_documents_come_back_with_all_that_was_kept(rows):
    own = ({"doc_id": row.document_id, "title": row.title, "text": row.text} for row in rows)
    lines = [
        json_line({**names, "url": row.url, "source": row.source, **row.extra})
        for names, row in zip(own, rows, strict=True)
    ]

    assert rows_of("documents", "".join(lines), "jsonl") == rows


def test_all_faults_of_a_line_are_said():
    line = '{"doc_id": "d1 ", "title": 1, "text": [], "url": 2, "source": {}}\n'

    expected = [(1, "id-space"), *[(1, "text")] * 4, (2, "id-empty")]
    assert found("documents", line + '{"doc_id": "", "text": "x"}\n') == expected
