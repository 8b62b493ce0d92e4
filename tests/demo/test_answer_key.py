"""The answer key: a grade for every pair, by rule first and by reading second."""

from __future__ import annotations

from collections import Counter

import pytest

from app.demo.answer_key import (
    ArticleFacets,
    QuestionFacets,
    answer_key,
    article_facets,
    corrections,
    question_facets,
    rule_grade,
    rule_grades,
)
from app.demo.corpus import articles, questions


def question(**changes):
    given = {
        "query_id": "q",
        "style": "plain",
        "section": "Brakes",
        "part": "pads",
        "kinds": ["any"],
        "needs": {"quiet": ["cause", "cure"]},
        "less_likely": [],
    }
    return QuestionFacets(**(given | changes))


def article(**changes):
    given = {
        "doc_id": "d",
        "part": "bell",
        "intents": [],
        "facts": [],
        "kinds": ["any"],
        "outdated": False,
        "distracts": [],
    }
    return ArticleFacets(**(given | changes))


@pytest.mark.parametrize(
    ("facts", "grade"),
    [(["cause", "cure"], 3), (["cure"], 2), (["cure", "price"], 2), (["price"], 1), ([], 1)],
)
def test_the_right_intent_earns_what_its_facts_are_worth(facts, grade):
    assert rule_grade(question(), article(intents=["quiet"], facts=facts), "Bells") == grade


def test_another_intent_earns_one_in_the_same_place_and_nothing_elsewhere():
    assert rule_grade(question(), article(part="pads"), "Brakes") == 1
    assert rule_grade(question(), article(part="pads"), "Bells") == 0
    assert rule_grade(question(), article(part="bell"), "Brakes") == 0


def test_the_best_of_several_meanings_counts_and_a_less_likely_one_stops_at_two():
    ambiguous = question(needs={"book": ["when"], "ride": ["how"]}, less_likely=["ride"])

    assert rule_grade(ambiguous, article(intents=["book"], facts=["when"]), "Bells") == 3
    assert rule_grade(ambiguous, article(intents=["ride"], facts=["how"]), "Bells") == 2


def test_the_wrong_kind_of_bike_and_an_outdated_article_stop_at_one():
    full = {"intents": ["quiet"], "facts": ["cause", "cure"]}

    assert rule_grade(question(kinds=["e-bike"]), article(kinds=["child"], **full), "Bells") == 1
    assert rule_grade(question(kinds=["e-bike"]), article(kinds=["any"], **full), "Bells") == 3
    assert rule_grade(question(kinds=["any"]), article(kinds=["child"], **full), "Bells") == 3
    assert rule_grade(question(), article(outdated=True, **full), "Bells") == 1


def test_every_one_of_the_1440_pairs_has_a_grade_on_the_scale():
    pairs = {(q.query_id, a.doc_id) for q in questions() for a in articles()}

    assert len(pairs) == 1440
    assert set(rule_grades()) == set(answer_key()) == pairs
    assert set(answer_key().values()) == {0, 1, 2, 3}


def test_facets_name_the_questions_and_articles_that_exist_and_the_facts_that_are_needed():
    needed = {fact for facets in question_facets() for facts in facets.needs.values() for fact in facts}
    given = {fact for facets in article_facets() for fact in facets.facts}

    assert [facets.query_id for facets in question_facets()] == [q.query_id for q in questions()]
    assert [facets.doc_id for facets in article_facets()] == [a.doc_id for a in articles()]
    assert needed <= given


def test_questions_of_all_kinds_but_one_have_an_article_that_solves_them():
    best = Counter()
    for (query_id, _), grade in answer_key().items():
        best[query_id] = max(best[query_id], grade)

    for facets in question_facets():
        assert best[facets.query_id] == (0 if facets.style == "no answer" else 3), facets.query_id


def test_corrections_say_what_the_rule_had_and_why_it_was_changed():
    rules = rule_grades()
    pairs = [(fix.query_id, fix.doc_id) for fix in corrections()]

    assert len(pairs) == len(set(pairs)) == 24
    for fix in corrections():
        assert rules[fix.query_id, fix.doc_id] == fix.rule != fix.grade
        assert fix.reason.endswith(".")
        assert answer_key()[fix.query_id, fix.doc_id] == fix.grade


def test_only_pairs_of_the_pool_were_corrected(plan):
    pool = {
        (query_id, doc_id)
        for week in plan.weeks
        for run in week.runs
        for query_id, found in run.lists.items()
        for doc_id, _ in found[:5]
    }

    assert {(fix.query_id, fix.doc_id) for fix in corrections()} <= pool
