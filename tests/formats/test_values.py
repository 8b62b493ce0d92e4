"""Single values that the corpora of whole files do not reach."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.errors import BadValueError
from app.formats.values import grade_of, id_of, name_of, rank_of, score_of, text_of, time_of
from tests.formats.bad import BAD_IDS


@given(st.text(max_size=20))
def test_an_id_comes_back_unchanged_or_is_refused(text):
    try:
        assert id_of(text, "query id") == text
    except BadValueError:
        assert not text or any(letter.isspace() or not letter.isprintable() for letter in text)


@given(st.text(min_size=1, max_size=20))
def test_an_accepted_id_survives_every_way_of_splitting_a_line(text):
    try:
        id_of(text, "query id")
    except BadValueError:
        return

    assert "".join(text.split()) == text.replace(" ", "")
    assert text.splitlines() == [text]
    assert text.encode().decode() == text


def test_half_a_character_is_refused_in_an_id():
    with pytest.raises(BadValueError) as caught:
        id_of("a\ud800", "query id")

    assert caught.value.code == "id-surrogate"


@pytest.mark.parametrize(("value", "code"), BAD_IDS.values(), ids=BAD_IDS)
def test_the_reason_names_what_is_meant(value, code):
    with pytest.raises(BadValueError, match="the document id"):
        id_of(value, "document id")


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_score_is_read_to_the_last_bit(number):
    assert score_of(repr(number)) == number
    assert score_of(number) == number


@pytest.mark.parametrize(
    "raw", [True, None, [], {}, "", " 1", "1 ", "1\n", b"1", float("nan"), float("inf"), 10**400]
)
def test_what_is_no_number_is_no_score(raw):
    with pytest.raises(BadValueError):
        score_of(raw)


@given(st.integers(0, 2**31 - 1))
def test_a_rank_is_a_whole_number_and_may_be_written_with_a_point(rank):
    assert rank_of(rank) == rank_of(str(rank)) == rank
    assert rank_of(f"{rank}.0") == rank_of(float(rank)) == rank


@pytest.mark.parametrize(
    ("raw", "grade"), [("3", 3), ("3.0", 3), ("+3", 3), ("3e0", 3), (3, 3), (3.0, 3), ("-0", 0)]
)
def test_a_grade_may_be_written_with_a_point_if_it_is_whole(raw, grade):
    assert grade_of(raw) == grade


def test_a_name_loses_the_blanks_around_it_and_may_hold_some():
    assert name_of(" Ann\xa0Lee ", "annotator") == "Ann\xa0Lee"
    assert name_of("  ", "annotator") is None


@pytest.mark.parametrize("raw", ["a\nb", "a\u202eb", "a\u2028b", "x" * 201, 5])
def test_a_name_stands_on_one_line(raw):
    with pytest.raises(BadValueError):
        name_of(raw, "annotator")


def test_a_text_may_hold_anything_but_nul_and_half_characters():
    assert text_of("a\t\n\x01\u2028", "text") == "a\t\n\x01\u2028"
    for bad in ("\x00", "\ud800"):
        with pytest.raises(BadValueError):
            text_of(bad, "text")


def test_a_time_is_kept_in_utc():
    assert time_of("2026-11-21T09:30:00Z") == datetime(2026, 11, 21, 9, 30, tzinfo=UTC)
    assert time_of("2026-11-21T09:30:00.5-02:00") == datetime(2026, 11, 21, 11, 30, 0, 500_000, tzinfo=UTC)
    assert time_of("") is None


@pytest.mark.parametrize(
    ("rank", "reason"),
    [
        ("99999999999", "the rank is above 2,147,483,647"),
        ("2147483648", "the rank is above 2,147,483,647"),
        ("00000000000000000", "the rank is not a whole number"),
        ("1.5", "the rank is not a whole number"),
        ("9999999999.0", "the rank is above 2,147,483,647"),
    ],
)
def test_a_rank_is_refused_for_what_is_wrong_with_it(rank, reason):
    with pytest.raises(BadValueError) as refused:
        rank_of(rank)

    assert refused.value.reason == reason
