"""The verdict on a pair: each word when its conditions hold, and taken back when they no longer do."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.models import EventKind
from app.services.comparison import missing_of, next_look_of
from app.services.evaluation import score_runs
from tests.furniture.race import GAP

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.furniture.race import Race


def test_below_ten_scored_questions_it_is_too_early(race: Race) -> None:
    race.rate(race.queries[:9])

    found = race.verdict()
    assert (found.verdict.word, found.verdict.ahead, found.n) == ("too early", 0, 9)


def test_without_a_scored_question_there_is_no_number(race: Race) -> None:
    found = race.verdict()

    assert (found.verdict.word, found.mean, found.bounds) == ("too early", None, None)


def test_a_look_that_nobody_took_makes_nothing_sure(race: Race) -> None:
    race.rate(race.queries)

    assert race.verdict().verdict.word == "leaning"


def test_ten_wins_out_of_ten_are_sure_after_their_look(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()

    found = race.verdict()
    assert (found.verdict.word, found.verdict.ahead) == ("sure", 1)
    assert found.mean == pytest.approx(GAP)
    assert found.held is not None
    assert found.held.taken.look.n == 10


def test_the_other_way_round_the_verdict_is_the_same_about_the_other(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()

    forward, backward = race.verdict(), race.verdict(1, 0)
    assert (backward.verdict.word, backward.verdict.ahead) == ("sure", -1)
    assert backward.mean == -forward.mean
    assert backward.verdict.look.low == -forward.verdict.look.high
    assert backward.bounds == pytest.approx((-forward.bounds[1], -forward.bounds[0]))


def test_a_sure_verdict_is_withdrawn_when_todays_grades_reverse_it(race: Race) -> None:
    rated = race.ordered()[:10]
    race.rate(rated)
    race.look()
    race.rate(rated, (0, 3))
    race.look()

    found = race.verdict()
    assert found.verdict.word != "sure"
    assert found.looks[0].look.mean == pytest.approx(GAP)
    assert found.looks[0].look.mean_today == pytest.approx(-GAP)


def test_a_look_whose_questions_have_no_score_left_claims_nothing(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()
    race.rate(race.ordered()[:10], (0, 0))
    race.rate(race.ordered()[10:])

    assert race.verdict().looks[0].look.mean_today == 0.0
    assert race.verdict().verdict.word == "leaning"


def test_an_even_race_is_not_sure_yet(make_race: Callable[..., Race]) -> None:
    race = make_race(20, behind_wins=10)
    race.rate(race.queries)
    race.look()

    found = race.verdict()
    assert (found.verdict.word, found.verdict.ahead) == ("not sure yet", 0)
    assert found.mean == pytest.approx(0.0)
    assert found.looks[0].look.p == 1.0


def test_a_clear_lead_is_settled_while_little_is_open(race: Race) -> None:
    race.rate(race.ordered()[1:])

    found = race.verdict()
    assert (found.verdict.word, found.verdict.ahead) == ("settled", 1)
    assert found.open_items == 2


def test_no_grades_of_what_is_open_turn_a_settled_lead_round(make_race: Callable[..., Race]) -> None:
    race = make_race(12, behind_wins=3)
    race.rate(race.queries[2:11])
    race.rate(race.queries[:1])
    found = race.verdict()
    assert found.verdict.word == "settled"

    basis = race.basis
    cells = np.flatnonzero(basis.board.judged.open)
    assert len(cells) == found.open_items == 4
    for grades in product(range(4), repeat=4):
        counts = basis.evidence.counts().copy()
        counts[cells, grades] = 1
        judged = basis.evidence.judged_from(counts, basis.board.ruler)
        board = score_runs(basis.evidence, basis.places, judged=judged)
        values = board.values[board.headline][:, board.common]
        first, second = found.rows
        assert float((values[first] - values[second]).sum()) > 0


def test_where_something_open_could_turn_it_round_it_is_not_settled(make_race: Callable[..., Race]) -> None:
    race = make_race(25, behind_wins=9)
    race.rate(race.queries[:18])

    found = race.verdict()
    assert found.verdict.word == "not sure yet"
    assert found.verdict.certificate[0] < 0 < found.verdict.certificate[1]
    assert found.bounds == pytest.approx((0.0, 0.0), abs=1e-12)


def test_declared_complete_nothing_is_provisional_or_settled(race: Race) -> None:
    race.rate(race.queries[:12])
    race.set_ruler(unjudged="complete")
    before = race.verdict()
    race.look()

    assert before.verdict.word == "leaning"
    assert before.verdict.tags == ("grades declared complete",)
    assert race.verdict().verdict.word == "sure"


def test_a_declaration_taken_back_takes_its_look_with_it(race: Race) -> None:
    race.rate(race.queries[:12])
    with race.making() as make:
        # An unrated answer on top of every list: under the declaration it was worth 0.
        first = make.document(race.project, "new")
        make.run(make.ranker(race.project, "Third"), {query: [first] for query in race.queries})
    race.set_ruler(unjudged="complete")
    race.look()
    third = next(run for run in race.basis.board.runs if run.run.ranker == "Third")
    race.runs.append(third.run)
    under = race.verdict(0, 2)
    race.set_ruler(unjudged="open")

    after = race.verdict(0, 2)
    assert (under.verdict.word, under.verdict.ahead) == ("sure", 1)
    assert after.verdict.word != "sure"
    assert after.looks[0].look.complete is False
    # With the best grade for the new answer the two are level: the sign is not kept.
    assert after.looks[0].look.bounds == pytest.approx((0.0, 1.0))
    # The two whose answers are all rated need no declaration.
    assert race.verdict(0, 1).verdict.word == "sure"


def test_an_old_verdict_stands_with_its_date_when_another_version_comes(race: Race) -> None:
    race.rate(race.ordered()[:10])
    race.look()
    race.add_run("Third")
    race.look()

    found = race.verdict()
    assert len(race.events(EventKind.PLAN)) == 2
    assert found.verdict.word == "sure"
    assert found.held.taken.said["plan"] == race.events(EventKind.PLAN)[0].revision


def test_with_three_rankers_the_test_allows_for_all_pairs(race: Race) -> None:
    race.add_run("Third", good_first=False)
    race.rate(race.queries)
    race.look()

    (event,) = race.events(EventKind.LOOK)
    assert len(event.payload["pairs"]) == 3
    assert [pair["sure"] for pair in event.payload["pairs"]] == [True, True, False]
    assert race.verdict(0, 2).verdict.word == "sure"
    assert race.verdict(1, 2).verdict.word == "not sure yet"


def test_what_is_missing_is_counted_for_a_pair_and_for_the_next_look(race: Race) -> None:
    race.look()
    race.rate(race.ordered()[:4])
    race.rate(race.ordered()[5:8])
    basis = race.basis

    missing = missing_of(basis, (0, 1))
    following = next_look_of(basis, race.plan)
    assert (missing.answers, len(missing.queries)) == (36, 18)
    assert (following.number, following.milestone, following.forecast.ready) == (1, 10, 7)
    # The fifth, the ninth and the tenth question of the order stand in the way.
    assert (following.missing.answers, len(following.missing.queries)) == (6, 3)
