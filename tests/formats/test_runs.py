"""Runs in every format: what is accepted, agreement of the formats, round trips."""

import math
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.errors import ProblemLog
from app.formats.rows import RunRow
from app.formats.runs import read_run_columns, write_run
from app.formats.writing import write_trec_run
from tests.formats.bad import GOOD_IDS, GOOD_SCORES
from tests.formats.made import FORMATS, IDS, RUNS, file_of, line_of
from tests.formats.reading import found, read, rows_of
from tests.furniture.properties import tried


def test_both_lines_of_a_contradiction_are_named():
    _, log = read("run", "q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 1.5 t\nq1 Q0 d1 3 0.5 t\n")

    assert log.problems[0].line == 3
    assert "line 1" in log.problems[0].reason
    assert log.problems[0].value == "q1 d1"


def test_all_problems_of_a_file_are_counted():
    data = "".join(f"q1 Q0 d{at} {at} {'nan' if at % 2 else at} t\n" for at in range(1, 1001))

    _, log = read("run", data)

    assert log.total == 500
    assert len(log.problems) == 100


TABLE = "query_id,doc_id,rank,score\n"
TREC = "q0 Q0 d0 1 1.5 t\n"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (TABLE + "q\u20031,,-1,x\n", [(2, "id-space"), (2, "id-empty"), (2, "rank"), (2, "score")]),
        (TABLE + "q1,d1,,2\nq\u20031,d2,2,\n", [(3, "id-space"), (3, "order")]),
        (TREC + "q\x07 Q0 d1 x nan other\n", [(2, "id-control"), (2, "rank"), (2, "score"), (2, "tag")]),
        ("q1 Q0 d1 x 1 first\n" + TREC + "q1 Q0 d2 2 0.5 t\n", [(1, "rank")]),
        (TABLE + "q1,d1,x,\nq1,d1,1,\n", [(2, "rank"), (3, "document-twice")]),
        (TABLE + "q1,d1,x,\nq1,d2,x,\nq1,d3,1,\nq1,d4,1,\n", [(2, "rank"), (3, "rank"), (5, "rank-twice")]),
    ],
)
def test_all_faults_of_a_line_are_said(data, expected):
    assert found("run", data) == expected


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("document", GOOD_IDS)
def test_an_id_is_an_exact_opaque_string(format, document):
    data, _ = file_of(format, line_of(format, document=document))

    assert [row.document_id for row in rows_of("run", data, format)] == ["d1", document, "d3"]


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("score", GOOD_SCORES)
def test_plain_decimal_notation_is_read_in_full(format, score):
    data, _ = file_of(format, line_of(format, score=score))

    assert [row.score for row in rows_of("run", data, format)] == [2.5, float(score), 0.5]


@pytest.mark.parametrize("format", ["csv", "tsv"])
def test_tables_lose_the_blanks_at_the_ends_of_their_cells(format):
    data, _ = file_of(format, line_of(format, " q1", " d2  ", " 2", "1.5 "))

    assert rows_of("run", data, format)[1] == RunRow("q1", "d2", 2, 1.5)


def test_whole_numbers_are_taken_as_ids_in_json():
    data = '{"query_id": 7, "doc_id": 12, "score": 1}\n{"query_id": "7", "doc_id": "13", "score": 0.5}\n'

    rows = rows_of("run", data)

    assert rows == [RunRow("7", "12", None, 1.0), RunRow("7", "13", None, 0.5)]


@pytest.mark.parametrize("format", FORMATS)
def test_an_equal_line_again_is_taken_once_and_counted(format):
    data, _ = file_of(format, line_of(format) * 3)

    rows, log = read("run", data, format)

    assert [row.document_id for row in rows] == ["d1", "d2", "d3"]
    assert log.total == 0
    assert log.left_out["repeated"] == 2


@pytest.mark.parametrize("format", FORMATS)
def test_a_query_in_two_places_is_one_list(format):
    data, line = file_of(format, line_of(format, query="q0", document="d9"))

    run = read_run_columns(data.encode(), "x", ProblemLog(), format)

    assert run.query_ids == ["q1", "q0"]
    assert [
        [run.document_ids[at] for at in run.document_index[start:end]] for start, end in pairwise(run.starts)
    ] == [
        ["d1", "d3"],
        ["d9"],
    ]
    assert list(run.line) == [line - 1, line + 1, line]


def test_trec_ranks_may_begin_at_zero_because_they_are_only_checked():
    rows = rows_of("run", "q1 Q0 d1 0 2.5 t\nq1 Q0 d2 1 1.5 t\n")

    assert [row.rank for row in rows] == [0, 1]


def test_a_table_may_give_ranks_alone():
    run = read_run_columns(b"query_id,doc_id,rank\nq1,d1,2\nq1,d2,1\n", "x", ProblemLog())

    assert not run.has_scores
    assert list(run.rank) == [2, 1]
    assert list(run.score) == [0.0, 0.0]


def test_own_column_names_are_mapped():
    data = "Anfrage;Treffer;Wert;score\nq1;d1;2.5;bad\n"

    rows = rows_of("run", data, columns={"query_id": "Anfrage", "document_id": "Treffer", "score": "Wert"})

    assert rows == [RunRow("q1", "d1", None, 2.5)]


@pytest.mark.parametrize(
    ("columns", "value"), [({"query_id": "nothing"}, "nothing"), ({"colour": "score"}, "colour")]
)
def test_a_mapping_that_cannot_be_is_a_problem(columns, value):
    _, log = read("run", "query_id,doc_id,score\nq1,d1,1\n", columns=columns)

    assert [(each.line, each.code, each.value) for each in log.problems] == [(1, "column", value)]


def test_the_tag_of_a_trec_run_is_kept():
    assert read_run_columns(b"q1 Q0 d1 1 2.5 bm25\n", "x", ProblemLog(), "trec").tag == "bm25"


def grouped(rows):
    order = {query: at for at, query in enumerate(dict.fromkeys(row.query_id for row in rows))}
    return sorted(rows, key=lambda row: order[row.query_id])


@given(RUNS)
def test_a_run_comes_back_from_every_table_format(rows):
    for name in ("csv", "tsv", "jsonl"):
        text = "".join(write_run(rows, name, data=True))
        assert rows_of("run", text, name) == grouped(rows)


@given(RUNS, IDS)
def test_a_run_comes_back_from_trec(rows, tag):
    log = ProblemLog()

    run = read_run_columns("".join(write_trec_run(rows, tag)).encode(), "x", log, "trec")

    assert not log.problems
    assert run.tag == tag
    assert rows_of("run", "".join(write_trec_run(rows, tag)), "trec") == grouped(rows)


@given(RUNS)
def test_ranks_alone_and_scores_alone_come_back_from_every_table_format(rows):
    scored = [RunRow(row.query_id, row.document_id, None, row.score) for row in rows]
    ranked = [RunRow(row.query_id, row.document_id, at, None) for at, row in enumerate(rows, 1)]

    for name in ("csv", "tsv", "jsonl"):
        assert rows_of("run", "".join(write_run(scored, name, data=True)), name) == grouped(scored)
        assert rows_of("run", "".join(write_run(ranked, name, data=True)), name) == grouped(ranked)


@given(RUNS)
def test_the_same_run_gives_the_same_columns_in_every_format(rows):
    texts = {name: "".join(write_run(rows, name, data=True)) for name in ("csv", "tsv", "jsonl")}
    texts["trec"] = "".join(write_trec_run(rows, "tag"))

    runs = [read_run_columns(text.encode(), "x", ProblemLog(), name) for name, text in texts.items()]

    for name in ("query_ids", "document_ids", "query_index", "document_index", "score", "rank", "starts"):
        assert len({repr(getattr(run, name)) for run in runs}) == 1, name


def test_a_run_with_ranks_alone_goes_to_trec_in_the_same_order():
    lines = list(write_trec_run([RunRow("q", "b", 1, None), RunRow("q", "a", 2, None)], "t"))

    assert lines == ["q Q0 b 1 -1.0 t\n", "q Q0 a 2 -2.0 t\n"]


@settings(max_examples=tried(300))
@given(st.binary(max_size=400), st.sampled_from((None, *FORMATS)))
def test_random_bytes_never_crash_a_reader(data, format):
    rows, log = read("run", data, format)

    assert rows or log.total
    assert all(math.isfinite(row.score or 0) for row in rows)
