"""Which version runs when, and that a run comes out the same each time."""

from __future__ import annotations

import pytest

from app.demo.corpus import articles_until, questions
from app.demo.rankers.versions import VERSIONS, DemoCollection, lists_of, versions_in

TIMETABLE = {
    1: ["Title match v1", "Full text v1", "Topic match v1"],
    2: ["Title match v1", "Full text v1", "Topic match v1", "Blend v1"],
    4: ["Title match v1", "Full text v2", "Topic match v1", "Blend v1"],
    5: ["Title match v1", "Full text v2", "Topic match v1", "Blend v2"],
    6: ["Title match v1", "Full text v2", "Topic match v2", "Blend v2"],
    7: ["Title match v1", "Full text v2", "Topic match v2", "Blend v3"],
    8: ["Title match v1", "Full text v2", "Topic match v2", "Blend v3"],
}


@pytest.mark.parametrize("week", TIMETABLE)
def test_each_week_has_its_versions(week):
    assert [f"{v.ranker} {v.label}" for v in versions_in(week)] == TIMETABLE[week]


@pytest.fixture
def shelf():
    return DemoCollection(articles_until(8), questions())


@pytest.mark.thorough
@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: f"{version.ranker} {version.label}")
def test_two_runs_are_equal_and_lists_are_short_sorted_and_without_repeats(version, shelf):
    lists = lists_of(version, shelf)

    assert lists == lists_of(version, DemoCollection(shelf.articles, shelf.questions))
    for found in lists.values():
        assert 1 <= len(found) <= 10
        assert found == sorted(found, key=lambda hit: (hit[1], hit[0].encode()), reverse=True)
        assert len({doc_id for doc_id, _ in found}) == len(found)
        assert all(score == round(score, 6) > 0 for _, score in found)


@pytest.mark.parametrize("version", VERSIONS, ids=lambda version: f"{version.ranker} {version.label}")
def test_a_ranker_sees_only_the_articles_of_its_week(version):
    early = DemoCollection(articles_until(1), questions())
    known = set(early.doc_ids)

    found = {doc_id for hits in lists_of(version, early).values() for doc_id, _ in hits}

    assert found <= known
    assert len(known) == 46


def test_a_ranker_is_silent_about_a_question_without_a_match():
    title = VERSIONS[0]
    early = lists_of(title, DemoCollection(articles_until(1), questions()))

    # No title of the first week holds "slots", "any", "this" or "saturday".
    assert "q20" not in early


def test_the_order_of_the_articles_does_not_matter(shelf):
    backwards = DemoCollection(tuple(reversed(shelf.articles)), shelf.questions)

    for version in VERSIONS:
        forth, back = lists_of(version, shelf), lists_of(version, backwards)
        for query_id, found in forth.items():
            scores = dict(found)
            for doc_id, score in back[query_id]:
                assert scores.get(doc_id, found[-1][1]) == pytest.approx(score, abs=2e-5)
