"""Leaving ratings out: the scores that would stand without them, by hand and by rating without them."""

import math

import pytest

from app.models import Document, Project, Query, Ranker, Run
from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.scores.leaderboard import leaderboard_of
from tests.furniture.factories import Make

SECOND = 1 / math.log2(3)


def scores(effect):
    return {one.run.ranker: (one.score, one.without) for one in effect.rankers}


@pytest.fixture
def disputed(panel):
    """Ada finds answer 0 perfect and nothing else, everywhere; Bo says the same of answer 3 of five."""
    for query in range(12):
        for answer in range(4):
            panel.say(panel.ada, query, answer, 3 * (answer == 0))
    for query in range(5):
        panel.say(panel.bo, query, 3, 3, active_ms=900)
    return panel


def test_without_an_annotator_the_scores_are_those_of_the_others(disputed):
    rated = disputed.rated()

    ada, bo = rated.effects[disputed.ada.id], rated.effects[disputed.bo.id]

    # Where both speak, answer 3 has the grades 0 and 3: its gain is 1.5.
    ideal = 3 + 1.5 * SECOND
    assert scores(bo)["Up"] == (pytest.approx((5 * 3 / ideal + 7) / 12), 1.0)
    assert scores(bo)["Down"] == (pytest.approx(5 * 1.5 / ideal / 12), 0.0)
    assert (bo.ratings, bo.tau, bo.scored, bo.scored_without) == (5, 1.0, 12, 12)
    assert bo.leads_without is None
    assert bo.largest.run.ranker == "Down"
    assert bo.largest.change == pytest.approx(-100 * 5 * 1.5 / ideal / 12)

    assert (scores(ada)["Up"][1], scores(ada)["Down"][1]) == (0.0, 1.0)
    assert (ada.ratings, ada.tau, ada.scored_without) == (48, -1.0, 5)
    assert ada.leads_without.ranker == "Down"


def test_it_is_what_a_project_without_these_ratings_shows(disputed):
    rated = disputed.rated()
    _, without = rated.without(rated.given.annotator == disputed.bo.id)

    official = leaderboard_of(rated.evidence, without)

    assert [one.score for one in official.rankers] == [1.0, 0.0]
    # Evidence itself is as it was.
    assert int(rated.evidence.counts().sum()) == 53
    assert official.rankers[0].run.ranker == "Up"


def test_verdicts_change_only_where_another_word_would_be_said(disputed):
    rated = disputed.rated()

    (change,) = rated.verdicts_without(disputed.ada.id)
    assert (change.first.ranker, change.second.ranker, change.after) == ("Down", "Up", "Too early")
    assert change.before == "Surely worse"
    assert rated.verdicts_without(disputed.bo.id) == []
    # Each is worked out once, for as long as the ledger stands still.
    assert rated.verdicts_without(disputed.ada.id)[0] is change
    assert disputed.rated().verdicts_without(disputed.ada.id)[0] is change
    disputed.say(disputed.bo, 6, 0, 1)
    assert disputed.rated().verdicts_without(disputed.ada.id)[0] is not change


def test_the_pairs_are_those_of_the_overview_older_versions_among_them(disputed):
    up = leaderboard_of(disputed.rated().evidence).rankers[0].run
    with disputed.database.write() as session:
        make = Make(session)
        lists = {
            answers[0].query_id: [session.get_one(Document, one.document_id) for one in answers[::-1]]
            for answers in disputed.answers
        }
        make.run(
            session.get_one(Ranker, up.ranker_id), {session.get_one(Query, q): d for q, d in lists.items()}
        )
        set_production(session, session.get_one(Project, disputed.project.id), session.get_one(Run, up.id))

    changes = disputed.rated().verdicts_without(disputed.ada.id)

    pairs = {(one.first.ranker, one.first.version, one.second.version, one.before) for one in changes}
    assert pairs == {("Up", "v2", "v1", "Surely worse"), ("Down", "v1", "v1", "Surely worse")}


def test_hasty_grades_are_left_out_beside_the_official_score_and_stay(disputed):
    rated = disputed.rated()

    effect, _ = rated.effect_of_fast_ratings

    assert effect.ratings == 5
    assert scores(effect)["Up"][1] == 1.0
    assert len(evidence_of(disputed.database, disputed.project.id).ledger) == 53


def test_without_rankers_there_is_nothing_to_move(database):
    from app.services.quality.annotators import rated_of
    from tests.furniture.factories import making_in

    with making_in(database)() as make:
        project = make.project()
        make.judgment(make.candidate(make.query(project)), make.member(project, "annotator"), 2)
    with database.read() as session:
        rated = rated_of(session, evidence_of(database, project.id))

    assert rated.effects == {}
    effect, verdicts = rated.effect_of_fast_ratings
    assert (effect.rankers, effect.tau, effect.largest, effect.leads_without) == ((), None, None, None)
    assert verdicts == []
