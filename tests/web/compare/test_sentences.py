"""The wording of Compare: each sentence appears where its data is, and nowhere else."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from app.scoring.significance_power import outlook_of
from app.services.comparison import Missing
from app.web.compare.sentences import (
    SETTLED_STREAK,
    TOUCHES,
    beside_overview,
    gap_label_of,
    lead_of,
    settle_of,
    streak_of,
)

NAMES = ("Blend", "Full text")
NOTHING = Missing(0, ())


def pair_of(
    word: str,
    *,
    mean: float | None = 0.04,
    ends: tuple[float | None, float | None] = (-0.01, 0.09),
    n: int = 24,
    bounds: tuple[float, float] | None = (0.04, 0.04),
    tags: tuple[str, ...] = (),
    outlook: Any = None,
    planned: bool = True,
    looks: tuple[Any, ...] = (),
) -> Any:
    look = SimpleNamespace(n=20, mean=0.05)
    held = SimpleNamespace(look=look, taken=SimpleNamespace(at=datetime(2026, 3, 5, tzinfo=UTC)))
    interval = SimpleNamespace(mean=mean, low=ends[0], high=ends[1], n=n)
    return SimpleNamespace(
        n=n,
        mean=mean,
        held=held if word == "sure" else None,
        looks=looks,
        bounds=bounds,
        planned=planned,
        verdict=SimpleNamespace(word=word, tags=tags, interval=interval, outlook=outlook),
    )


def a_look(pairs: int) -> Any:
    return SimpleNamespace(taken=SimpleNamespace(said={"pairs": [None] * pairs}, look=SimpleNamespace(n=20)))


def test_the_questions_of_a_mean_are_the_scored_ones_that_both_cover() -> None:
    (lead,) = lead_of(pair_of("sure"), NAMES, None)
    (one,) = lead_of(pair_of("too early", n=1), NAMES, None)

    assert "4 points more than Full text, over the 24 scored questions that both cover." in lead
    assert "on the one scored question that both cover." in one


def test_below_ten_questions_the_lead_says_how_many_are_lacking() -> None:
    (lead,) = lead_of(pair_of("too early", n=7), NAMES, None)

    assert "10" in lead
    assert "surely" not in lead.lower()
    assert settle_of(pair_of("too early", n=7), NOTHING)[0] == (
        "Rate until 3 more questions that both cover are scored."
    )
    assert settle_of(pair_of("too early", n=2), NOTHING, possible=3)[0] == (
        "Rate what is left, and add at least 7 questions with results of both."
    )
    assert settle_of(pair_of("too early", n=3), NOTHING, possible=3)[0] == (
        "Add at least 7 questions with results of both."
    )


def test_without_a_common_question_there_is_no_gap_and_no_picture_of_one() -> None:
    nothing = pair_of("too early", n=0, mean=None, ends=(None, None), bounds=None)

    assert gap_label_of(nothing, NAMES) == ""
    assert streak_of(nothing) == ["Once both are scored on the same questions, their gap shows here."]


@pytest.mark.parametrize(
    ("pairs", "said"),
    [
        (1, "The planned test on 20 questions could not tell them apart."),
        (6, "The planned test, which allows for all 6 pairs, on 20 questions could not tell them apart."),
    ],
)
def test_the_last_look_is_told_with_what_it_allowed_for(pairs: int, said: str) -> None:
    test: Any = SimpleNamespace(raw=[0.2])

    (lead,) = lead_of(pair_of("not sure yet", looks=(a_look(pairs),)), NAMES, test)

    assert lead.endswith(said)
    assert "If both were equally good, a gap this big would still turn up" in lead


def test_only_a_planned_test_makes_it_sure_and_no_chance_is_quoted_then() -> None:
    (lead,) = lead_of(pair_of("sure"), NAMES, SimpleNamespace(raw=[0.2]))  # type: ignore[arg-type]

    assert "The planned test on 20 questions made it sure, by 5 points." in lead
    assert "equally good" not in lead
    assert settle_of(pair_of("sure"), NOTHING)[0] == (
        "It is sure since 5 Mar 2026, unless today’s ratings turn it round."
    )


@pytest.mark.parametrize(
    ("word", "ends", "said"),
    [
        ("not sure yet", (-0.01, 0.09), [TOUCHES]),
        ("settled", (-0.01, 0.09), [SETTLED_STREAK]),
        ("sure", (0.01, 0.09), []),
    ],
)
def test_the_streak_is_read_by_the_word(word: str, ends: tuple[float, float], said: list[str]) -> None:
    assert streak_of(pair_of(word, ends=ends)) == said


def test_a_streak_clear_of_zero_is_not_sure_without_a_planned_test() -> None:
    (said,) = streak_of(pair_of("leaning", ends=(0.01, 0.09)))

    assert "only the planned tests make a verdict sure" in said


def test_below_eight_questions_a_streak_is_promised_and_none_is_read_out() -> None:
    few = pair_of("too early", ends=(None, None), n=7)

    assert streak_of(few) == ["From 8 questions on, a streak shows where the true gap very likely lies."]
    assert gap_label_of(few, NAMES) == (
        "Average gap +4 points for Blend against Full text, too few questions to say how sure"
    )


def test_what_unrated_answers_can_still_do_is_said_only_where_they_can() -> None:
    assert streak_of(pair_of("sure", ends=(0.01, 0.09), bounds=(-0.12, 0.3))) == [
        (
            "On the questions scored today, unrated answers can still move it, to −12 at the least and +30 "
            "at the most."
        )
    ]
    assert streak_of(pair_of("sure", ends=(0.01, 0.09), bounds=(0.05, 0.05)), 2) == [
        "2 more questions are not scored yet: once rated, they can join and move it further."
    ]
    assert streak_of(pair_of("sure", ends=(0.01, 0.09), bounds=None)) == []


def test_the_outlook_reads_todays_data_and_promises_nothing() -> None:
    outlook = outlook_of(0.06, 0.2, scored=24, walked=24)

    (said, rated) = settle_of(pair_of("leaning", outlook=outlook), NOTHING)

    assert said == f"About {outlook.more} more questions would show a difference of 6 points or more."
    assert rated == "Every answer in the two lists is rated."


def test_a_gap_too_small_to_show_is_too_close_to_call() -> None:
    said = settle_of(pair_of("not sure yet", outlook=outlook_of(0.002, 0.2, scored=24, walked=24)), NOTHING)

    assert "The present difference, less than 1 point, is too close to call." in said


@pytest.mark.parametrize(
    ("ahead", "said"),
    [
        (
            500,
            " 500 of this project are not part of a test yet: finish their ratings, no new ones are needed",
        ),
        (1, " 1 of this project is not part of a test yet: finish their ratings first, then about "),
    ],
)
def test_questions_that_are_there_already_come_before_new_ones(ahead: int, said: str) -> None:
    outlook = outlook_of(0.06, 0.2, scored=24, walked=10)

    assert said in settle_of(pair_of("leaning", outlook=outlook), NOTHING, ahead)[0]


def test_where_no_test_is_coming_leaning_is_the_most() -> None:
    said = settle_of(pair_of("leaning", planned=False), NOTHING)

    assert said[0].endswith("leaning is the most that can be said.")


@pytest.mark.parametrize(
    ("word", "tags", "missing", "said"),
    [
        ("settled", (), Missing(3, (1, 2)), "3 answers of 2 questions still lack a rating."),
        ("settled", (), Missing(1, (1,)), "1 answer of 1 question still lacks a rating."),
        (
            "leaning",
            ("provisional",),
            Missing(3, (1,)),
            "Cheapest is to rate what the two put on top: 3 answers of 1 question still lack a rating.",
        ),
        (
            "sure",
            ("grades declared complete",),
            Missing(3, (1,)),
            "Grades are declared complete: what is not rated counts as 0.",
        ),
    ],
)
def test_missing_ratings_are_counted_or_declared_away(
    word: str, tags: tuple[str, ...], missing: Missing, said: str
) -> None:
    assert settle_of(pair_of(word, tags=tags), missing)[-1] == said


def test_another_gap_on_the_overview_is_explained_only_where_there_may_be_one() -> None:
    (said,) = beside_overview(26, 23)
    assert "on the 23 questions that all of them cover" in said
    assert [beside_overview(23, 23), beside_overview(23, 0)] == [[], []]
