"""The fast way of reading TREC runs against the slow one: the same rows and the same problems, always."""

import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats import trec_run
from app.formats.errors import ProblemLog
from app.formats.runs import read_trec_run_columns
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
    run = read_trec_run_columns(data, "x", log)
    return [getattr(run, name) for name in COLUMNS], log.problems, log.total, log.left_out


def slow_outcome(data):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trec_run, "_plain_cells", lambda _block: [])
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
def test_both_ways_agree_on_nearly_right_files(text):
    assert outcome(text.encode()) == slow_outcome(text.encode())


@settings(max_examples=tried(300))
@given(st.binary(max_size=300))
def test_both_ways_agree_on_random_bytes(data):
    assert outcome(data) == slow_outcome(data)


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
    good = [f"q{at // 100} Q0 d{at} 1 {-at} tag" for at in range(2000)]
    data = "\n".join([*good[:1234], line, *good[1234:]]).encode()

    assert outcome(data) == slow_outcome(data)


def test_a_file_of_many_blocks_is_read_the_fast_way_and_whole(monkeypatch):
    lines = [
        f"q{at // 50} Q0 doc-{at * 7 % 40_000:06d} {at % 50 + 1} {1000 - at / 128!r} bm25"
        for at in range(40_000)
    ]
    data = ("\n".join(lines) + "\n").encode()
    slow_lines = []
    monkeypatch.setattr(trec_run._TrecRun, "take_lines", lambda *block: slow_lines.append(block))
    log = ProblemLog()

    run = read_trec_run_columns(gzip.compress(data), "x", log)

    assert slow_lines == []
    assert log.total == 0
    assert run.lines == 40_000
    assert [
        f"{run.query_ids[q]} Q0 {run.document_ids[d]} {rank} {score!r} {run.tag}"
        for q, d, rank, score in zip(run.query_index, run.document_index, run.rank, run.score, strict=True)
    ] == lines
    assert list(run.line) == list(range(1, 40_001))
