"""The leaderboard: who is compared with whom, and the one sentence about it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from app.models import EventKind, Project, Run
from app.services.collection.rankers import set_production
from app.services.evidence.store import evidence_of
from app.services.ledger import record_event
from app.services.scores.leaderboard import _action, leaderboard_of
from app.services.scores.verdict_text import next_step_sentence

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.scores.leaderboard import Leaderboard
    from tests.furniture.rankers import TwoRankers


def board_of(rankers: TwoRankers) -> Leaderboard:
    return leaderboard_of(evidence_of(rankers.database, rankers.project.id))


def mark(rankers: TwoRankers, run: Run) -> None:
    with rankers.database.write() as session:
        project = session.get_one(Project, rankers.project.id)
        set_production(session, project, session.get_one(Run, run.id))


def names(board: Leaderboard) -> list[tuple[str, str]]:
    return [(entry.run.ranker, entry.run.version) for entry in board.rankers]


def test_without_production_the_others_are_compared_with_the_leader(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    board = board_of(rankers)

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


def test_with_production_the_sentence_is_about_the_best_other(rankers: TwoRankers) -> None:
    rankers.add_run("Third", good_first=False)
    rankers.rate(rankers.queries)
    mark(rankers, rankers.runs[1])

    board = board_of(rankers)

    assert board.production is not None
    assert board.production.run.ranker == "Behind"
    assert board.reference is board.production
    assert board.sentence == "Yes: Ahead is better than Behind, by 37 points."
    assert board.main is not None
    assert (board.answer.action, board.main.verdict.family) == ("production", 2)


def test_where_nothing_is_better_than_production_it_says_so(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    mark(rankers, rankers.runs[0])

    board = board_of(rankers)

    assert board.sentence == "No ranker is known to beat Ahead."
    assert board.main is not None
    assert (board.main.first.ranker, board.main.verdict.word, board.main.verdict.ahead) == (
        "Behind",
        "sure",
        -1,
    )
    assert board.answer.action == "compare"


def test_where_more_questions_are_asked_for_the_button_adds_them(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    mark(rankers, rankers.runs[0])
    pair = board_of(rankers).main
    assert pair is not None
    behind = replace(pair, verdict=replace(pair.verdict, word="not sure yet", to_add=20))

    assert next_step_sentence(behind).startswith("Add at least 20 questions")
    assert _action(behind, None) == "import"


def test_where_the_newest_version_loses_to_an_older_one_both_are_named(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    mark(rankers, rankers.runs[0])
    rankers.add_run("Ahead", good_first=False)

    board = board_of(rankers)

    assert board.sentence == "No ranker is known to beat Ahead v1."
    assert (len(board.rankers), board.ranker_count) == (3, 2)


def test_a_version_in_production_that_is_not_the_newest_is_a_row_of_its_own(rankers: TwoRankers) -> None:
    mark(rankers, rankers.runs[1])
    rankers.add_run("Behind")
    rankers.rate(rankers.queries)

    board = board_of(rankers)

    assert ("Behind", "v1") in names(board)
    assert ("Behind", "v2") in names(board)
    assert board.production is not None
    assert board.production.run.version == "v1"


def test_a_newer_version_does_not_inherit_the_mark(rankers: TwoRankers) -> None:
    mark(rankers, rankers.runs[1])
    newer = rankers.add_run("Behind")
    rankers.rate(rankers.queries)

    marked = [entry.run.id for entry in board_of(rankers).rankers if entry.in_production]

    assert marked == [rankers.runs[1].id]
    assert newer.id not in marked


def test_each_version_is_compared_with_the_one_before_it(rankers: TwoRankers) -> None:
    rankers.add_run("Behind")
    rankers.rate(rankers.queries)

    since = {entry.run.ranker: entry.since for entry in board_of(rankers).rankers}

    assert since["Ahead"] is None, "a first version has nothing before it"
    assert since["Behind"] is not None
    assert (since["Behind"].first.version, since["Behind"].second.version) == ("v2", "v1")
    assert (since["Behind"].verdict.word, since["Behind"].verdict.family) == ("sure", 1)


def test_where_the_version_before_is_in_production_the_pair_has_one_verdict(rankers: TwoRankers) -> None:
    mark(rankers, rankers.runs[1])
    rankers.add_run("Behind")
    rankers.rate(rankers.queries)

    entry = next(one for one in board_of(rankers).rankers if one.run.version == "v2")

    assert entry.gap is not None
    assert entry.since is entry.gap


def test_too_few_questions_are_too_early(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:4])

    board = board_of(rankers)

    assert board.early
    assert (
        board.sentence == "Too early to compare Ahead and Behind: 4 questions scored for both, 10 are needed."
    )
    assert board.answer.lines == [
        "A question is scored once an answer is rated above the lowest grade. Rate answers for 6 more questions."
    ]


def test_with_too_few_questions_in_all_more_are_asked_for(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(7)
    rankers.rate(rankers.queries[:2])

    assert (
        board_of(rankers)
        .answer.lines[0]
        .endswith(
            "Rate answers for 5 more questions. "
            "Add at least 3 questions. Import a new version of each ranker, with results for all questions."
        )
    )


@pytest.mark.parametrize(
    ("late", "step", "action"),
    [
        (
            1,
            "1 question lacks results of Ahead v1 and of Behind v1. Add at least 6 questions. Import",
            "import",
        ),
        (
            4,
            "4 questions lack results of Ahead v1 and of Behind v1. Add at least 3 questions. Import",
            "import",
        ),
        (7, "7 questions lack results of Ahead v1 and of Behind v1. Import", "results"),
    ],
)
def test_questions_that_lack_results_are_said_before_more_are_asked_for(
    make_rankers: Callable[..., TwoRankers], late: int, step: str, action: str
) -> None:
    rankers = make_rankers(3)
    rankers.add_queries(late)
    rankers.rate(rankers.queries[:3])

    board = board_of(rankers)

    assert board.main is not None
    said = f"{step} a new version of each ranker, with results for all questions."
    assert (board.answer.lines, board.answer.action) == ([said], action)
    assert next_step_sentence(board.main) == said


def test_questions_that_nothing_was_returned_for_lack_results_too(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(6)
    with rankers.making() as make:
        for number in range(4):
            make.query(rankers.project, f"new{number}")
    rankers.rate(rankers.queries)

    board = board_of(rankers)

    said = (
        "4 questions lack results of Ahead v1 and of Behind v1. "
        "Import a new version of each ranker, with results for all questions."
    )
    assert (board.answer.lines, board.answer.action) == ([said], "results")


def test_a_question_to_which_newer_versions_return_nothing_is_none_to_rate(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(6)
    with rankers.making() as make:
        for number in range(2):
            make.query(rankers.project, f"new{number}")
    rankers.add_run("Ahead")
    rankers.add_run("Behind", good_first=False)
    rankers.rate(rankers.queries[:4])

    (line,) = board_of(rankers).answer.lines

    assert "Rate answers for 2 more questions. Add at least 4 questions" in line


def test_the_version_that_lacks_results_is_named(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(6)
    rankers.add_queries(4)
    rankers.add_run("Ahead")
    rankers.rate(rankers.queries)

    board = board_of(rankers)

    lack = "Behind v1 has no results for 4 questions."
    assert board.answer.lines == [f"{lack} Import a new version of it, with results for all questions."]
    assert board.answer.action == "results"
    assert board.main is not None
    assert lack in next_step_sentence(board.main.turned())


def test_results_come_too_late_for_an_old_version_in_production(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(6)
    mark(rankers, rankers.runs[1])
    rankers.add_queries(4)
    rankers.add_run("Ahead")
    rankers.add_run("Behind", good_first=False)
    rankers.rate(rankers.queries)

    board = board_of(rankers)

    (line,) = board.answer.lines
    assert line == (
        "Behind v1 has no results for 4 questions. Behind v2 has more results: mark it as in production."
    )
    assert board.answer.action == "rankers"


def test_versions_of_one_ranker_lack_results_too(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(3)
    rankers.add_queries(4)
    rankers.add_run("Ahead")

    assert [rankers.verdict(first, 2).lacking for first in (0, 1)] == [4, 4]


def test_versions_of_one_ranker_count_on_new_questions_once_both_are_imported_again(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(3)
    rankers.add_run("Ahead")
    rankers.rate(rankers.queries)

    steps = [next_step_sentence(rankers.verdict(first, 2)) for first in (0, 1)]

    assert steps == [
        "Add at least 7 questions. Import Ahead v1, then v2 again as new versions, with results for all questions.",
        "Add at least 7 questions. Import a new version of each ranker, with results for all questions.",
    ]


def test_one_ranker_has_nothing_to_be_compared_with(rankers: TwoRankers) -> None:
    with rankers.database.write() as session:
        session.get_one(Run, rankers.runs[1].id).state = "withdrawn"
        record_event(session, rankers.project.id, EventKind.RUN_WITHDRAWN, {"run_id": rankers.runs[1].id})
    rankers.rate(rankers.queries)

    board = board_of(rankers)

    assert board.sentence == "Ahead is the only ranker: nothing to compare it with yet."
    assert (board.main, board.answer.action) == (None, "import")


def test_it_says_so_while_the_version_in_production_is_withdrawn(rankers: TwoRankers) -> None:
    rankers.add_run("Third", good_first=False)
    rankers.rate(rankers.queries)
    production = rankers.runs[1]
    mark(rankers, production)
    said = "Behind v1 is in production but withdrawn here, so nothing is compared with it."
    assert said not in board_of(rankers).answer.lines

    with rankers.database.write() as session:
        session.get_one(Run, production.id).state = "withdrawn"
        record_event(session, rankers.project.id, EventKind.RUN_WITHDRAWN, {"run_id": production.id})

    board = board_of(rankers)
    assert board.production is None
    assert board.sentence == "Ahead is better than Third, by 37 points."
    assert board.answer.lines[0] == said


def test_the_answer_about_one_ranker_is_about_its_newest_version_and_the_one_before(
    rankers: TwoRankers,
) -> None:
    with rankers.database.write() as session:
        session.get_one(Run, rankers.runs[0].id).state = "withdrawn"
        record_event(session, rankers.project.id, EventKind.RUN_WITHDRAWN, {"run_id": rankers.runs[0].id})
    newest = rankers.add_run("Behind")
    rankers.rate(rankers.queries)

    board = board_of(rankers)

    assert board.sentence == "Behind v2 is better than Behind v1, by 37 points."
    assert board.main is board.rankers[0].since
    assert board.answer.action == "compare"

    mark(rankers, newest)
    assert board_of(rankers).sentence == board.sentence, "v1 is not in production: nothing is to be replaced"


def test_what_could_not_be_rated_waits_for_the_owner(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(24, behind_wins=12)
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    assert board_of(rankers).answer.action == "rate"

    rankers.pass_on(ordered[0], rankers.annotator)

    answer = board_of(rankers).answer
    assert answer.action == "decide"
    assert answer.lines[-1] == "2 of their top answers could not be rated: decide them in Review."


@pytest.mark.parametrize(
    ("count", "said", "action"),
    [
        (
            3,
            "Add at least 7 questions. Import a new version of each ranker, with results for all questions.",
            "import",
        ),
        (12, "Rate answers for 10 more questions.", "compare"),
    ],
)
def test_declared_complete_a_project_is_not_asked_to_rate_questions_that_it_lacks(
    make_rankers: Callable[..., TwoRankers], count: int, said: str, action: str
) -> None:
    rankers = make_rankers(count)
    rankers.set_ruler(unjudged="complete")

    answer = board_of(rankers).answer

    assert answer.lines[0].endswith(said)
    assert answer.action == action


def test_declared_complete_the_step_is_the_same_wherever_a_pair_is_shown(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(8)
    rankers.rate(rankers.queries[:3])
    rankers.set_ruler(unjudged="complete")

    step = next_step_sentence(rankers.verdict(0, 1))

    assert step.startswith(
        "Rate answers for 5 more questions. Add at least 2 questions. Import a new version"
    )
    assert board_of(rankers).answer.lines[0].endswith(step)


def test_grades_declared_complete_are_said(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:15])
    rankers.set_ruler(unjudged="complete")

    board = board_of(rankers)

    assert board.complete
    assert not board.provisional
    assert board.main is not None
    assert board.main.missing.answers == 0
