"""What to do next: each sentence promises no more than the data of its project supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.services.overview import coverage_of, next_step_of, standing_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.overview import NextStep
    from tests.furniture.race import Race


def next_of(race: Race) -> NextStep:
    evidence = race.basis.evidence
    standing = standing_of(evidence)
    return next_step_of(standing, coverage_of(evidence, standing.board.judged))


@pytest.mark.parametrize(
    ("questions", "rated", "text", "place"),
    [
        (24, 4, "Rate until 6 more questions are scored.", "rate"),
        (24, 9, "Rate until 1 more question is scored.", "rate"),
        (
            8,
            4,
            "Rate what is left, then add 2 questions or more, with new results: a verdict needs 10 scored ones.",
            "rate",
        ),
        (9, 9, "Add 1 question or more, with new results: a verdict needs 10 scored ones.", "import"),
    ],
)
def test_before_any_verdict_it_asks_for_what_leads_to_one(
    make_race: Callable[..., Race], questions: int, rated: int, text: str, place: str
) -> None:
    race = make_race(questions)
    race.rate(race.queries[:rated])

    found = next_of(race)

    assert (found.text, found.place) == (text, place)


def test_rating_is_not_asked_for_once_grades_are_declared_complete(make_race: Callable[..., Race]) -> None:
    race = make_race(24)
    race.rate(race.queries[:8])
    race.set_ruler(unjudged="complete")
    early = next_of(race)
    race.rate(race.queries[8:20])
    race.look()

    assert early.text == "Add 2 questions or more, with new results: a verdict needs 10 scored ones."
    assert next_of(race).text == "Grades are declared complete. Import the next version of a ranker."


def test_a_test_that_waits_for_ratings_is_promised_to_nobody(make_race: Callable[..., Race]) -> None:
    race = make_race(24, behind_wins=12)
    race.look()  # the plan is declared
    race.rate(race.ordered()[1:])

    assert next_of(race).text == (
        "Rate 2 answers: the first test waits for them, and it is the last one planned for these versions."
    )


def test_the_next_test_waits_as_well(make_race: Callable[..., Race]) -> None:
    race = make_race(24, behind_wins=12)
    race.rate(race.ordered()[:-1])
    race.look()

    assert next_of(race).text == (
        "Rate 2 answers: the next test waits for them, and it is the last one planned for these versions."
    )


def test_when_all_is_rated_it_says_what_more_questions_would_show(make_race: Callable[..., Race]) -> None:
    race = make_race(24, behind_wins=11)
    race.rate(race.queries)
    race.look()

    assert next_of(race).text == (
        "About 425 more questions would show a difference of 5 points or more between Ahead and Behind."
    )
