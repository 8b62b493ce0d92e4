"""`flask gate`: exit status and one sentence."""

from __future__ import annotations

import pytest

from app.models import EventKind
from tests.furniture.race import race_in


@pytest.fixture
def race(stored):
    return race_in(stored, slug="race")


def test_a_better_ranker_passes_with_exit_status_0(race, run_command):
    race.rate(race.queries)

    result = run_command("gate", "race", "--ranker", "Ahead", "--against", "Behind")
    assert result.exit_code == 0
    assert result.output.startswith("Passed: Ahead v1 is surely better than Behind v1;")
    assert result.output.count("\n") == 1


def test_a_worse_ranker_fails_with_exit_status_1(race, run_command):
    race.rate(race.queries)

    result = run_command("gate", "race", "--ranker", "Behind", "--against", "Ahead")
    assert result.exit_code == 1
    assert result.output.startswith("Failed: Behind v1 lies 0.369 below Ahead v1, more than 0.01;")


def test_the_look_that_is_due_is_taken_first(race, run_command):
    race.rate(race.queries)

    result = run_command("gate", "race", "--ranker", "Ahead", "--against", "Behind", "--sure")
    assert result.exit_code == 0
    assert len(race.events(EventKind.LOOK)) == 1


def test_the_limits_can_be_set(race, run_command):
    race.rate(race.queries)

    assert (
        run_command("gate", "race", "--ranker", "Behind", "--against", "Ahead", "--max-drop", "0.4").exit_code
        == 0
    )
    strict = run_command("gate", "race", "--ranker", "Ahead", "--against", "Behind", "--min-coverage", "1")
    assert strict.exit_code == 0


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (
            ("race", "--ranker", "Nobody"),
            2,
            "No active version of a ranker 'Nobody': there is Ahead, Behind.",
        ),
        (
            ("race", "--ranker", "Ahead", "--against", "Ahead"),
            2,
            "Ahead cannot be held against itself: leave out",
        ),
        (("race", "--ranker", "Ahead"), 2, "Ahead has only one active version"),
        (("nowhere", "--ranker", "Ahead"), 2, "There is no project 'nowhere'."),
        (("race",), 2, "Missing option '--ranker'"),
        (("race", "--ranker", "Ahead", "--max-drop", "7"), 2, "7.0 is not in the range 0<=x<=1"),
        (("race", "--ranker", "Ahead", "--max-drop", "nan"), 2, "'nan' is not a number."),
        (("race", "--ranker", "Ahead", "--min-coverage", "x"), 2, "'x' is not a valid float range."),
        (("race", "--ranker", "Ahead", "--against", "Behind"), 1, "Failed: too early, 0 scored questions"),
    ],
)
def test_what_cannot_be_answered_is_one_line(race, run_command, words, code, said):
    result = run_command("gate", *words)

    assert result.exit_code == code
    assert said in result.output
