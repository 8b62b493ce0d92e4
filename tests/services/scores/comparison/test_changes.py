"""What changed between two versions: questions better and worse, answers that moved, and the words for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.models import Ranker
from app.services.evidence.store import evidence_of
from app.services.scores.context import scoring_context
from app.services.scores.verdict_text import change_range_sentence, change_title_of, gap_in_words
from app.services.scores.verdicts import pair_verdicts
from app.services.scores.versions import version_changes
from tests.furniture.race import GAP, LOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.models import Run
    from app.services.scores.context import ScoringContext
    from app.services.scores.verdicts import PairVerdict
    from app.services.scores.versions import VersionChanges
    from tests.furniture.race import Race


def compared(race: Race, new: Run, old: Run) -> tuple[ScoringContext, PairVerdict]:
    evidence = evidence_of(race.database, race.project.id)
    numbers = [run.id for run in evidence.structure.runs]
    context = scoring_context(evidence, [numbers.index(new.id), numbers.index(old.id)])
    return context, pair_verdicts(context, [(0, 1)])[0]


def changed(race: Race, new: Run, old: Run) -> VersionChanges:
    context, pair = compared(race, new, old)
    with race.database.read() as session:
        return version_changes(session, context, pair)


def test_every_scored_question_is_better_worse_or_the_same(make_race: Callable[..., Race]) -> None:
    race = make_race(12, behind_wins=2)
    newer = race.add_run("Behind")
    race.rate(race.queries[:10])
    found = changed(race, newer, race.runs[1])

    # The old version had the good answer first on two questions already.
    assert (len(found.better), found.same, len(found.worse)) == (8, 2, 0)
    assert (found.untouched, found.identical) == (2, False)
    assert found.better[0].found.difference == pytest.approx(GAP)
    assert (found.better[0].old, found.better[0].new) == pytest.approx((LOW, 1.0))


def test_the_largest_change_comes_first_on_both_sides(make_race: Callable[..., Race]) -> None:
    race = make_race(4, behind_wins=2)
    newer = race.add_run("Ahead", good_first=False)
    race.rate(race.queries[2:3])
    race.rate(race.queries[3:4], (3, 2))
    found = changed(race, newer, race.runs[0])

    assert [one.found.query_id for one in found.worse] == [race.queries[2].id, race.queries[3].id]
    assert found.worse[0].found.difference < found.worse[1].found.difference < 0


def test_answers_that_moved_have_both_places_and_their_grade_best_first(
    make_race: Callable[..., Race],
) -> None:
    race = make_race(1)
    newer = race.add_run("Behind")
    race.rate(race.queries)
    (question,) = changed(race, newer, race.runs[1]).better

    assert [(move.title, move.old, move.new, move.low, move.high) for move in question.moves] == [
        ("good", 2, 1, 3, 3),
        ("bad", 1, 2, 0, 0),
    ]


def test_answers_that_come_or_go_have_one_place_only(make_race: Callable[..., Race]) -> None:
    race = make_race(1)
    race.rate(race.queries)
    with race.making() as make:
        fresh = make.document(race.project, "fresh", title="fresh")
        good = race.answers[race.queries[0].id][0]
        behind = make.session.get_one(Ranker, race.runs[1].ranker_id)
        newer = make.run(behind, {race.queries[0]: [good, fresh]})
    found = changed(race, newer, race.runs[1])

    assert [(move.title, move.old, move.new, move.low) for move in found.better[0].moves] == [
        ("good", 2, 1, 3),
        ("bad", 1, None, 0),
        ("fresh", None, 2, None),
    ]
    assert found.better[0].unrated == 1
    assert (found.unrated.answers, found.unrated.new) == (1, 1)


def test_the_same_lists_are_told_apart_from_equal_scores(make_race: Callable[..., Race]) -> None:
    race = make_race(3)
    twin, turned = race.add_run("Ahead"), race.add_run("Ahead", good_first=False)
    race.rate(race.queries, (2, 2))

    assert changed(race, twin, race.runs[0]).identical
    other = changed(race, turned, race.runs[0])
    assert (other.same, other.untouched, other.identical) == (3, 0, False)


def test_more_questions_than_three_are_told_without_their_answers(make_race: Callable[..., Race]) -> None:
    race = make_race(5)
    newer = race.add_run("Behind")
    race.rate(race.queries)
    found = changed(race, newer, race.runs[1])

    assert [len(one.moves) for one in found.better] == [2, 2, 2, 0, 0]


def test_unrated_answers_add_up_to_those_of_the_pair(make_race: Callable[..., Race]) -> None:
    race = make_race(4)
    newer = race.add_run("Behind")
    race.rate(race.queries[:3])
    _, pair = compared(race, newer, race.runs[1])
    found = changed(race, newer, race.runs[1])

    assert found.unrated.answers == pair.missing.answers == 2
    # Both lists hold the same two answers.
    assert found.unrated.new == 0
    assert found.unrated.questions == [(race.queries[3].id, race.queries[3].text, 2)]
    assert found.unrated.more == 0


def test_a_sure_change_says_by_how_much(make_race: Callable[..., Race]) -> None:
    race = make_race(30)
    better, worse = race.add_run("Behind"), race.add_run("Ahead", good_first=False)
    race.rate(race.queries)

    assert change_title_of(compared(race, better, race.runs[1])[1]) == (
        "Behind v2 is better than v1, by 37 points."
    )
    assert change_title_of(compared(race, worse, race.runs[0])[1]) == (
        "Ahead v2 is worse than v1, by 37 points."
    )


def test_an_unsure_change_says_so_in_one_sentence(make_race: Callable[..., Race]) -> None:
    race = make_race(16, behind_wins=6)
    race.rate(race.queries[:11])
    _, pair = compared(race, race.runs[0], race.runs[1])

    assert pair.verdict.word == "not sure yet"
    assert change_title_of(pair).endswith("but that isn’t certain yet.")
    assert change_range_sentence(pair).startswith("On new questions it could be anywhere from ")
    assert "behind" not in change_range_sentence(pair)


def test_too_few_questions_are_said_before_anything_else(make_race: Callable[..., Race]) -> None:
    race = make_race(12)
    newer = race.add_run("Behind")
    race.rate(race.queries[:4])
    _, pair = compared(race, newer, race.runs[1])

    assert change_title_of(pair) == "Too early to compare: 4 questions scored, 10 are needed."
    assert change_range_sentence(pair) == ""
    assert gap_in_words(pair) == "+37"


def test_a_gap_with_its_interval_has_real_minus_signs(make_race: Callable[..., Race]) -> None:
    race = make_race(12, behind_wins=12)
    race.rate(race.queries)
    _, pair = compared(race, race.runs[0], race.runs[1])

    assert gap_in_words(pair) == "−37"
