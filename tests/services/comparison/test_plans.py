"""Plans: declared once, in an order that knows no rating, gone on with and never begun twice."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.models import EventKind
from app.services.comparison import order_of, plan_for, plans_of
from app.services.corpus import retire_queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.furniture.race import Race


def names_of(race: Race) -> list[str]:
    return [query.external_id for query in race.ordered()]


def test_the_first_reader_declares_the_plan_and_the_second_finds_it(race: Race) -> None:
    race.look()
    race.look()

    (event,) = race.events(EventKind.PLAN)
    assert event.payload["run_ids"] == sorted(run.id for run in race.runs)
    assert event.payload["last"] == "all"
    assert race.plan.plan.revision == event.revision


def test_one_ranker_alone_has_no_plan(race: Race) -> None:
    evidence = race.basis.evidence
    alone = evidence.active_runs()[:1]

    from app.services.comparison import basis_of, find_due, state_of

    basis = basis_of(evidence, alone)
    assert state_of(basis) is None
    assert find_due(basis) is None


def test_the_order_is_drawn_and_does_not_know_the_ratings(race: Race) -> None:
    race.look()
    before = names_of(race)
    race.rate(race.queries[:3])

    assert sorted(before) == [query.external_id for query in race.queries]
    assert before != sorted(before)
    assert names_of(race) == before


def test_questions_added_later_come_after_all_others(race: Race) -> None:
    race.look()
    before = names_of(race)
    race.add_queries(4, prefix="b")
    between = names_of(race)
    race.add_queries(4, prefix="a")

    after = names_of(race)
    assert between[:25] == before
    assert after[:29] == between
    assert sorted(after[29:]) == ["a00", "a01", "a02", "a03"]


def test_a_retired_question_leaves_the_others_in_their_order(race: Race) -> None:
    race.look()
    before = names_of(race)
    gone = race.ordered()[2]
    with race.database.write() as session:
        retire_queries(session, race.project, [gone.external_id])

    assert names_of(race) == [name for name in before if name != gone.external_id]


def test_a_new_version_opens_a_plan_of_its_own(race: Race) -> None:
    race.look()
    first = race.plan.plan
    race.add_run("Behind")
    race.look()

    assert len(race.events(EventKind.PLAN)) == 2
    assert race.plan.plan.run_ids != first.run_ids


def test_another_ruler_opens_a_plan_and_coming_back_goes_on_with_the_old_one(race: Race) -> None:
    race.look()
    first = race.plan.plan.revision
    race.set_ruler(gain="exponential")
    race.look()
    second = race.plan.plan.revision
    race.set_ruler(gain="linear")
    race.look()

    assert second != first
    assert race.plan.plan.revision == first
    assert len(race.events(EventKind.PLAN)) == 2


def test_declaring_grades_complete_stays_within_the_plan(race: Race) -> None:
    race.look()
    race.set_ruler(unjudged="complete")
    race.look()

    assert len(race.events(EventKind.PLAN)) == 1


def test_two_projects_alike_draw_different_orders(make_race: Callable[..., Race]) -> None:
    one, other = make_race(), make_race()

    assert names_of(one) != names_of(other)


def test_the_plans_of_a_ledger_are_read_as_they_were_declared(race: Race) -> None:
    race.look()
    evidence = race.basis.evidence

    (plan,) = plans_of(evidence)
    assert plan == plan_for(evidence, evidence.current_runs())
    assert sorted(order_of(evidence, plan).tolist()) == list(range(25))
