import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.errors import FormatError
from app.formats.holding import held
from app.formats.rows import RunRow
from app.formats.writing import write_qrels, write_trec_run
from tests.formats.bad import BAD_IDS, GOOD_IDS


@pytest.mark.parametrize("format", ["trec", "csv", "tsv", "jsonl"])
def test_every_id_that_can_be_imported_can_be_held(format):
    assert [held(format, one) for one in GOOD_IDS] == list(GOOD_IDS)


def test_trec_cannot_hold_what_would_not_come_back():
    for value in ("a\tb", "", *(value for value, code in BAD_IDS.values() if code != "id-long")):
        with pytest.raises(FormatError, match="TREC files separate columns by spaces"):
            held("trec", value)

    with pytest.raises(FormatError) as refusal:
        held("trec", "red shoes")
    assert str(refusal.value.problems[0]) == (
        "export: TREC files separate columns by spaces, so an id cannot be empty or contain a space: "
        "'red shoes'. Choose JSON Lines for this export."
    )


def test_tsv_cannot_hold_tabs_and_line_ends_but_blanks():
    assert held("tsv", "a b") == "a b"
    for value in ("a\tb", "a\nb"):
        with pytest.raises(FormatError):
            held("tsv", value)


@given(st.text())
@pytest.mark.thorough
def test_trec_writers_refuse_whatever_text_cannot_be_held(text):
    try:
        refused = held("trec", text) != text
    except FormatError:
        refused = True

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
