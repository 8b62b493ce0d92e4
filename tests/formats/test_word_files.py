"""The quick readers of TREC files against the strict ones: the same columns and the same problems."""

import gzip

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from app.formats import word_files
from app.formats.errors import ProblemLog
from app.formats.word_files import read_qrels_file, read_run_file
from tests.formats.bad import BAD_IDS, BAD_RANKS, BAD_SCORES
from tests.furniture.properties import tried

IDS = st.sampled_from(["q1", "q2", "d1", "d2", "d3", "a-long-but-plain-document-id-0001", "x" * 33, "é"])
SCORES = st.one_of(
    st.floats(-100, 100).map(repr),
    st.floats(0, 30).map("{:.6f}".format),
    st.sampled_from(["1e3", "nan", "7"]),
)
GAPS = st.sampled_from([" "] * 20 + ["\t", "  ", "\x0b", "\xa0"])
ENDS = st.sampled_from(["\n"] * 9 + ["\r\n", "\n\n", " \n", "\r\r\n", ""])
RUN_LINES = st.builds(
    lambda query, document, rank, score, gap, end: f"{query}{gap}Q0 {document} {rank}{gap}{score} tag{end}",
    *(IDS, IDS, st.integers(0, 12).map(str), SCORES, GAPS, ENDS),
)
QRELS_LINES = st.builds(
    lambda query, document, grade, gap, end: f"{query} 0{gap}{document} {grade}{end}",
    *(IDS, IDS, st.sampled_from(["0", "1", "3", "-1", "2.0", "-2", "x", "1000001"]), GAPS, ENDS),
)


def run_rows(file):
    pairs = file.pairs
    lines = zip(pairs.query.tolist(), file.rank.tolist(), file.score.tolist(), strict=True)
    return file.tag, {
        (pairs.query_ids[query], pairs.document[line]): (rank, score)
        for line, (query, rank, score) in enumerate(lines)
    }


def qrels_rows(file):
    pairs = file.pairs
    lines = zip(pairs.query.tolist(), file.grade.tolist(), file.line.tolist(), strict=True)
    return {
        (pairs.query_ids[query], pairs.document[place]): (grade, line)
        for place, (query, grade, line) in enumerate(lines)
    }


def strictly(reader, data):
    log = ProblemLog()
    return reader(data, "file.txt", log), log


def same_problems(log, strict):
    return (list(map(str, log.problems)), log.total, log.left_out) == (
        list(map(str, strict.problems)),
        strict.total,
        strict.left_out,
    )


@settings(max_examples=tried(400))
@given(st.lists(RUN_LINES, max_size=10).map("".join))
@example("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1.5 tag")
@example("q1 Q0 d1 1 2.5 tag\nq1 Q0 d1 1 2.5 tag\n")
@example("q1 Q0 d1 1 2.5 tag\nq2 Q0 d1 1 2.5 tag\nq1 Q0 d2 1 2.5 tag\n")
@example("q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 1 2.5 other\n")
def test_a_run_is_read_as_the_strict_reader_reads_it(text):
    data, log = text.encode(), ProblemLog()
    expected, strict_log = strictly(word_files._strict_run, data)

    found = read_run_file(data, "file.txt", log)

    assert same_problems(log, strict_log)
    if not log.total:
        assert run_rows(found) == run_rows(expected)


@settings(max_examples=tried(400))
@given(st.lists(QRELS_LINES, max_size=10).map("".join))
@example("q1 0 d1 1\nq1 0 d2 -1\nq2 0 d1 3")
@example("q1 0 d1 1\nq1 0 d1 1\n")
@example("q1 0 d1 1\nq1 0 d1 2\n")
@example("q1 0 d1 1000001\n")
def test_qrels_are_read_as_the_strict_reader_reads_them(text):
    data, log = text.encode(), ProblemLog()
    expected, strict_log = strictly(word_files._strict_qrels, data)

    found = read_qrels_file(data, "file.txt", log)

    assert same_problems(log, strict_log)
    if not log.total:
        assert qrels_rows(found) == qrels_rows(expected)


def test_plain_files_take_the_quick_way():
    run = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 2 1e-3 tag\nq2 Q0 d1 1 -0.25 tag\n"
    qrels = b"q1 0 d1 3\nq1 0 d2 -1\n"

    assert run_rows(word_files._plain_run(run, "x")) == run_rows(strictly(word_files._strict_run, run)[0])
    assert qrels_rows(word_files._plain_qrels(qrels, "x")) == {("q1", "d1"): (3, 1), ("q1", "d2"): (-1, 2)}


@pytest.mark.parametrize("bad", [*BAD_SCORES, *BAD_RANKS])
def test_a_bad_number_is_named_with_its_line(bad):
    for rank, score in ((bad, "1.5"), ("2", bad)):
        data = f"q1 Q0 d1 1 2.5 tag\nq1 Q0 d2 {rank} {score} tag\n".encode("utf-8", "surrogatepass")
        _, strict_log = strictly(word_files._strict_run, data)

        _, log = strictly(read_run_file, data)

        assert same_problems(log, strict_log)


@pytest.mark.parametrize("bad", [raw for raw, _ in BAD_IDS.values()])
def test_a_bad_id_is_named_with_its_line(bad):
    data = f"q1 0 d1 1\nq1 0 {bad} 2\n".encode("utf-8", "surrogatepass")
    _, strict_log = strictly(word_files._strict_qrels, data)

    _, log = strictly(read_qrels_file, data)

    assert same_problems(log, strict_log)


def test_a_file_of_many_blocks_is_read_whole_also_packed():
    lines = "".join(
        f"q{line // 100} Q0 d{line} {line % 100} {9e5 - line / 7:.5f} tag\n" for line in range(20_000)
    )
    expected = run_rows(strictly(word_files._strict_run, lines.encode())[0])

    for data in (lines.encode(), gzip.compress(lines.encode())):
        assert run_rows(word_files._plain_run(data, "x")) == expected


def test_documents_whose_hashes_meet_are_told_apart(monkeypatch):
    monkeypatch.setattr("app.formats.words.Words.hashes", lambda words: words.rows[:, 0] & 1)
    data = b"q1 Q0 d1 1 2.5 tag\nq1 Q0 d3 2 1.5 tag\nq2 Q0 d1 1 2.5 tag\n"

    assert len(word_files._plain_run(data, "x").pairs) == 3
    # Three that meet, of which the first and the last may be the same: the strict reader settles it.
    assert word_files._plain_run(data + b"q1 Q0 d5 3 0.5 tag\n", "x") is None
    assert len(read_run_file(data + b"q1 Q0 d5 3 0.5 tag\n", "x", ProblemLog()).pairs) == 4
