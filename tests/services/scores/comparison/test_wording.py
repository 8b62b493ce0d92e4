"""Sentences about a pair: what each says, at its edges."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.scoring.intervals import MeanInterval
from app.services.scores.context import MissingRatings
from app.services.scores.leaderboard import _action
from app.services.scores.verdict_text import (
    gap_in_words,
    gap_of,
    next_step_sentence,
    note_of,
    points_of,
    range_sentence,
    signed_gap,
    title_of,
    verdict_word,
    why_around_0,
)
from tests.furniture.databases import built_in
from tests.furniture.rankers import rankers_in

if TYPE_CHECKING:
    from app.database import Database
    from app.scoring.verdict import Word
    from app.services.scores.verdicts import PairVerdict
    from tests.furniture.rankers import TwoRankers

NAMES = ("Blend", "Full text")


def message(
    pair: PairVerdict,
    word: Word,
    mean: float,
    *,
    ends: tuple[float, float] = (0.0, 0.0),
    bounds: tuple[float, float] | None = None,
) -> PairVerdict:
    """Return the pair with another word, mean and interval; without bounds nothing is missing."""
    interval = MeanInterval(mean, *ends, 40, 0.95)
    ahead = 0 if word not in {"sure", "probably better"} else 1 if mean > 0 else -1
    verdict = replace(pair.verdict, word=word, ahead=ahead, interval=interval)
    return replace(pair, verdict=verdict, bounds=bounds or ends)


def of_one_ranker(pair: PairVerdict) -> PairVerdict:
    """Return the pair as two versions of one ranker, the newer first."""
    first = replace(pair.first, ranker="Blend", version="v2")
    return replace(pair, first=first, second=replace(pair.second, ranker="Blend", version="v1"))


@pytest.fixture
def pair(database: Database) -> PairVerdict:
    """Return the verdict on the two rankers, all rated."""
    return built_in(database, build_pair)


def build_pair(database: Database) -> PairVerdict:
    rankers = rankers_in(database)
    rankers.rate(rankers.queries)
    return rankers.verdict()


@pytest.mark.parametrize(
    ("word", "mean", "sentence"),
    [
        ("sure", 0.06, "Blend is better than Full text, by 6 points"),
        ("sure", -0.06, "Full text is better than Blend, by 6 points"),
        ("sure", 0.004, "Blend is better than Full text, by less than 1 point"),
        ("probably better", 0.01, "Blend is probably better than Full text, by 1 point"),
        ("not sure yet", 0.04, "Blend leads Full text by 4 points, but that isn’t certain yet"),
        ("not sure yet", -0.04, "Full text leads Blend by 4 points, but that isn’t certain yet"),
        ("not sure yet", 0.0, "Blend and Full text are level, but that isn’t certain yet"),
        (
            "too close to call",
            0.02,
            "Blend and Full text are too close to call: you can use either",
        ),
        (
            "too early",
            0.3,
            "Too early to compare Blend and Full text: 40 questions scored for both, 10 are needed",
        ),
    ],
)
def test_each_word_has_its_sentence(pair: PairVerdict, word: Word, mean: float, sentence: str) -> None:
    assert title_of(message(pair, word, mean), NAMES) == sentence


@pytest.mark.parametrize(
    ("mean", "ends", "sentence"),
    [
        (
            0.04,
            (-0.02, 0.10),
            "On new questions Blend could be anywhere from 2 points behind to 10 ahead.",
        ),
        (
            -0.04,
            (-0.10, 0.01),
            "On new questions Full text could be anywhere from 1 point behind to 10 ahead.",
        ),
        (0.05, (0.01, 0.09), "On new questions Blend is likely 1 to 9 points ahead."),
        (0.05, (0.05, 0.05), "On new questions Blend is likely 5 points ahead."),
        (
            0.01,
            (0.001, 0.02),
            "On new questions Blend is likely 0 to 2 points ahead.",
        ),
        (
            0.01,
            (-0.001, 0.02),
            "On new questions Blend is likely 0 to 2 points ahead.",
        ),
        (0.0, (-0.001, 0.001), "On new questions Blend and Full text are likely level."),
    ],
)
def test_the_interval_is_said_from_the_side_of_whoever_leads(
    pair: PairVerdict, mean: float, ends: tuple[float, float], sentence: str
) -> None:
    assert range_sentence(message(pair, "not sure yet", mean, ends=ends), NAMES) == sentence


def test_a_range_around_0_is_said_alike_whatever_the_verdict_and_explained_beside_probably(
    pair: PairVerdict,
) -> None:
    unsure, probably = (
        message(pair, word, 0.2, ends=(-0.03, 0.41)) for word in ("not sure yet", "probably better")
    )

    said = range_sentence(probably, NAMES)
    assert said == "On new questions Blend could be anywhere from 3 points behind to 41 ahead."
    assert said == range_sentence(unsure, NAMES)
    assert why_around_0(probably) == why_around_0(probably.turned())
    assert why_around_0(probably).startswith("“Probably” is less certain than the range")
    assert why_around_0(unsure) == why_around_0(message(pair, "probably better", 0.2, ends=(0.1, 0.3))) == ""


@pytest.mark.parametrize(("word", "told"), [("sure", "likely up to"), ("probably better", "likely 0 to")])
def test_whoever_is_surely_better_is_not_likely_level(pair: PairVerdict, word: Word, told: str) -> None:
    shown = range_sentence(message(pair, word, 0.01, ends=(0.001, 0.02)), NAMES)

    assert shown == f"On new questions Blend is {told} 2 points ahead."


@pytest.mark.parametrize(
    ("bounds", "sentence"),
    [
        ((-0.60, 0.73), "%s could be anywhere from 60 points behind to 73 ahead once all is rated."),
        (
            (0.10, 0.73),
            "%s is 10 to 73 points ahead, whatever the missing ratings are. On others that is not certain yet.",
        ),
        (
            (0.0, 0.73),
            "%s is level or up to 73 points ahead, whatever the missing ratings are. On others that is not certain yet.",
        ),
        ((0.52, 0.85), "On new questions Blend is likely 52 to 85 points ahead."),
    ],
)
def test_beyond_the_interval_it_is_said_what_missing_ratings_could_do(
    pair: PairVerdict, bounds: tuple[float, float], sentence: str
) -> None:
    leading = message(pair, "not sure yet", 0.69, ends=(0.52, 0.85), bounds=bounds)

    said = sentence.replace("%s", f"On these {leading.n} questions Blend")
    assert range_sentence(leading, NAMES) == said
    assert range_sentence(leading.turned(), NAMES[::-1]) == said


@pytest.mark.parametrize(
    ("word", "is_open"),
    [("not sure yet", True), ("probably better", True), ("too close to call", False), ("sure", False)],
)
def test_where_only_other_questions_are_in_doubt_it_is_said(
    pair: PairVerdict, word: Word, *, is_open: bool
) -> None:
    leading = message(pair, word, 0.69, ends=(0.52, 0.85), bounds=(0.04, 0.9))

    said = range_sentence(leading, NAMES)

    assert f"On these {leading.n} questions Blend is 4 to 90 points ahead, whatever the missing" in said
    assert ("On others that is not certain yet." in said) is is_open


def test_a_sure_verdict_stands_beside_no_other_order(pair: PairVerdict) -> None:
    sure = message(pair, "sure", 0.3, ends=(0.2, 0.4), bounds=(-0.1, 0.5))

    assert range_sentence(sure, NAMES) == ""


def test_too_close_to_call_promises_no_small_gap_that_missing_ratings_could_pass(pair: PairVerdict) -> None:
    close = message(pair, "too close to call", 0.02, ends=(-0.01, 0.05), bounds=(-0.01, 0.09))

    assert title_of(close, NAMES) == "Blend and Full text are too close to call"


@pytest.mark.parametrize(
    ("ends", "points"), [((-0.04, 0.02), "4 points"), ((-0.01, 0.05), "5 points"), ((0.0, 0.001), "1 point")]
)
def test_of_two_too_close_to_call_it_is_said_how_far_apart_they_are_at_most(
    pair: PairVerdict, ends: tuple[float, float], points: str
) -> None:
    close = message(pair, "too close to call", 0.0, ends=ends)

    assert range_sentence(close, NAMES) == f"On new questions they likely differ by {points} at most."
    assert range_sentence(close.turned(), NAMES[::-1]) == range_sentence(close, NAMES)


def test_an_older_version_ahead_is_named_with_its_ranker(pair: PairVerdict) -> None:
    behind = of_one_ranker(message(pair, "not sure yet", -0.013, ends=(-0.13, 0.10)))
    names = ("Blend v2", "Blend v1")

    assert title_of(behind, names) == "Blend v1 leads Blend v2 by 1 point, but that isn’t certain yet"
    assert range_sentence(behind, names).startswith("On new questions Blend v1 could be anywhere")


def test_answers_without_a_text_ask_for_their_texts_and_passed_ones_for_a_decision(pair: PairVerdict) -> None:
    unsure = message(pair, "not sure yet", 0.04)

    def step(answers: int, textless: int, texts: int) -> str:
        return next_step_sentence(replace(unsure, missing=MissingRatings(answers, 0, textless, texts)))

    assert (
        step(3, 2, 2)
        == "Among their top answers, 2 texts are missing, so 2 answers cannot be rated yet. Import the texts."
    )
    assert (
        step(3, 2, 1) == "Among their top answers, 1 text is missing, so 2 answers cannot be rated yet "
        "(one text can answer several questions). Import the text."
    )
    assert (
        step(1, 1, 1)
        == "Among their top answers, 1 text is missing, so 1 answer cannot be rated yet. Import the text."
    )
    assert step(3, 0, 0) == "3 of their top answers could not be rated: decide them in Review."


def test_missing_texts_are_told_beside_what_can_be_rated(pair: PairVerdict) -> None:
    unsure = message(pair, "not sure yet", 0.04)

    said = next_step_sentence(replace(unsure, missing=MissingRatings(5, 2, 3, 1)))

    assert said.startswith(
        "Rate the 2 unrated top answers of both (about 1 minute). Among their top answers, 1 text is missing, so 3 answers cannot "
    )


def test_below_eight_questions_no_interval_is_said(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:7])

    assert range_sentence(rankers.verdict(), NAMES) == ""


@pytest.mark.parametrize(
    ("word", "mean", "shown"),
    [
        ("sure", 0.1, "Sure"),
        ("sure", -0.1, "Surely worse"),
        ("probably better", 0.1, "Probably better"),
        ("probably better", -0.1, "Probably worse"),
        ("not sure yet", -0.1, "Not sure yet"),
        ("too close to call", 0.0, "Too close to call"),
        ("too early", 0.0, "Too early"),
    ],
)
def test_the_word_is_about_the_first(pair: PairVerdict, word: Word, mean: float, shown: str) -> None:
    assert verdict_word(message(pair, word, mean)) == shown


def test_the_next_step_completes_the_comparison_and_then_asks_for_questions(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[1:15])
    pair = rankers.verdict()
    assert next_step_sentence(pair) == (
        "Rate the 22 unrated top answers of both (about 8 minutes). More questions may be needed."
    )
    more = replace(pair, verdict=replace(pair.verdict, to_add=40))
    assert next_step_sentence(more) == next_step_sentence(pair), "one step at a time"
    few = replace(pair, possible=9)
    assert next_step_sentence(few) == (
        "Rate the 22 unrated top answers of both (about 8 minutes). More questions are needed."
    )
    lacking = replace(few, lacking=1)
    assert next_step_sentence(lacking) == next_step_sentence(pair), "its results may do"

    rankers.rate(rankers.queries)
    pair = rankers.verdict()
    even = replace(pair, verdict=replace(pair.verdict, word="not sure yet", to_add=40))
    assert next_step_sentence(even) == (
        "Add at least 40 questions. Import a new version of each ranker, with results for all questions."
    )
    small = message(even, "not sure yet", 0.04)
    assert next_step_sentence(small) == next_step_sentence(even), "the same words for any gap"
    assert next_step_sentence(pair) == "", "nothing helps where it is sure"


@pytest.mark.parametrize(
    ("mean", "deviation", "said"),
    [
        (0.02, 0.2, "So small a gap would hardly become sure, even with many more questions."),
        (0.3, 0.2, "Usually this many questions show a gap of this size. Some more may help."),
        (0.06, 1.5, "It would take more than 300 more questions to show this gap."),
    ],
)
def test_where_no_number_of_questions_is_named_it_is_said_why(
    rankers: TwoRankers, mean: float, deviation: float, said: str
) -> None:
    rankers.rate(rankers.queries)
    drawn = message(rankers.verdict(), "not sure yet", mean, ends=(-0.1, 0.5))
    unsure = replace(drawn, verdict=replace(drawn.verdict, to_add=None, deviation=deviation))

    assert next_step_sentence(unsure) == said
    assert _action(unsure, None) == "compare"


def test_there_is_one_note_at_most(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:10])
    drawn = message(rankers.verdict(), "not sure yet", 0.2, ends=(-0.1, 0.5))
    whole_sample = replace(drawn.verdict.sample, n=drawn.n)
    missing = replace(drawn, verdict=replace(drawn.verdict, sample=whole_sample))
    assert note_of(missing) == "30 ratings missing."
    assert note_of(replace(missing, provisional=True)) == "30 ratings missing."
    sure = message(missing, "sure", 0.2)
    assert note_of(replace(sure, safe_leader=1)) == "Missing ratings cannot change this order."
    probably = message(missing, "probably", 0.2)
    assert note_of(replace(probably, safe_leader=1)) == "30 ratings missing."
    sample = replace(sure.verdict.sample, n=10)
    read = replace(sure, safe_leader=-1, verdict=replace(sure.verdict, sample=sample))
    assert note_of(replace(read, provisional=True)) == "30 ratings missing."
    assert note_of(read) == "30 ratings missing."
    whole = replace(read, verdict=replace(read.verdict, sample=replace(sample, n=sure.n)))
    assert note_of(whole) == "30 ratings missing."
    assert note_of(replace(missing, safe_leader=1)) == "30 ratings missing.", (
        "it would sound surer than the word"
    )
    thin = replace(
        missing, verdict=replace(missing.verdict, sample=replace(missing.verdict.sample, judged=0.9))
    )
    assert note_of(thin) == "30 ratings missing.", "all of them can be rated"
    stuck = replace(thin, missing=replace(thin.missing, ratable=28))
    assert note_of(stuck) == "30 ratings missing. 2 answers cannot be rated yet."
    none = replace(thin, missing=replace(thin.missing, ratable=0))
    assert note_of(none) == "30 answers cannot be rated yet."


def test_beside_a_gap_stands_how_far_unrated_answers_could_move_it(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:10])
    pair = message(rankers.verdict(), "not sure yet", -0.26, ends=(-0.29, -0.22))
    provisional = replace(pair, bounds=(-0.9, 0.7), provisional=True)

    assert gap_in_words(pair) == "−26 (−29 to −22)"
    assert gap_in_words(provisional) == "−26 (−90 to +70)"
    assert gap_in_words(provisional.turned()) == "+26 (−70 to +90)"
    assert note_of(provisional) == "30 ratings missing."
    assert note_of(replace(provisional, complete=True)) == "Unrated answers count as not relevant."


def test_beside_an_interval_that_leaves_out_0_the_note_says_why_nothing_is_sure(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:10])
    clear = message(rankers.verdict(), "not sure yet", 0.3, ends=(0.1, 0.5))
    few, all_of_them = (
        replace(clear, verdict=replace(clear.verdict, sample=replace(clear.verdict.sample, n=n)))
        for n in (6, clear.n)
    )

    assert title_of(few, NAMES) == "Blend leads Full text by 30 points, but the verdict needs more ratings"
    assert note_of(few) == note_of(few.turned())
    assert note_of(few) == "30 ratings missing."
    assert note_of(all_of_them) == note_of(few)
    assert note_of(message(few, "not sure yet", 0.2, ends=(-0.1, 0.5))) == note_of(few), (
        "and beside any other"
    )


def test_nothing_is_noted_where_nothing_is_missing(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:10])

    rankers.set_ruler(unjudged="complete")
    assert note_of(rankers.verdict()) == "Unrated answers count as not relevant."

    rankers.set_ruler(unjudged="open")
    rankers.rate(rankers.queries)
    assert note_of(rankers.verdict()) == ""


@pytest.mark.parametrize(
    ("mean", "gap", "signed"),
    [(0.005, 1, "+1"), (-0.005, -1, "−1"), (0.0049, 0, "0"), (-0.114, -11, "−11"), (None, 0, "–")],
)
def test_a_gap_is_rounded_alike_everywhere(mean: float | None, gap: int, signed: str) -> None:
    assert (gap_of(mean), signed_gap(mean)) == (gap, signed)


def test_points_are_said_in_words() -> None:
    assert [points_of(x) for x in (0.0, 0.01, -0.2)] == ["less than 1 point", "1 point", "20 points"]
