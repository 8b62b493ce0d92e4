"""The answer key: a grade for every pair of question and article, by rule and then by reading.

The facets were written beside the texts, before any ranker was run. The rule turns them into
grades; corrections are what reading the pooled pairs once, in random order and without a ranker in
sight, changed about them. Rankers and the application never see any of this.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from app.demo.corpus import articles, rows_of

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionFacets:
    """What a question needs: facts for each intent it may have, its place in the shop, its kind of bike."""

    query_id: str
    style: str
    section: str
    part: str
    kinds: list[str]
    needs: dict[str, list[str]]
    less_likely: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArticleFacets:
    """What an article gives: the intents it serves, its facts and the kinds of bike it covers."""

    doc_id: str
    part: str
    intents: list[str]
    facts: list[str]
    kinds: list[str]
    outdated: bool
    distracts: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """A grade that reading the pair changed, and why."""

    query_id: str
    doc_id: str
    rule: int
    grade: int
    reason: str


@cache
def question_facets() -> tuple[QuestionFacets, ...]:
    """Return the facets of all questions, by id."""
    return tuple(QuestionFacets(**row) for row in rows_of("question_facets.jsonl"))


@cache
def article_facets() -> tuple[ArticleFacets, ...]:
    """Return the facets of all articles, by id."""
    return tuple(ArticleFacets(**row) for row in rows_of("article_facets.jsonl"))


@cache
def corrections() -> tuple[Correction, ...]:
    """Return what reading the pooled pairs changed."""
    return tuple(Correction(**row) for row in rows_of("corrections.jsonl"))


def rule_grade(question: QuestionFacets, article: ArticleFacets, section: str) -> int:
    """Return the grade that the facets give by rule.

    The right intent with all its facts earns 3, with some 2, with none 1. Another intent earns 1 when
    section and part are those of the question. A less likely meaning stops at 2, the wrong kind of bike
    and an outdated article at 1.
    """
    earned = [_intent_grade(question, article, intent) for intent in question.needs]
    same_place = section == question.section and article.part == question.part
    grade = max([*earned, 1 if same_place else 0])
    wrong_kind = not _kinds_meet(question.kinds, article.kinds)
    return min(grade, 1) if wrong_kind or article.outdated else grade


@cache
def rule_grades() -> dict[Pair, int]:
    """Return the grade by rule of all 1,440 pairs."""
    sections = {article.doc_id: article.source for article in articles()}
    return {
        (question.query_id, article.doc_id): rule_grade(question, article, sections[article.doc_id])
        for question in question_facets()
        for article in article_facets()
    }


@cache
def answer_key() -> dict[Pair, int]:
    """Return the grade of all 1,440 pairs: by rule, corrected where the pair was read."""
    corrected = {(fix.query_id, fix.doc_id): fix.grade for fix in corrections()}
    return rule_grades() | corrected


def _intent_grade(question: QuestionFacets, article: ArticleFacets, intent: str) -> int:
    if intent not in article.intents:
        return 0
    needed = set(question.needs[intent])
    given = needed & set(article.facts)
    grade = 3 if given == needed else 2 if given else 1
    return min(grade, 2) if intent in question.less_likely else grade


def _kinds_meet(wanted: list[str], covered: list[str]) -> bool:
    return "any" in wanted or "any" in covered or bool(set(wanted) & set(covered))
