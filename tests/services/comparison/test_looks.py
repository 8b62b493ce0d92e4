"""Looks: one at a milestone, each at its share of the 5 %, and none twice."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from sqlalchemy.exc import OperationalError

from app.models import EventKind
from app.services.comparison import find_due, pair_verdicts, record_due, state_of
from app.services.evidence import forget_evidence
from app.services.history import moments_of, moved_revision
from tests.furniture.race import GAP

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.furniture.race import Race


def test_nine_rated_questions_are_no_milestone(race: Race) -> None:
    race.rate(race.ordered()[:9])
    race.look()

    assert race.events(EventKind.LOOK) == []
    assert race.plan.milestone == 10


def test_only_questions_walked_in_the_order_count(race: Race) -> None:
    race.rate(race.ordered()[1:])
    race.look()

    assert race.plan.walk.n == 0
    assert race.events(EventKind.LOOK) == []


def test_ten_questions_are_a_look_with_everything_it_rests_on(race: Race) -> None:
    race.rate(race.ordered()[:10])
    before = race.basis.evidence.revision
    race.look()

    (event,) = race.events(EventKind.LOOK)
    said = event.payload
    assert (said["number"], said["milestone"], said["n"], said["alpha"]) == (1, 10, 10, 0.025)
    assert said["revision"] == before
    assert sorted(said["query_ids"]) == sorted(query.id for query in race.ordered()[:10])
    (pair,) = said["pairs"]
    # All 2^10 patterns of signs are tried; the two that give every question to one side reach this far.
    assert pair["p"] == 2 / 1024
    assert pair["mean"] == pytest.approx(-GAP)
    assert pair["low"] == pytest.approx(-GAP)
    assert pair["sure"] is True
    assert said["weight_judged"] == [1.0, 1.0]


def test_a_look_is_taken_once(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()
    race.look()
    race.rate(race.ordered()[10:12])
    race.look()

    assert len(race.events(EventKind.LOOK)) == 1


def test_an_import_past_three_milestones_spends_one_look(make_race: Callable[..., Race]) -> None:
    race = make_race(60)
    race.rate(race.ordered()[:45])
    race.look()

    (event,) = race.events(EventKind.LOOK)
    said = event.payload
    assert (said["number"], said["milestone"], said["n"], said["alpha"]) == (1, 40, 45, 0.025)


def test_all_looks_together_spend_five_percent(race: Race) -> None:
    order = race.ordered()
    for first, last in ((0, 10), (10, 20), (20, 25)):
        race.rate(order[first:last])
        race.look()

    said = [event.payload for event in race.events(EventKind.LOOK)]
    assert [one["milestone"] for one in said] == [10, 20, "all"]
    assert [one["alpha"] for one in said] == pytest.approx([0.05 / 2, 0.05 / 6, 0.05 / 3])
    assert sum(one["alpha"] for one in said) == pytest.approx(0.05)
    assert race.plan.milestone is None


def test_questions_added_after_the_last_look_buy_no_other(race: Race) -> None:
    race.rate(race.queries)
    race.look()
    late = race.add_queries(3)
    race.rate(late)
    race.look()

    assert len(race.events(EventKind.LOOK)) == 1


def test_grades_declared_complete_are_one_look_with_the_whole_share(race: Race) -> None:
    race.rate(race.queries[:12])
    race.set_ruler(unjudged="complete")
    race.look()

    (event,) = race.events(EventKind.LOOK)
    assert (event.payload["alpha"], event.payload["last"], event.payload["n"]) == (0.05, True, 12)


def test_of_two_who_found_the_same_look_only_the_first_writes_it(race: Race) -> None:
    race.rate(race.ordered()[:10])
    due = find_due(race.basis)
    assert due is not None

    with race.database.write() as session:
        first = record_due(session, due)
    with race.database.write() as session:
        second = record_due(session, due)

    assert (first, second) == (True, False)
    assert len(race.events(EventKind.LOOK)) == len(race.events(EventKind.PLAN)) == 1


def test_many_readers_at_once_take_one_look(race: Race) -> None:
    race.rate(race.ordered()[:10])
    start = threading.Barrier(6)

    def read() -> None:
        start.wait()
        race.look()

    threads = [threading.Thread(target=read) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(race.events(EventKind.LOOK)) == len(race.events(EventKind.PLAN)) == 1


def test_a_rating_in_between_does_not_lose_the_look(race: Race) -> None:
    race.rate(race.ordered()[:10])
    due = find_due(race.basis)
    race.rate(race.ordered()[10:11])

    with race.database.write() as session:
        assert record_due(session, due)

    (event,) = race.events(EventKind.LOOK)
    assert event.payload["n"] == 10
    assert event.payload["revision"] < event.revision - 2


def test_a_look_found_before_the_ruler_changed_is_not_written(race: Race) -> None:
    race.rate(race.ordered()[:10])
    due = find_due(race.basis)
    race.set_ruler(gain="exponential")

    with race.database.write() as session:
        assert not record_due(session, due)

    assert race.events(EventKind.LOOK) == []


def test_a_database_that_cannot_be_written_costs_the_reader_nothing(
    race: Race, monkeypatch: pytest.MonkeyPatch
) -> None:
    race.rate(race.ordered()[:10])

    def busy() -> None:
        raise OperationalError("BEGIN IMMEDIATE", {}, Exception("database is locked"))

    with monkeypatch.context() as patched:
        patched.setattr(race.database, "write", busy)
        basis = race.look()

    assert basis.evidence.revision == race.basis.evidence.revision
    assert race.events(EventKind.LOOK) == []


def test_the_same_ledger_gives_the_same_verdict_in_another_process(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()
    before = race.verdict()
    forget_evidence(race.database, race.project.id)

    again = race.verdict()
    assert again.verdict == before.verdict
    assert again.verdict.word == "sure"
    basis = race.basis
    assert pair_verdicts(basis, [again.rows], state=state_of(basis))[0].verdict == before.verdict


def test_plans_and_looks_are_no_moments_of_the_score(race: Race) -> None:
    race.rate(race.ordered()[:10])
    before = race.basis.evidence
    with race.database.read() as session:
        moments = moments_of(session, before)
    race.look()
    after = race.basis.evidence

    with race.database.read() as session:
        assert [one.revision for one in moments_of(session, after)] == [one.revision for one in moments]
    assert moved_revision(after) == moved_revision(before) < after.revision
