"""The first rows of a file, as it would be read."""

from __future__ import annotations

import pytest

from app.formats.preview import preview_of
from app.formats.samples import SAMPLES


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: f"{sample.kind}-{sample.format}")
def test_every_sample_is_recognised_and_shown(sample):
    found = preview_of(sample.text.encode(), sample.kind)

    assert found.guess.format == sample.format
    assert found.rows
    assert {"query_id", "doc_id"} & set(found.names)


def test_a_trec_run_shows_place_score_and_tag():
    found = preview_of(b"q1 Q0 d1 1 2.5 blend\n\nq1 Q0 d2 2 2.0 blend\n", "run")

    assert found.names == ("query_id", "doc_id", "rank", "score", "tag")
    assert found.rows == [
        (1, {"query_id": "q1", "doc_id": "d1", "rank": "1", "score": "2.5", "tag": "blend"}),
        (3, {"query_id": "q1", "doc_id": "d2", "rank": "2", "score": "2.0", "tag": "blend"}),
    ]


def test_no_more_than_five_rows_are_read():
    lines = b"".join(b"q%d\ttext\n" % number for number in range(50))

    assert [line for line, _ in preview_of(lines, "queries").rows] == [1, 2, 3, 4, 5]


def test_columns_that_are_known_are_matched_even_where_one_is_missing():
    found = preview_of(b"qid,Frage\nq1,wie\n", "queries")

    assert found.fields == {"query_id": "qid"}
    assert found.guess.columns == ("qid", "Frage")
    assert found.rows == []


@pytest.mark.parametrize(
    "content",
    [
        b"Nr;Frage;Amt\nq1;wie;A\nq2;wo;A\nq3;was;A\nq4;wer;\n",
        b'{"Nr": "q1", "Frage": "wie", "Amt": "A"}\n{"Nr": "q2", "Frage": "wo"}\n{"Nr": "q3", "Frage": "was"}\n',
        b'[{"Nr": "q1", "Frage": "wie", "Amt": "A"}, {"Nr": "q2", "Frage": "wo"}, {"Nr": "q3", "Frage": "was"}]',
    ],
)
def test_every_column_of_the_file_has_examples_whatever_it_is_called(content):
    found = preview_of(content, "queries")

    assert found.examples == {"Nr": ["q1", "q2", "q3"], "Frage": ["wie", "wo", "was"], "Amt": ["A"]}
    assert found.rows == []


@pytest.mark.parametrize("kind", ["run", "judgments"])
def test_columns_have_examples_also_where_too_few_are_there(kind):
    found = preview_of(b"topic,score\n401,0.5\n402,0.7\n", kind)

    assert found.examples == {"topic": ["401", "402"], "score": ["0.5", "0.7"]}


def test_no_column_is_taken_for_a_name_that_was_given_nothing():
    found = preview_of(b"query_id,text,intent\nq1,wie,warum\n", "queries", columns={"intent": ""})

    assert found.fields == {"query_id": "query_id", "text": "text"}


def test_a_name_that_was_given_for_a_column_is_used():
    found = preview_of(b"qid,Frage\nq1,wie\n", "queries", columns={"text": "Frage"})

    assert found.rows == [(2, {"query_id": "q1", "text": "wie"})]


def test_invisible_characters_are_spelled_out_and_long_cells_cut():
    found = preview_of(("doc_id,text\nd1,a\u202eb\nd2," + "x" * 500 + "\n").encode(), "documents")

    assert found.rows[0][1]["text"] == "a\\u202eb"
    assert len(found.rows[1][1]["text"]) == 120


@pytest.mark.parametrize(
    "content",
    [b"", b"PK\x03\x04", b"\xff\xfea\x00", b"[1]", b"\x1f\x8bbroken", b"x" * 3_000_000, b"{" * 9_999],
)
def test_what_cannot_be_read_has_no_rows_but_a_sentence(content):
    found = preview_of(content, "documents")

    assert found.rows == []
    assert found.guess.reason
