"""Folding of long answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.answer_text import SHOWN_AT_ONCE, WORTH_FOLDING, folded, minutes_to_read


@given(st.text(max_size=4000))
def test_no_word_is_lost_in_a_fold(text):
    shown, rest = folded(text)

    assert (shown + rest).split() == text.split() or "".join((shown + rest).split()) == "".join(text.split())
    assert len(shown) <= SHOWN_AT_ONCE + WORTH_FOLDING


@pytest.mark.parametrize("length", [1, SHOWN_AT_ONCE, SHOWN_AT_ONCE + WORTH_FOLDING])
def test_a_text_that_is_not_much_longer_is_shown_whole(length):
    assert folded("x" * length).rest == ""


def test_a_text_without_sentences_is_folded_after_a_word():
    shown, rest = folded("word " * 1000)

    assert shown.endswith("word")
    assert rest.startswith("word")


def test_a_text_without_words_is_folded_all_the_same():
    assert len(folded("字" * 5000).shown) == SHOWN_AT_ONCE


@pytest.mark.parametrize(("words", "minutes"), [(9, 0), (120, 1), (220, 1), (440, 2), (2000, 9)])
def test_reading_takes_a_minute_for_220_words(words, minutes):
    assert minutes_to_read("word " * words) == minutes
