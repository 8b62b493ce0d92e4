"""The guidelines before and after they were made clearer."""

from __future__ import annotations

from app.demo.guidelines import GUIDELINES, version_in
from app.demo.settings import GRADE_WORDS


def test_the_second_version_takes_over_in_week_six():
    assert [version_in(week) for week in range(1, 9)] == [1, 1, 1, 1, 1, 2, 2, 2]


def test_both_versions_explain_every_grade_in_its_own_words():
    for text in GUIDELINES:
        for grade, word in enumerate(GRADE_WORDS):
            assert f"**{grade}, {word['word']}.**" in text


def test_only_the_second_version_says_where_mostly_ends():
    first, second = GUIDELINES

    assert "Mostly, or a little?" in second
    assert "Mostly, or a little?" not in first
