"""The next test of a race of two rankers, with two answers a question."""

import pytest

from app.services.evidence import evidence_of
from app.services.next_answers import milestone_of
from app.services.runs import withdraw_run


def milestone(race):
    return milestone_of(evidence_of(race.database, race.project.id))


def test_what_finishing_the_open_milestone_takes_and_decides(race):
    found = milestone(race)

    assert (found.look.number, found.look.milestone, found.look.forecast.ready) == (1, 10, 0)
    assert (found.look.missing.answers, len(found.look.missing.queries)) == (20, 10)
    assert (found.questions, found.rankers, found.pairs, found.look.forecast.look.alpha) == (10, 2, 1, 0.025)
    assert found.detectable == pytest.approx(2.8016 * 0.25 / (10 - 1.9207) ** 0.5, rel=1e-3)
    assert not found.measured
    assert [pair.verdict.word for pair in found.undecided] == ["too early"]

    race.rate(race.ordered()[:4])
    assert milestone(race).look.missing.answers == 12


def test_a_test_that_would_use_up_the_plan_is_announced_as_its_last(make_race):
    race = make_race(24)
    race.look()  # the plan is declared
    first, *others = race.ordered()
    race.rate(others)

    forecast = milestone(race).look.forecast
    assert (forecast.ready, forecast.stretch, forecast.n) == (9, 10, 24)

    race.rate([first])
    race.look()
    assert [one.look for one in race.plan.taken] == [forecast.look]


def test_after_a_look_the_next_one_is_told_with_the_projects_own_spread(make_race):
    race = make_race(behind_wins=6)
    race.rate(race.ordered()[:10])
    race.look()

    found = milestone(race)

    assert (found.look.number, found.look.milestone, found.questions) == (2, 20, 20)
    assert found.look.missing.answers == 20
    assert found.measured
    race.rate(race.ordered()[10:])
    race.look()
    assert milestone(race) is None, "the last look is taken"


def test_one_ranker_has_nobody_to_be_tested_against(small):
    for run in small.runs[1:]:
        with small.making() as make:
            withdraw_run(make.session, make.session.get_one(type(run), run.id))

    assert milestone_of(evidence_of(small.database, small.project.id)) is None
