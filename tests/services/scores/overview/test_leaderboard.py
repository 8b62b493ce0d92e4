"""The leaderboard: who is compared with whom, and the one sentence about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from app.models import EventKind, Project, Run
from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.ledger import record_event
from app.services.scores.leaderboard import leaderboard_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.scores.leaderboard import Leaderboard
    from tests.furniture.race import Race


def board_of(race: Race) -> Leaderboard:
    return leaderboard_of(evidence_of(race.database, race.project.id))


def mark(race: Race, run: Run) -> None:
    with race.database.write() as session:
        project = session.get_one(Project, race.project.id)
        set_production(session, project, session.get_one(Run, run.id))


def names(board: Leaderboard) -> list[tuple[str, str]]:
    return [(entry.run.ranker, entry.run.version) for entry in board.rankers]


def test_without_production_the_others_are_compared_with_the_leader(race: Race) -> None:
    race.rate(race.queries)

    board = board_of(race)

    assert names(board) == [("Ahead", "v1"), ("Behind", "v1")]
    leader, second = board.rankers
    assert (leader.is_reference, leader.gap, board.production) == (True, None, None)
    assert second.gap is not None
    assert (second.gap.first.ranker, second.gap.second.ranker, second.gap.verdict.ahead) == (
        "Behind",
        "Ahead",
        -1,
    )
    assert board.main is not None
    assert (board.main.first.ranker, board.main.verdict.ahead) == ("Ahead", 1)
    assert board.sentence == "Ahead is better than Behind, by 37 points."


def test_with_production_the_sentence_is_about_the_best_other(race: Race) -> None:
    race.add_run("Third", good_first=False)
    race.rate(race.queries)
    mark(race, race.runs[1])

    board = board_of(race)

    assert board.production is not None
    assert board.production.run.ranker == "Behind"
    assert board.reference is board.production
    assert board.sentence == "Yes: Ahead is better than Behind, by 37 points."
    assert board.main is not None
    assert (board.answer.action, board.main.verdict.family) == ("production", 2)


def test_where_nothing_is_better_than_production_it_says_so(race: Race) -> None:
    race.rate(race.queries)
    mark(race, race.runs[0])

    board = board_of(race)

    assert board.sentence == "Nothing beats Ahead yet."
    assert board.main is not None
    assert (board.main.first.ranker, board.main.verdict.word, board.main.verdict.ahead) == (
        "Behind",
        "sure",
        -1,
    )
    assert board.answer.action == "compare"


def test_where_the_newest_version_loses_to_an_older_one_both_are_named(race: Race) -> None:
    race.rate(race.queries)
    mark(race, race.runs[0])
    race.add_run("Ahead", good_first=False)

    board = board_of(race)

    assert board.sentence == "Nothing beats Ahead v1 yet."
    assert (len(board.rankers), board.ranker_count) == (3, 2)


def test_a_version_in_production_that_is_not_the_newest_is_a_row_of_its_own(race: Race) -> None:
    mark(race, race.runs[1])
    race.add_run("Behind")
    race.rate(race.queries)

    board = board_of(race)

    assert ("Behind", "v1") in names(board)
    assert ("Behind", "v2") in names(board)
    assert board.production is not None
    assert board.production.run.version == "v1"


def test_a_newer_version_does_not_inherit_the_mark(race: Race) -> None:
    mark(race, race.runs[1])
    newer = race.add_run("Behind")
    race.rate(race.queries)

    marked = [entry.run.id for entry in board_of(race).rankers if entry.in_production]

    assert marked == [race.runs[1].id]
    assert newer.id not in marked


def test_each_version_is_compared_with_the_one_before_it(race: Race) -> None:
    race.add_run("Behind")
    race.rate(race.queries)

    since = {entry.run.ranker: entry.since for entry in board_of(race).rankers}

    assert since["Ahead"] is None, "a first version has nothing before it"
    assert since["Behind"] is not None
    assert (since["Behind"].first.version, since["Behind"].second.version) == ("v2", "v1")
    assert (since["Behind"].verdict.word, since["Behind"].verdict.family) == ("sure", 1)


def test_where_the_version_before_is_in_production_the_pair_has_one_verdict(race: Race) -> None:
    mark(race, race.runs[1])
    race.add_run("Behind")
    race.rate(race.queries)

    entry = next(one for one in board_of(race).rankers if one.run.version == "v2")

    assert entry.gap is not None
    assert entry.since is entry.gap


def test_too_few_questions_are_too_early(race: Race) -> None:
    race.rate(race.queries[:4])

    board = board_of(race)

    assert board.early
    assert board.sentence == "Too early to compare: 4 questions scored, 10 are needed."
    assert board.answer.lines == [
        "A question is scored once an answer is rated above the lowest grade. Rate answers to 6 more."
    ]


def test_with_too_few_questions_in_all_more_are_asked_for(make_race: Callable[..., Race]) -> None:
    race = make_race(7)
    race.rate(race.queries[:2])

    assert (
        board_of(race).answer.lines[0].endswith("Add at least 3 questions, with new results of each ranker.")
    )


def test_one_ranker_has_nothing_to_be_compared_with(race: Race) -> None:
    with race.database.write() as session:
        session.get_one(Run, race.runs[1].id).state = "withdrawn"
        record_event(session, race.project.id, EventKind.RUN_WITHDRAWN, {"run_id": race.runs[1].id})
    race.rate(race.queries)

    board = board_of(race)

    assert board.sentence == "Ahead is the only ranker: nothing to compare it with yet."
    assert (board.main, board.answer.action) == (None, "import")


def test_the_answer_about_one_ranker_is_about_its_newest_version_and_the_one_before(race: Race) -> None:
    with race.database.write() as session:
        session.get_one(Run, race.runs[0].id).state = "withdrawn"
        record_event(session, race.project.id, EventKind.RUN_WITHDRAWN, {"run_id": race.runs[0].id})
    newest = race.add_run("Behind")
    race.rate(race.queries)

    board = board_of(race)

    assert board.sentence == "Behind v2 is better than v1, by 37 points."
    assert board.main is board.rankers[0].since
    assert board.answer.action == "compare"

    mark(race, newest)
    assert board_of(race).sentence == board.sentence, "v1 is not in production: nothing is to be replaced"


def test_what_could_not_be_rated_waits_for_the_owner(make_race: Callable[..., Race]) -> None:
    race = make_race(24, behind_wins=12)
    ordered = race.ordered()
    race.rate(ordered[1:])
    assert board_of(race).answer.action == "rate"

    race.pass_on(ordered[0], race.annotator)

    answer = board_of(race).answer
    assert answer.action == "decide"
    assert answer.lines[-1] == "2 answers could not be rated: decide them, or retire their questions."


@pytest.mark.parametrize(
    # 91.4 and 71.7 lie 19.7 apart, shown as 91, 72 and 20; 100 and 63.1 lie 36.9 apart.
    ("count", "behind_wins", "decimals"),
    [(30, 7, 1), (25, 0, 0)],
)
def test_scores_get_a_decimal_where_they_disagree_with_a_gap(
    make_race: Callable[..., Race], count: int, behind_wins: int, decimals: int
) -> None:
    race = make_race(count, behind_wins=behind_wins)
    race.rate(race.queries)

    assert board_of(race).decimals == decimals


def test_grades_declared_complete_are_said(race: Race) -> None:
    race.rate(race.queries[:15])
    race.set_ruler(unjudged="complete")

    board = board_of(race)

    assert board.complete
    assert not board.provisional
    assert board.main is not None
    assert board.main.missing.answers == 0
