"""The fast way of reading TREC runs against the slow one: the same rows and the same problems, always."""

import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats import trec
from app.formats.errors import ProblemLog
from app.formats.lines import read_lines
from app.formats.runs import read_run_columns
from tests.formats.bad import BAD_IDS, BAD_RANKS, BAD_SCORES
from tests.furniture.properties import tried

COLUMNS = (
    "query_ids",
    "document_ids",
    "query_index",
    "document_index",
    "score",
    "rank",
    "line",
    "starts",
    "tag",
)
# Drawn often enough to build lines that are nearly right.
CELLS = st.sampled_from(
    [
        "q1",
        "q2",
        "Q0",
        "d1",
        "d2",
        "é",
        "1",
        "2",
        "0",
        "2.5",
        "-1e3",
        "tag",
        "1_0",
        "nan",
        "1e999",
        "٣",
        "\xa0",
        "a\u2003b",
    ]
)
GAPS = st.sampled_from([" ", " ", " ", " ", "  ", "\t", "\x0b", "\x1c", "\r", "\x00", "\xa0", "\n"])
ENDS = st.sampled_from(["\n", "\n", "\r\n", "\n\n", " \n", "\r\r\n", ""])
LINES = st.one_of(
    st.builds("{0} Q0 {1} {2} {3} tag{4}".format, CELLS, CELLS, CELLS, CELLS, ENDS),
    st.builds(
        lambda cells, gaps, end: "".join(map("".join, zip(cells, gaps, strict=True))) + end,
        st.lists(CELLS, min_size=6, max_size=6),
        st.lists(GAPS, min_size=6, max_size=6),
        ENDS,
    ),
)


def outcome(data):
    log = ProblemLog()
    run = read_run_columns(data, "x", log, "trec")
    return [getattr(run, name) for name in COLUMNS], log.problems, log.total, log.left_out


def slow_outcome(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "_plain_block", lambda *_asked: None)
        return outcome(data)


@settings(max_examples=tried(400))
@given(st.lists(LINES, max_size=8).map("".join))
@example("q1 Q0 d1 1 1 t\nq1 Q0 d2 1 1\nt q1 Q0 d3 1 1 t\n")
@example("q1 Q0 d1 1 1 t q1\nQ0 d2 1 1 t\n")
@example("q1 Q0 d1\r1 1 t\n")
@example("q1 Q0 \xa0 1 1 t\nq1 Q0 a\xa0b 1 1 t\n")
@example("q1 Q0 d1 1 1 t\x1c\n")
@example("q1 Q0 d1 1 1 t\r")
@example("\n")
@example(" ")
@pytest.mark.thorough
def test_both_ways_agree_on_nearly_right_files(text):
    assert outcome(text.encode()) == slow_outcome(text.encode())


@settings(max_examples=tried(300))
@given(st.binary(max_size=300))
def test_both_ways_agree_on_random_bytes(data):
    assert outcome(data) == slow_outcome(data)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "line",
    [
        *(f"q1 Q0 {value} 1 1.5 tag" for value, _ in BAD_IDS.values()),
        *(f"{value} Q0 d 1 1.5 tag" for value, _ in BAD_IDS.values()),
        *(f"q1 Q0 d {value} 1.5 tag" for value, _ in BAD_RANKS.values()),
        *(f"q1 Q0 d 1 {value} tag" for value, _ in BAD_SCORES.values()),
        *("q1 Q0 d 1 1.5 other", "q1 Q0 d 1 1.5 \x80", "q1 \xa0 d 1 1.5 tag", "q1 Q0 d 0001 1.5 tag"),
    ],
)
def test_one_odd_line_among_many_is_named_the_same_way(line):
    good = [f"q{at // 100} Q0 d{at} 1 {-at} tag" for at in range(300)]
    data = "\n".join([*good[:234], line, *good[234:]]).encode()

    assert outcome(data) == slow_outcome(data)


@pytest.mark.thorough
def test_a_file_of_many_blocks_is_read_the_fast_way_and_whole(monkeypatch):
    lines = [
        f"q{at // 50} Q0 doc-{at * 7 % 40_000:06d} {at % 50 + 1} {1000 - at / 128!r} bm25"
        for at in range(40_000)
    ]
    data = ("\n".join(lines) + "\n").encode()
    slow_lines = []
    monkeypatch.setattr(trec.TrecReader, "_checked", lambda _reader, *block: slow_lines.append(block))
    log = ProblemLog()

    run = read_run_columns(gzip.compress(data), "x", log, "trec")

    assert slow_lines == []
    assert log.total == 0
    assert run.lines == 40_000
    assert [
        f"{run.query_ids[q]} Q0 {run.document_ids[d]} {rank} {score!r} {run.tag}"
        for q, d, rank, score in zip(run.query_index, run.document_index, run.rank, run.score, strict=True)
    ] == lines
    assert list(run.line) == list(range(1, 40_001))


IDS = st.sampled_from(["q1", "q2", "d1", "d2", "d3", "a-long-but-plain-document-id-0001", "x" * 65, "é"])
SCORES = st.one_of(
    st.floats(-100, 100).map(repr),
    st.floats(0, 30).map("{:.6f}".format),
    st.sampled_from(["1e3", "nan", "7", "-0.0", "+.5", "5.", "-", ".", "1.2.3", "--1", "1-2"]),
)
RUN_LINES = st.builds(
    lambda query, document, rank, score, gap, end: f"{query}{gap}Q0 {document} {rank}{gap}{score} tag{end}",
    *(IDS, IDS, st.integers(0, 12).map(str), SCORES, GAPS, ENDS),
)
QRELS_LINES = st.builds(
    lambda query, document, grade, gap, end: f"{query} 0{gap}{document} {grade}{end}",
    *(IDS, IDS, st.sampled_from(["0", "1", "3", "-1", "2.0", "-2", "x", "1000001"]), GAPS, ENDS),
)


def lines_of(data, kind, *, best=False):
    log = ProblemLog()
    found = read_lines(data, "file.txt", log, kind, best=best)
    rows = [
        tuple(column.tolist()) for column in (found.starts, found.query, found.rank, found.score, found.line)
    ]
    return rows, found.tag, found.query_ids, found.documents, list(map(str, log.problems)), log.left_out


def slow_lines_of(data, kind):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec, "_plain_block", lambda *_asked: None)
        return lines_of(data, kind)


@given(st.lists(RUN_LINES, max_size=10).map("".join))
@example("q1 Q0 d1 1 2.5 tag\nq1 Q0 d1 1 2.5 tag\n")
@example("q1 Q0 d1 1 2.5 tag\nq2 Q0 d1 1 2.5 tag\nq1 Q0 d2 1 2.5 tag\n")
def test_runs_to_score_are_read_alike_both_ways(text):
    assert lines_of(text.encode(), "run") == slow_lines_of(text.encode(), "run")


@given(st.lists(QRELS_LINES, max_size=10).map("".join))
@example("q1 0 d1 1\nq1 0 d1 1\n")
@example("q1 0 d1 1\nq1 0 d1 2\n")
@example("q1 0 d1 1000001\n")
def test_qrels_are_read_alike_both_ways(text):
    assert lines_of(text.encode(), "judgments") == slow_lines_of(text.encode(), "judgments")


@given(
    st.lists(
        st.one_of(
            st.floats(allow_nan=False, allow_infinity=False).map(repr),
            st.floats(0, 100).map(repr),
            st.decimals(-(10**8), 10**8, places=20).map(str),
            st.from_regex(r"\A[+-]?[0-9]{1,12}\.[0-9]{0,26}\Z"),
        ),
        min_size=1,
    )
)
@example(["0.1", "9007199254740993.0", "0.00000000000000000000000001", "18446744073709551615.5"])
@example(["1.00000000000000011102230246251565", "9007199254740992.5", "0.025420000076293945"])
def test_every_number_is_the_one_that_float_gives(numbers):
    data = "".join(f"q Q0 d{at} 1 {number} t\n" for at, number in enumerate(numbers)).encode()

    found = trec._plain_block(data, 6).decimals(4)

    assert list(map(repr, found.tolist())) == list(map(repr, map(float, numbers)))


def test_numbers_are_the_same_where_no_wider_ones_are_to_be_had(monkeypatch):
    monkeypatch.setattr(trec, "_IS_WIDE", False)
    numbers = ["0.025420000076293945", "13.847562789916992", "2.5", "-0.0", "1e-3"]
    data = "".join(f"q Q0 d{at} 1 {number} t\n" for at, number in enumerate(numbers)).encode()

    assert trec._plain_block(data, 6).decimals(4).tolist() == list(map(float, numbers))


def test_a_document_that_stands_twice_is_kept_at_its_best_place_when_asked():
    data = b"q1 Q0 d1 1 2.5 t\nq1 Q0 d2 2 2.0 t\nq1 Q0 d1 3 3.5 t\nq2 Q0 d1 1 1.0 t\n"

    (_, query, rank, score, line), _, _, documents, problems, left_out = lines_of(data, "run", best=True)

    assert (query, rank, score, line) == ((0, 0, 1), (2, 3, 1), (2.0, 3.5, 1.0), (2, 3, 4))
    assert (documents, problems, left_out["repeated"]) == ([b"d2", b"d1", b"d1"], [], 1)
    assert lines_of(data, "run")[4] == [
        (
            "file.txt, line 3: the query has this document already, on line 1: 'q1 d1'. "
            "Keep one of the two lines, or let --best keep the best place."
        )
    ]
