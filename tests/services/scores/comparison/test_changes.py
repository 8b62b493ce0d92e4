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
from tests.furniture.rankers import GAP, LOW

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.models import Run
    from app.services.scores.context import ScoringContext
    from app.services.scores.verdicts import PairVerdict
    from app.services.scores.versions import VersionChanges
    from tests.furniture.rankers import TwoRankers


def compared(rankers: TwoRankers, new: Run, old: Run) -> tuple[ScoringContext, PairVerdict]:
    evidence = evidence_of(rankers.database, rankers.project.id)
    numbers = [run.id for run in evidence.structure.runs]
    context = scoring_context(evidence, [numbers.index(new.id), numbers.index(old.id)])
    return context, pair_verdicts(context, [(0, 1)])[0]


def changed(rankers: TwoRankers, new: Run, old: Run) -> VersionChanges:
    context, pair = compared(rankers, new, old)
    with rankers.database.read() as session:
        return version_changes(session, context, pair)


def test_every_scored_question_is_better_worse_or_the_same(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(12, behind_wins=2)
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries[:10])
    found = changed(rankers, newer, rankers.runs[1])

    # The old version had the good answer first on two questions already.
    assert (len(found.better), found.same, len(found.worse)) == (8, 2, 0)
    assert (found.rearranged, found.identical) == ([], False)
    assert found.better[0].found.difference == pytest.approx(GAP)
    assert (found.better[0].old, found.better[0].new) == pytest.approx((LOW, 1.0))


def test_the_largest_change_comes_first_on_both_sides(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(4, behind_wins=2)
    newer = rankers.add_run("Ahead", good_first=False)
    rankers.rate(rankers.queries[2:3])
    rankers.rate(rankers.queries[3:4], (3, 2))
    found = changed(rankers, newer, rankers.runs[0])

    assert [one.found.query_id for one in found.worse] == [rankers.queries[2].id, rankers.queries[3].id]
    assert found.worse[0].found.difference < found.worse[1].found.difference < 0


def test_answers_that_moved_have_both_places_and_their_grade_best_first(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(1)
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries)
    (question,) = changed(rankers, newer, rankers.runs[1]).better

    assert [(move.title, move.old, move.new, move.low, move.high) for move in question.moves] == [
        ("good", 2, 1, 3, 3),
        ("bad", 1, 2, 0, 0),
    ]


def test_answers_that_come_or_go_have_one_place_only(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(1)
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        fresh = make.document(rankers.project, "fresh", title="fresh")
        good = rankers.answers[rankers.queries[0].id][0]
        behind = make.session.get_one(Ranker, rankers.runs[1].ranker_id)
        newer = make.run(behind, {rankers.queries[0]: [good, fresh]})
    found = changed(rankers, newer, rankers.runs[1])

    assert [(move.title, move.old, move.new, move.low) for move in found.better[0].moves] == [
        ("good", 2, 1, 3),
        ("bad", 1, None, 0),
        ("fresh", None, 2, None),
    ]
    assert not any(move.unlisted for move in found.better[0].moves)
    assert found.better[0].unrated == 1
    assert found.unrated.answers == 1


def test_the_same_lists_are_told_apart_from_equal_scores(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(3)
    twin, turned = rankers.add_run("Ahead"), rankers.add_run("Ahead", good_first=False)
    rankers.rate(rankers.queries, (2, 2))

    assert changed(rankers, twin, rankers.runs[0]).identical
    other = changed(rankers, turned, rankers.runs[0])
    assert (other.same, len(other.rearranged), other.identical) == (3, 3, False)


def test_more_questions_than_three_are_told_without_their_answers(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(5)
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries)
    found = changed(rankers, newer, rankers.runs[1])

    assert [len(one.moves) for one in found.better] == [2, 2, 2, 0, 0]


def test_unrated_answers_add_up_to_those_of_the_pair(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(4)
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries[:3])
    _, pair = compared(rankers, newer, rankers.runs[1])
    found = changed(rankers, newer, rankers.runs[1])

    assert found.unrated.answers == pair.missing.answers == 2
    assert found.unrated.questions == [(rankers.queries[3].id, rankers.queries[3].text, 2)]
    assert found.unrated.more == 0


def test_a_sure_change_says_by_how_much(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(30)
    better, worse = rankers.add_run("Behind"), rankers.add_run("Ahead", good_first=False)
    rankers.rate(rankers.queries)

    assert change_title_of(compared(rankers, better, rankers.runs[1])[1]) == (
        "Behind v2 is better than v1, by 37 points."
    )
    assert change_title_of(compared(rankers, worse, rankers.runs[0])[1]) == (
        "Ahead v2 is worse than v1, by 37 points."
    )


def test_an_unsure_change_says_so_in_one_sentence(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(16, behind_wins=6)
    rankers.rate(rankers.queries[:11])
    _, pair = compared(rankers, rankers.runs[0], rankers.runs[1])

    assert pair.verdict.word == "not sure yet"
    assert change_title_of(pair).endswith("but that isn’t certain yet.")
    assert change_range_sentence(pair).startswith(
        f"On new questions {pair.first.version} could be anywhere from "
    )
    assert "behind" not in change_range_sentence(pair)


def test_too_few_questions_are_said_before_anything_else(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(12)
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries[:4])
    _, pair = compared(rankers, newer, rankers.runs[1])

    assert (
        change_title_of(pair)
        == "Too early to compare Behind v2 and v1: 4 questions scored for both, 10 are needed."
    )
    assert change_range_sentence(pair) == ""
    assert gap_in_words(pair) == "+37"


def test_a_gap_with_its_interval_has_real_minus_signs(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(12, behind_wins=12)
    rankers.rate(rankers.queries)
    _, pair = compared(rankers, rankers.runs[0], rankers.runs[1])

    assert gap_in_words(pair) == "−37"
