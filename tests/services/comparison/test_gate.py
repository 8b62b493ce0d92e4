"""The gate: one answer and one sentence, each rule on its own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.services.comparison.gate import GateRules, _digits, gate_of
from app.services.errors import InvalidError, NotFoundError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.furniture.race import Race


def test_the_better_ranker_passes_and_the_worse_fails_with_its_drop(race: Race) -> None:
    race.rate(race.queries)

    passed = gate_of(race.basis, "Ahead", "Behind", GateRules())
    failed = gate_of(race.basis, "Behind", "Ahead", GateRules())
    assert passed.passed
    assert passed.sentence.startswith(
        "Passed: Ahead v1 is probably better than Behind v1, but not surely; NDCG@2"
    )
    assert "on 25 common questions: Ahead v1 1.000 (judged@2 1.000)" in passed.sentence
    assert not failed.passed
    assert failed.sentence.startswith("Failed: Behind v1 lies 0.369 below Ahead v1, more than 0.01;")


def test_a_drop_within_the_limit_passes(race: Race) -> None:
    race.rate(race.queries)

    assert gate_of(race.basis, "Behind", "Ahead", GateRules(max_drop=0.37)).passed


def test_to_be_sure_the_look_must_have_been_taken(race: Race) -> None:
    race.rate(race.queries)
    rules = GateRules(sure=True)

    before = gate_of(race.basis, "Ahead", "Behind", rules)
    race.look()
    after = gate_of(race.basis, "Ahead", "Behind", rules)
    assert (before.passed, after.passed) == (False, True)
    assert after.sentence.startswith("Passed: Ahead v1 is surely better than Behind v1;")


def test_settled_on_these_questions_is_not_sure_about_others(race: Race) -> None:
    race.rate(race.ordered()[1:])
    rules = GateRules(min_coverage=0.0)

    assert race.verdict().verdict.word == "settled"
    assert gate_of(race.basis, "Ahead", "Behind", rules).passed
    assert not gate_of(race.basis, "Ahead", "Behind", replace(rules, sure=True)).passed


def test_an_even_race_passes_unless_it_must_be_sure(make_race: Callable[..., Race]) -> None:
    race = make_race(20, behind_wins=10)
    race.rate(race.queries)
    race.look()

    assert gate_of(race.basis, "Ahead", "Behind", GateRules()).passed
    assert not gate_of(race.basis, "Ahead", "Behind", GateRules(sure=True)).passed


def test_too_little_coverage_fails_unless_grades_are_complete(race: Race) -> None:
    race.rate(race.queries)
    with race.making() as make:
        new = make.document(race.project, "new")
        lists = {query: [race.answers[query.id][0], new] for query in race.queries}
        make.run(make.ranker(race.project, "Third"), lists)

    failed = gate_of(race.basis, "Third", "Ahead", GateRules())
    race.set_ruler(unjudged="complete")
    passed = gate_of(race.basis, "Third", "Ahead", GateRules())
    assert failed.sentence.startswith("Failed: judged@2 of Third v1 is 0.500, below 0.9;")
    assert passed.passed


def test_below_ten_questions_nothing_passes(race: Race) -> None:
    race.rate(race.queries[:9])

    answer = gate_of(race.basis, "Ahead", "Behind", GateRules())
    assert not answer.passed
    assert answer.sentence.startswith("Failed: too early, 9 scored questions in common where 10 are needed;")


def test_without_another_ranker_the_version_before_is_meant(race: Race) -> None:
    race.add_run("Ahead", good_first=False)
    race.rate(race.queries)

    answer = gate_of(race.basis, "Ahead", None, GateRules())
    assert answer.sentence.startswith("Failed: Ahead v2 lies 0.369 below Ahead v1")
    with pytest.raises(InvalidError, match="Ahead cannot be held against itself: leave out --against"):
        gate_of(race.basis, "Ahead", "Ahead", GateRules())


def test_unknown_names_are_refused_with_those_that_exist(race: Race) -> None:
    with pytest.raises(NotFoundError, match="'Nobody': there is Ahead, Behind"):
        gate_of(race.basis, "Nobody", None, GateRules())
    with pytest.raises(NotFoundError, match="'Nobody'"):
        gate_of(race.basis, "Ahead", "Nobody", GateRules())
    with pytest.raises(NotFoundError, match="only one active version"):
        gate_of(race.basis, "Ahead", None, GateRules())


def test_a_baseline_that_nobody_rated_is_no_baseline(race: Race) -> None:
    race.rate(race.queries)
    with race.making() as make:
        new = make.document(race.project, "new")
        lists = {query: [new, race.answers[query.id][0]] for query in race.queries}
        make.run(make.ranker(race.project, "Unrated"), lists)

    answer = gate_of(race.basis, "Behind", "Unrated", GateRules())
    assert answer.sentence.startswith("Failed: judged@2 of Unrated v1 is 0.500, below 0.9;")
    assert gate_of(race.basis, "Behind", "Unrated", GateRules(min_coverage=0.5, max_drop=1)).passed


def test_answers_that_people_knew_are_no_ranker(race: Race) -> None:
    with race.making() as make:
        ranker = make.ranker(race.project, "Known", kind="manual")
        make.run(ranker, {race.queries[0]: race.answers[race.queries[0].id]})

    with pytest.raises(NotFoundError, match="'Known': there is Ahead, Behind"):
        gate_of(race.basis, "Known", "Ahead", GateRules())


@pytest.mark.parametrize("sure", [False, True])
@pytest.mark.parametrize("looked", [False, True])
@pytest.mark.parametrize(("ranker", "against"), [("Ahead", "Behind"), ("Behind", "Ahead")])
@pytest.mark.parametrize("max_drop", [0.0, 0.36, 0.38, 1.0])
def test_every_combination_gives_one_sentence(
    race: Race, sure: bool, looked: bool, ranker: str, against: str, max_drop: float
) -> None:
    race.rate(race.queries)
    if looked:
        race.look()

    answer = gate_of(race.basis, ranker, against, GateRules(max_drop, 1.0, sure))

    leads = ranker == "Ahead"
    assert answer.passed == ((leads or max_drop > 0.369) and (not sure or (leads and looked)))
    assert answer.sentence.startswith("Passed: " if answer.passed else "Failed: ")
    assert "\n" not in answer.sentence
    assert answer.sentence.count("judged@2") == 2


def test_a_drop_is_told_with_the_digits_that_show_it_is_too_large() -> None:
    assert _digits(0.0484, 0.048) == "0.0484"
    assert _digits(0.04804, 0.048) == "0.04804"
    assert _digits(0.369, 0.01) == "0.369"
