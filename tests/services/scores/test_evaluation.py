"""Scores of a project: by hand, with their coverage, folded to any revision."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import pytest

from app.models import EventKind, Project, Query
from app.scoring.measures import UnknownMeasureError
from app.services.collection.queries import edit_query
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from app.services.scores.scoreboard import common_means, score_runs, weighted_means
from tests.furniture.evidence import bounds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.database import Database
    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small

LOG3 = math.log2(3)


def test_a_score_agrees_with_the_same_sum_by_hand(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 1, 3)
    small.rate(0, 2, 2)
    evidence = evidence_now()

    board = score_runs(evidence, evidence.current_runs())

    ideal = 3 + 2 / LOG3
    assert board.runs[0].measures["nDCG@2"] == (1 + 3 / LOG3) / ideal
    assert board.runs[1].measures["nDCG@2"] == 2 / ideal
    assert [run.scored for run in board.runs] == [1, 1]
    assert board.runs[0].judged["judged@2"] == 1.0
    assert board.runs[1].judged["judged@2"] == 0.5


def test_weighted_means_count_each_question_by_its_weight(
    small: Small, evidence_now: Callable[[], Evidence], database: Database
) -> None:
    small.rate(0, 0, 3)
    small.rate(1, 1, 3)
    board = score_runs(evidence := evidence_now(), evidence.current_runs())
    assert weighted_means(evidence, board) == {}
    with database.write() as session:
        first = session.get_one(Query, int(evidence.structure.query_id[0]))
        edit_query(session, session.get_one(Project, evidence.project_id), first, {"weight": 3.0})
    found = weighted_means(evidence_now(), board)

    for row, values in enumerate(board.values["nDCG@2"]):
        one, other = values[board.counted[row]]
        assert found["nDCG@2"][row] == pytest.approx((3 * one + other) / 4)
        assert board.runs[row].measures["nDCG@2"] == pytest.approx((one + other) / 2)


def test_without_a_scored_query_there_is_no_number(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 0)
    evidence = evidence_now()

    board = score_runs(evidence, evidence.current_runs())

    assert board.runs[0].measures["nDCG@2"] is None
    assert (board.runs[0].no_relevant, board.runs[0].unjudged) == (0, 2)
    assert bounds_of(evidence, board) == [None, None]


def test_a_query_whose_pool_is_rated_and_useless_is_counted_as_such(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document in range(4):
        small.rate(0, document, 0)
    evidence = evidence_now()

    board = score_runs(evidence, evidence.current_runs())

    assert (board.runs[0].no_relevant, board.runs[0].unjudged) == (1, 1)


def test_a_silent_run_gets_zero_on_a_query_it_covers(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    silent = small.run("Silent", {small.queries[0]: small.documents})
    small.rate(1, 2, 3)
    evidence = evidence_now()

    board = score_runs(evidence, evidence.current_runs())

    (row,) = [row for row, run in enumerate(board.runs) if run.run.id == silent.id]
    assert board.runs[row].measures["nDCG@2"] == 0.0
    assert board.runs[row].scored == 1


def test_a_query_added_later_stays_out_of_the_mean_of_an_older_run(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    with small.making() as make:
        later = make.query(small.project, "qc")
    third = small.run("Third", {later: small.documents})
    small.queries.append(later)
    small.rate(2, 1, 3)
    evidence = evidence_now()

    board = score_runs(evidence, evidence.current_runs())

    assert [run.scored for run in board.runs] == [1, 1, 2]
    assert board.runs[0].measures["nDCG@2"] == 1.0
    assert board.runs[2].run.id == third.id
    assert int(board.common.sum()) == 1
    assert common_means(board)[2] == 0.0


def test_a_fold_to_a_revision_has_the_bits_of_that_moment(database: Database, small: Small) -> None:
    shown = {}
    for query, document, grade in [(0, 0, 1), (0, 1, 3), (1, 2, 2), (0, 0, 3), (1, 3, 1), (0, 2, 2)]:
        small.rate(query, document, grade)
        evidence = evidence_of(database, small.project.id)
        board = score_runs(evidence, evidence.current_runs())
        shown[evidence.revision] = [run.measures["nDCG@2"] for run in board.runs]
    now = evidence_of(database, small.project.id)

    for revision, then in shown.items():
        board = score_runs(now, now.current_runs(revision), revision=revision)
        assert [run.measures["nDCG@2"] for run in board.runs] == then


def test_the_bounds_hold_the_score_and_close_when_all_is_rated(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 1)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())
    (low, high), _ = bounds_of(evidence, board)

    assert low < board.runs[0].measures["nDCG@2"] <= high


def test_measures_that_read_whole_lists_read_them(
    database: Database, small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 2, 3)
    evidence = evidence_now()

    with database.read() as session:
        board = score_runs(evidence, evidence.current_runs(), measures="AP RR P@1", session=session)

    assert board.runs[0].measures["AP"] == pytest.approx(1 / 3)
    assert board.runs[0].measures["RR"] == pytest.approx(1 / 3)
    assert board.runs[1].measures["P@1"] == 1.0
    assert set(board.runs[1].judged) == {"judged@1", "judged@2"}


def test_an_unknown_measure_is_named(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    with pytest.raises(UnknownMeasureError, match="nDGC"):
        score_runs(evidence_now(), [], measures="nDGC@10")


def test_the_newest_active_version_of_each_ranker_counts(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    newer = small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1]))
    withdrawn = small.event(EventKind.RUN_WITHDRAWN, {"run_id": newer.id})
    evidence = evidence_now()

    current = [evidence.structure.runs[place].id for place in evidence.current_runs()]
    before = [evidence.structure.runs[place].id for place in evidence.current_runs(withdrawn.revision - 1)]

    assert current == [run.id for run in small.runs]
    assert before == [newer.id, small.runs[1].id]


def test_the_head_of_the_evidence_is_the_head_of_the_ledger(database: Database, small: Small) -> None:
    with database.read() as session:
        assert evidence_of(database, small.project.id).revision == head_of(session, small.project.id)
