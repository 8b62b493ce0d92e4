"""The texts of the demo: as many, as long and as mixed as its concept says."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest

from app.demo.answer_key import article_facets, question_facets
from app.demo.corpus import articles, articles_until, questions

SECTIONS = {
    "Brakes": 8,
    "Gears and chain": 9,
    "Wheels and tyres": 8,
    "Saddle and fit": 4,
    "Lights and electrics": 4,
    "E-bikes": 6,
    "Services and prices": 6,
    "Opening, booking and pick-up": 4,
    "Buying and trade-in": 4,
    "Safety and law": 3,
    "Care and storage": 2,
    "Children and cargo": 2,
}
STYLES = {"plain": 8, "mismatch": 8, "exact": 3, "ambiguous": 2, "price": 1, "no answer": 2}


def test_there_are_sixty_articles_in_the_sections_of_the_help_centre():
    assert Counter(article.source for article in articles()) == SECTIONS


@pytest.mark.parametrize("article", articles(), ids=lambda article: article.doc_id)
def test_each_article_has_a_title_and_sixty_to_140_words(article):
    assert article.title.strip() == article.title != ""
    assert 60 <= len(article.text.split()) <= 140


def test_titles_and_texts_are_told_apart():
    assert len({article.title for article in articles()}) == 60
    assert len({article.text for article in articles()}) == 60


def test_ids_are_sorted_and_unique():
    for ids in ([a.doc_id for a in articles()], [q.query_id for q in questions()]):
        assert ids == sorted(set(ids))


def test_articles_arrive_in_every_one_of_the_eight_weeks():
    sizes = [len(articles_until(week)) for week in range(9)]

    assert sizes[0] == 0
    assert sizes[8] == 60
    assert all(earlier < later for earlier, later in itertools.pairwise(sizes))


def test_there_are_twenty_four_questions_in_the_mix_of_the_concept():
    assert len(questions()) == 24
    assert Counter(facets.style for facets in question_facets()) == STYLES


@pytest.mark.parametrize("question", questions(), ids=lambda question: question.query_id)
def test_questions_read_as_riders_type_them_and_carry_a_note(question):
    assert not question.text.endswith((".", "?"))
    assert question.text[0].islower()
    assert question.intent.endswith(".")


def test_twelve_articles_are_there_to_distract():
    ids = {question.query_id for question in questions()}
    distractors = [facets for facets in article_facets() if facets.distracts]

    assert len(distractors) == 12
    assert all(set(facets.distracts) <= ids for facets in distractors)


def test_the_note_of_a_question_does_not_say_whether_there_is_an_answer():
    unanswered = {facets.query_id for facets in question_facets() if facets.style == "no answer"}

    for question in questions():
        if question.query_id in unanswered:
            assert "no answer" not in question.intent.lower()
            assert "does not" not in question.intent
