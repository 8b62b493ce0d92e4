"""Texts as words."""

from __future__ import annotations

import pytest

from app.demo.rankers.words import plain_words, stem_of, stemmed_words


def test_plain_words_are_lower_case_and_keep_their_hyphens():
    assert plain_words("The E-bike: 37-622, isn’t it?") == ("the", "e-bike", "37-622", "isn’t", "it")


def test_stemmed_words_count_a_hyphenated_word_and_each_of_its_parts():
    assert stemmed_words("37-622 tyres") == ("37", "622", "37-622", "tyr")


@pytest.mark.parametrize(
    ("word", "other"),
    [
        ("brakes", "brake"),
        ("truing", "true"),
        ("stopped", "stops"),
        ("batteries", "battery"),
        ("glasses", "glass"),
    ],
)
def test_forms_of_one_word_share_a_stem(word, other):
    assert stem_of(word) == stem_of(other)


@pytest.mark.parametrize("word", ["bus", "red", "sing", "loss", "e"])
def test_short_words_are_left_alone(word):
    assert stem_of(word) == word
