import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.errors import FormatError
from app.formats.holding import cannot_hold
from app.formats.rows import RunRow
from app.formats.trec import write_qrels, write_trec_run
from tests.formats.bad import BAD_IDS, GOOD_IDS


@pytest.mark.parametrize("format", ["trec", "csv", "tsv", "jsonl"])
def test_every_id_that_can_be_imported_can_be_held(format):
    assert cannot_hold(format, GOOD_IDS) == []


def test_trec_cannot_hold_what_would_not_come_back():
    values = [
        "red shoes",
        "a\tb",
        "",
        "d1",
        *(value for value, code in BAD_IDS.values() if code != "id-long"),
    ]

    problems = cannot_hold("trec", values)

    assert len(problems) == len(values) - 1
    assert str(problems[0]) == (
        "export: TREC files separate columns by spaces, so an id cannot be empty or contain a space: "
        "'red shoes'. Choose JSON Lines for this export."
    )


def test_tsv_cannot_hold_tabs_and_line_ends_but_blanks():
    assert [problem.value for problem in cannot_hold("tsv", ["a b", "a\tb", "a\nb"])] == [
        r"a\x09b",
        r"a\x0ab",
    ]


def test_at_most_a_hundred_problems_are_given():
    assert len(cannot_hold("trec", ["a b"] * 1000)) == 100


@given(st.text())
def test_trec_writers_refuse_exactly_what_is_said_beforehand(text):
    refused = bool(cannot_hold("trec", [text]))

    for write in (
        lambda: list(write_qrels([(text, "d", 1)])),
        lambda: list(write_qrels([("q", text, 1)])),
        lambda: list(write_trec_run([RunRow(text, "d", 1, 1.0)], "t")),
        lambda: list(write_trec_run([RunRow("q", text, 1, 1.0)], "t")),
        lambda: list(write_trec_run([RunRow("q", "d", 1, 1.0)], text)),
    ):
        if refused:
            with pytest.raises(FormatError, match="TREC"):
                write()
        else:
            assert write()
