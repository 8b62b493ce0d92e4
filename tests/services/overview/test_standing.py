"""The standing of the rankers: numbers of the engine, words of the tests, sentences of both."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from app.services.overview.wording import (
    Against,
    gap_of,
    headline_of,
    leader_sentence,
    leaders_kind,
    listed,
    row_sentence,
    word_of,
)

from app.models import Run
from app.services.evaluation import bounds_of, common_means
from app.services.overview import standing_of
from app.services.runs import withdraw_run

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.overview import Standing
    from tests.furniture.race import Race


def standing(race: Race) -> Standing:
    return standing_of(race.basis.evidence)


def test_without_a_ranker_there_is_only_a_sentence(race: Race) -> None:
    with race.database.write() as session:
        for run in race.runs:
            withdraw_run(session, session.get_one(Run, run.id))

    found = standing(race)
    assert (found.sentence, found.rankers, found.plan) == ("No ranker has been imported yet.", [], None)


def test_below_ten_questions_nobody_leads(race: Race) -> None:
    race.rate(race.queries[:9])

    found = standing(race)
    assert found.sentence == (
        "Too early to say: a verdict needs 10 scored questions, and there are 9 so far. Rate for 1 more."
    )
    assert [(one.verdict, one.word, one.sentence) for one in found.rankers] == [
        ("too_early", "Too early", "")
    ] * 2


def test_before_the_look_the_lead_could_be_luck(race: Race) -> None:
    race.rate(race.queries)

    found = standing(race)
    assert found.sentence == "Ahead is ahead so far; against Behind the lead could still be luck."
    assert [(one.verdict, one.word) for one in found.rankers] == [
        ("leaning", "Leaning: ahead"),
        ("leaning", "Leaning: behind"),
    ]
    assert found.rankers[0].sentence == "Leads Behind by 37 points."
    assert found.rankers[1].sentence == "37 points below Ahead; could be luck."


def test_after_the_look_the_leader_surely_beats_the_others(race: Race) -> None:
    race.add_run("Third", good_first=False)
    race.rate(race.queries)
    race.look()

    found = standing(race)
    assert found.sentence == "Ahead is doing best. It surely beats Behind and Third."
    assert [one.word for one in found.rankers] == ["Sure: ahead", "Sure: behind", "Sure: behind"]
    assert found.rankers[0].sentence == "Surely ahead of Behind, by 37 points."
    assert [(test.first.ranker, test.second.ranker, test.sure) for test in found.tests[:2]] == [
        ("Ahead", "Behind", True),
        ("Ahead", "Third", True),
    ]


def test_rankers_that_differ_in_nothing_are_level(race: Race) -> None:
    race.add_run("Third")
    race.rate(race.queries)
    race.look()

    found = standing(race)
    assert found.sentence == "Ahead and Third are level so far. Ahead surely beats Behind."
    assert [(one.verdict, one.sentence) for one in found.rankers[:2]] == [
        ("not_sure", "Level with Third as far as the digits go."),
        ("not_sure", "Level with Ahead as far as the digits go."),
    ]


def test_the_numbers_are_the_engines(make_race: Callable[..., Race]) -> None:
    race = make_race(12, behind_wins=2)
    race.rate(race.queries[1:])

    found = standing(race)
    means, bounds = common_means(found.board), bounds_of(race.basis.evidence, found.board)
    for one in found.rankers:
        row = [scored.run.id for scored in found.board.runs].index(one.run.id)
        assert (one.score, one.bounds) == (means[row], bounds[row])


def against(
    word: str, gap: int = 4, *, ahead: int = 1, other: str = "Full text", tags: tuple[str, ...] = ()
) -> Against:
    look = SimpleNamespace(n=20) if word == "sure" else None
    pair: Any = SimpleNamespace(
        first=SimpleNamespace(ranker="Blend"),
        second=SimpleNamespace(ranker=other),
        verdict=SimpleNamespace(word=word, ahead=ahead, look=look, tags=tags),
    )
    return Against(pair, gap)


@pytest.mark.parametrize(
    ("word", "gap", "ahead", "shown", "row", "leader"),
    [
        ("sure", 4, 1, "Sure: behind", "4 points below Blend.", "Surely ahead of Full text, by 4 points."),
        (
            "sure",
            0,
            1,
            "Sure: behind",
            "Less than 1 point below Blend.",
            "Surely ahead of Full text, by less than 1 point.",
        ),
        (
            "settled",
            1,
            1,
            "Settled whatever is still unjudged: behind",
            "1 point below Blend.",
            "Ahead of Full text on these questions, whatever is still unjudged, by 1 point so far.",
        ),
        (
            "leaning",
            4,
            1,
            "Leaning: behind",
            "4 points below Blend; could be luck.",
            "Leads Full text by 4 points.",
        ),
        (
            "not sure yet",
            0,
            0,
            "Not sure yet",
            "Level with Blend as far as the digits go.",
            "Level with Full text as far as the digits go.",
        ),
        ("sure", 1, -1, "Sure: ahead", "Surely ahead of Blend at the look on 20 questions.", ""),
    ],
)
def test_each_word_has_its_sentences(
    word: str, gap: int, ahead: int, shown: str, row: str, leader: str
) -> None:
    one = against(word, gap, ahead=ahead)

    assert (word_of(one), row_sentence(one), leader_sentence(one)) == (shown, row, leader)


def test_the_headline_says_what_is_certain_and_what_is_not() -> None:
    pairs = [
        against("leaning"),
        against("sure", 15, other="Topic match"),
        against("settled", 20, other="Title match"),
        against("sure", 23, other="Old"),
    ]
    runs: Any = [SimpleNamespace(ranker="Blend")]

    assert headline_of(runs, pairs, 40) == (
        "Blend is doing best. It surely beats Topic match and Old; stays ahead of Title match on these "
        "questions, whatever is still unjudged; against Full text the lead could still be luck."
    )


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        (["not sure yet", "sure"], "not_sure"),
        (["leaning", "settled"], "leaning"),
        (["leaning", "not sure yet"], "not_sure"),
        (["sure", "settled"], "sure"),
        (["sure", "not sure yet"], None),
    ],
)
def test_the_leaders_word_is_one_of_the_five_and_holds_against_everybody(
    words: list[str], kind: str | None
) -> None:
    assert leaders_kind([against(word) for word in words]) == kind


def test_where_much_is_unrated_the_lead_can_turn() -> None:
    runs: Any = [SimpleNamespace(ranker="Blend")]
    one = against("not sure yet", 9, ahead=0, tags=("provisional",))

    assert row_sentence(one) == "9 points below Blend; too much is unrated to say more."
    assert headline_of(runs, [one], 40) == (
        "Blend is ahead so far; against Full text the lead could still be luck, or turn as answers are rated."
    )


def test_a_lead_that_contradicts_a_look_is_never_called_best() -> None:
    runs: Any = [SimpleNamespace(ranker="Blend")]

    said = headline_of(runs, [against("sure", ahead=-1)], 40)
    assert said == "Blend scores highest so far, though Full text was surely ahead at a look."


def test_long_lists_of_names_are_counted() -> None:
    assert listed(["A"]) == "A"
    assert listed(["A", "B"]) == "A and B"
    assert listed(["A", "B", "C", "D", "E", "F"]) == "A, B, C and 3 others"


def test_the_gap_is_the_rounded_difference_and_a_word_that_leans_is_never_level() -> None:
    assert [gap_of(mean) for mean in (0.0049, 0.0051, -0.0149, 0.0, None)] == [0, 1, -1, 0, 0]
    leaning, unsure = against("leaning", 0), against("not sure yet", 0, ahead=0)

    assert row_sentence(leaning).startswith("Less than 1 point below")
    assert row_sentence(unsure).startswith("Level with")


@pytest.mark.parametrize(
    ("common", "possible", "said"),
    [
        (1, 3, "there is 1 so far. Rate what is left, and add at least 7 questions."),
        (3, 3, "there are 3 so far. Add at least 7 questions."),
        (9, 9, "there are 9 so far. Add at least 1 question."),
        (4, 12, "there are 4 so far. Rate for 6 more."),
    ],
)
def test_too_few_questions_are_not_to_be_made_up_for_by_rating(common: int, possible: int, said: str) -> None:
    runs: Any = [SimpleNamespace(ranker="Blend")]

    assert headline_of(runs, [], common, possible).endswith(said)
