"""Files that other programs write in their own way are read where nothing is lost, and refused where something is."""

import pytest

from app.formats.errors import ProblemLog
from app.formats.preview import odd_lines
from app.formats.source import Part, Source
from tests.formats.reading import found, guessed, read, rows_of

PLAIN = "query_id,doc_id,score\nq1,d1,1.5\nq1,d2,0.5\n"


@pytest.mark.parametrize(
    "data",
    [
        "sep=;\nquery_id;doc_id;score\nq1;d1;1,5\nq1;d2;0,5\n",
        '"sep=,"\r\nquery_id,doc_id,score\r\nq1,d1,1.5\r\nq1,d2,0.5\r\n',
        "sep=\t\nquery_id\tdoc_id\tscore\nq1\td1\t1.5\nq1\td2\t0.5\n",
        "query_id;doc_id;score\nq1;d1;1,5\nq1;d2;0,5\n",
        PLAIN.replace("\n", "\r"),
        PLAIN.encode("utf-16"),
        b"\xfe\xff" + PLAIN.encode("utf-16-be"),
        ",query_id,doc_id,score\n0,q1,d1,1.5\n1,q1,d2,0.5\n",
        "qid,docid,docno,rank,score,query\nq1,17,d1,0,1.5,red shoes\nq1,4,d2,1,0.5,red shoes\n",
    ],
    ids=[
        "sep=;",
        "sep=,",
        "sep=tab",
        "decimal comma",
        "CR",
        "UTF-16",
        "UTF-16 BE",
        "index column",
        "PyTerrier",
    ],
)
def test_what_other_programs_write_is_read(data):
    rows = rows_of("run", data)

    assert [(row.query_id, row.document_id, row.score) for row in rows] == [
        ("q1", "d1", 1.5),
        ("q1", "d2", 0.5),
    ]


@pytest.mark.parametrize("ranks", [("0", "1"), ("1.0", "2.0"), ("0.0", "1.00")])
def test_ranks_may_begin_at_zero_and_be_written_with_a_point(ranks):
    rows = rows_of("run", "query_id,doc_id,rank\n" + "".join(f"q1,d{rank},{rank}\n" for rank in ranks))

    assert [row.rank for row in rows] == [int(float(rank)) for rank in ranks]


@pytest.mark.parametrize("ranks", [("1.0", "2.0"), ("1", "2.00"), ("0.0", "1")])
def test_ranks_of_a_trec_run_may_be_written_with_a_point_too(ranks):
    rows = rows_of("run", "".join(f"q1 Q0 d{rank} {rank} 2.5 bm25\n" for rank in ranks))

    assert [row.rank for row in rows] == [int(float(rank)) for rank in ranks]


@pytest.mark.parametrize(
    ("kind", "data", "problem"),
    [
        ("run", "sep=;\n", (1, "header")),
        ("run", "sep=;\nquery_id,doc_id,score\nq1,d1,1\n", (2, "header")),
        ("run", "sep=;\nquery_id;doc_id;score\nq1;d1;1,5,3\n", (3, "score")),
        ("run", "query_id;doc_id;score\nq1;d1;1.000,5\n", (2, "score")),
        ("run", 'query_id,doc_id,score\nq1,d1,"1,5"\n', (2, "score")),
        ("run", "query_id,doc_id,rank\nq1,d1,1.5\n", (2, "rank")),
        ("run", "query_id,doc_id,rank\nq1,d1,-1.0\n", (2, "rank")),
        ("run", "query_id,doc_id,rank\nq1,d1,99999999999.0\n", (2, "rank")),
        ("run", "query_id,doc_id,rank\nq1,d1,1.0\nq1,d2,1\n", (3, "rank-twice")),
        ("run", "query_id,doc_id,score,,\nq1,d1,1,,\n", (1, "header")),
        ("run", PLAIN.encode("utf-16")[:-1], (None, "encoding")),
        ("run", b"\xff\xfe\x00\xd8a\x00\n\x00", (None, "encoding")),
        ("run", PLAIN.encode("utf-32"), (None, "encoding")),
        ("run", PLAIN.encode("utf-16-le"), (None, "encoding")),
        ("run", "query_id,doc_id,score\rq1,d1\r", (2, "columns")),
        ("run", "q1 0 d1 3\nq1 0 d2 0\n", (None, "format")),
        ("judgments", "q1 Q0 d1 1 2.5 tag\n", (None, "format")),
        ("judgments", "query_id;doc_id;grade\nq1;d1;1,5\n", (2, "off-scale")),
    ],
)
def test_what_may_be_read_in_two_ways_is_refused(kind, data, problem):
    assert problem in found(kind, data)


@pytest.mark.parametrize(
    ("kind", "data", "remedy"),
    [
        ("run", "q1 0 d1 3\n", "Import it as ratings (import qrels)."),
        ("judgments", "q1 Q0 d1 1 2.5 tag\n", "Import it as results of a ranker (import run)."),
    ],
)
def test_ratings_offered_as_a_run_are_refused_with_what_they_are(kind, data, remedy):
    _, log = read(kind, data)

    assert log.problems[0].remedy == remedy


@pytest.mark.parametrize("data", ["a,b\n1,2\n", '{"a": "1", "b": "2"}\n', "a\tb\n1\t2\n"])
def test_one_column_for_two_things_is_refused(data):
    _, log = read("run", data, columns={"query_id": "a", "doc_id": "a", "score": "b"})

    assert [problem.code for problem in log.problems] == ["column"]
    assert "query_id and as doc_id" in log.problems[0].reason


def test_what_was_seen_is_said():
    assert "first column has no name and is left out" in guessed(b",query_id,doc_id,score\n", "run").reason
    assert guessed(PLAIN.encode("utf-16"), "run").encoding == "Read as UTF-16."
    assert Source(b"x", "x", ProblemLog()).encoding == "UTF-8"


def test_windows_1252_is_read_only_if_somebody_says_so():
    text = "query_id,text\nq1,café – “naïve” für 5 €\nq2,Straße\n"
    stored = text.encode("cp1252")
    said = Part(stored, "windows-1252")

    assert found("queries", stored) == [(2, "encoding"), (3, "encoding")]
    assert [row.text for row in rows_of("queries", said)] == ["café – “naïve” für 5 €", "Straße"]
    assert rows_of("queries", Part(text.encode("utf-8-sig"), "windows-1252")) == rows_of("queries", text)
    assert odd_lines(Part(stored)) == [(2, "q1,café – “naïve” für 5 €"), (3, "q2,Straße")]
    undefined = Part(stored + b"q3,\x81\n", "windows-1252")
    assert found("queries", undefined) == [(None, "encoding")]
    assert "line 4 has the byte 81" in read("queries", undefined)[1].problems[0].reason
    assert odd_lines(Part(b"q1\t\x81\n")) == []
    assert odd_lines(Part("q1\tStraße\n".encode("utf-16-le"))) == []


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("judgments", "qid,docno,label,iteration\nq1,d1,1,0\n"),  # PyTerrier
        ("judgments", ",q_id,doc_id,score\n0,q1,d1,1\n"),  # ranx, as a frame
        ("run", "qid|docno|rank|score\nq1|d1|0|9.5\n"),
        ("queries", "qid|query\nq1|what is a, or b\n"),
    ],
)
def test_columns_that_tools_write_are_known(kind, data):
    (row,) = rows_of(kind, data)

    assert row.query_id == "q1"


@pytest.mark.parametrize(
    ("data", "told"),
    [
        ("[[1,7,3],[1,8,0]]", "orient='records'"),
        ('<table border="1" class="dataframe">\n<tr><td>q1</td></tr>\n', "HTML or XML"),
        (b"\x04\x22\x4d\x18" + b"x" * 40, "packed with LZ4"),
        (b"\x80\x05\x95\x06" + b"x" * 40, "Python pickle"),
        (b"ARROW1\0\0" + b"x" * 40, "Feather file"),
        (b"\xd0\xcf\x11\xe0" + b"x" * 40, "old Office program"),
    ],
)
def test_what_cannot_be_read_is_named_for_what_it_is(data, told):
    _, log = read("judgments", data)

    (problem,) = log.problems
    assert told in str(problem)
