"""A project's own words in the product's sentences."""

from __future__ import annotations

import pytest

from app.services.projects.templates import PAPERS
from app.services.projects.words import USUAL, ProjectWords, is_label

WORDS = ProjectWords.of(PAPERS.wording)


@pytest.mark.parametrize(
    ("sentence", "own"),
    [
        ("Next question", "Next target paper"),
        ("Answers", "Recommended papers"),
        ("Rate an answer of a question.", "Rate a recommended paper of a target paper."),
        ("An answer waits", "A recommended paper waits"),
        ("%(answers)s answers of “%(question)s”", "%(answers)s recommended papers of “%(question)s”"),
        ("A question is what people ask; every ranker answers it.", "A target paper is what people ask; every ranker answers it."),
        ("the server does not answer yet", "the server does not answer yet"),
        ("Answered and unquestioned", "Answered and unquestioned"),
        ("which query it answers", "which query it answers"),
        ("one text can answer several questions", "one text can answer several target papers"),
        ("Choose one that answers this question.", "Choose one that answers this target paper."),
        ("gold answers, and its answers", "gold recommended papers, and its recommended papers"),
    ],
)  # fmt: skip
def test_nouns_are_the_projects_and_everything_else_stays(sentence, own):
    assert WORDS.reworded(sentence) == own
    assert USUAL.reworded(sentence) == sentence


def test_the_article_fits_the_word_and_missing_words_are_the_usual_ones():
    words = ProjectWords.of({"document": "item", "query": ""})

    assert words.reworded("An answer to a question") == "An item to a question"
    assert not ProjectWords.of({}).are_own


def test_a_percent_sign_never_stands_for_a_value():
    words = ProjectWords.of({"query": "100% paper %(n)s", "document": "%"})

    assert words.reworded("%(n)s questions, one question") == "%(n)s questions, one 100 paper (n)s"
    assert words.document == "answer"


@pytest.mark.parametrize(
    ("sentence", "label"),
    [
        ("Answer %(letter)s", True),
        ("%(num)s questions", True),
        ("question", True),
        ("No good answer", False),
        ("%(num)s questions in all.", False),
    ],
)
def test_labels_are_told_from_sentences(sentence, label):
    assert is_label(sentence) is label
