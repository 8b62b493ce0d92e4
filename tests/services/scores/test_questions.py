"""One question at a time: lists, grades, working and state."""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from app.models import Reason
from app.services.errors import NotFoundError
from app.services.scores.question_page import question_sheet
from app.services.scores.questions import questions_of
from app.services.scores.scoreboard import score_runs
from app.services.scores.working import _lost, working_for

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small


def test_the_sheet_shows_every_list_with_its_grades(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    other = small.member("annotator", name="Bo")
    small.rate(0, 0, 1)
    small.rate(0, 0, 2, annotator=other)
    small.rate(0, 2, None, reason=Reason.HARMFUL)
    small.rate(0, 3, 1)
    small.rate(0, 3, None, reason=Reason.CLEARED)
    evidence = evidence_now()

    with small.database.read() as session:
        sheet = question_sheet(
            session, evidence, score_runs(evidence, evidence.current_runs()), small.queries[0].id
        )

    first, second = sheet.lists
    assert [row.external_id for row in first.rows] == ["d1", "d2", "d3"]
    assert (first.rows[0].low, first.rows[0].high) == (1, 2)
    assert first.rows[1].low is None
    assert [row.external_id for row in second.rows] == ["d3", "d4"]
    assert {name for _, name in sheet.annotators} == {small.annotator.name, "Bo"}
    assert sheet.ratings[0].grades == {small.annotator.id: 1, other.id: 2}
    assert sheet.ratings[1].grades == {small.annotator.id: None}
    assert (sheet.pooled, sheet.rated) == (4, 1)


def test_the_working_adds_up_to_the_engines_score(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    small.rate(0, 0, 1)
    small.rate(0, 1, 3)
    small.rate(0, 2, 2)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())

    with small.database.read() as session:
        sheet = question_sheet(session, evidence, board, small.queries[0].id)
    working = working_for(evidence, board, sheet, sheet.lists[0])

    assert working.working.ndcg == sheet.lists[0].score
    assert working.working.dcg == 1 + 3 / math.log2(3)
    assert working.lost == ("32 points lost. Place 1 costs the most: it holds an answer of grade 1.")


def test_what_no_answer_of_the_list_brings_back_is_lost_at_one_place(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document, grade in enumerate((0, 0, 0, 3)):
        small.rate(0, document, grade)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())

    with small.database.read() as session:
        sheet = question_sheet(session, evidence, board, small.queries[0].id)

    lost = working_for(evidence, board, sheet, sheet.lists[0]).lost
    assert lost == "100 points lost, all at place 1: it holds an answer of grade 0."


def test_a_question_of_another_project_is_not_found(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    with small.making() as make:
        foreign = make.query(make.project())
    evidence = evidence_now()

    with small.database.read() as session, pytest.raises(NotFoundError):
        question_sheet(session, evidence, score_runs(evidence, evidence.current_runs()), foreign.id)


def test_the_states_of_questions_are_told_apart(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    with small.making() as make:
        small.queries += [make.query(small.project, name) for name in ("qc", "qd")]
    small.run("Third", dict.fromkeys(small.queries[2:], small.documents))
    small.rate(0, 0, 3)
    for document in range(3):
        small.rate(2, document, 0)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())

    with small.database.read() as session:
        found = {row.external_id: row for row in questions_of(session, evidence, board)}

    assert {name: row.state for name, row in found.items()} == {
        "qa": "answered",
        "qb": "unknown",
        "qc": "none_found",
        "qd": "unknown",
    }
    assert found["qa"].best == 1.0
    assert found["qa"].spread == 1.0
    assert found["qb"].best is None


def test_a_ranker_misses_what_is_there_only_once_its_top_is_fully_judged(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    def missed() -> tuple[int, ...]:
        evidence = evidence_now()
        board = score_runs(evidence, evidence.current_runs())
        with small.database.read() as session:
            return next(
                row.missed_by for row in questions_of(session, evidence, board) if row.external_id == "qa"
            )

    small.rate(0, 0, 3)
    small.rate(0, 2, 0)
    assert missed() == ()
    small.rate(0, 3, 0)
    assert missed() == (1,)
    small.rate(0, 3, 2)
    assert missed() == ()


def test_disputes_count_answers_two_or_more_steps_apart(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    other = small.member("annotator", name="Bo")
    for document, (mine, theirs) in enumerate([(0, 3), (1, 2), (2, 2)]):
        small.rate(0, document, mine)
        small.rate(0, document, theirs, annotator=other)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.current_runs())

    with small.database.read() as session:
        found = {row.external_id: row for row in questions_of(session, evidence, board)}

    assert (found["qa"].apart, found["qa"].twice) == (1, 3)
    assert (found["qb"].apart, found["qb"].twice) == (0, 0)


def test_no_place_is_blamed_for_most_of_a_loss_that_many_share() -> None:
    def steps(*gains: float) -> list[SimpleNamespace]:
        return [SimpleNamespace(rank=rank, contribution=gain) for rank, gain in enumerate(gains, 1)]

    rows = [SimpleNamespace(rank=rank, repeats=None, low=1, high=1) for rank in (1, 2, 3)]
    shared = SimpleNamespace(ndcg=0.4, ideal_steps=steps(4.0, 3.0, 3.0), steps=steps(2.0, 1.2, 0.8))
    alone = SimpleNamespace(ndcg=0.5, ideal_steps=steps(4.0, 3.0, 3.0), steps=steps(0.0, 2.5, 2.5))

    assert (
        _lost(shared, rows, is_complete=False)
        == "60 points lost. Place 3 costs the most: it holds an answer of grade 1."
    )
    assert _lost(alone, rows, is_complete=False).startswith("50 points lost, most of them at place 1:")


@pytest.mark.parametrize(
    ("grades", "gains", "told"),
    [
        (
            (None, 0, None),
            (0.0, 0.0, 0.0),
            "100 points below the best possible order, with 2 answers not rated yet.",
        ),
        (
            (2, 2, None),
            (4.0, 3.0, 0.0),
            "30 points below the best possible order, with 1 answer not rated yet.",
        ),
    ],
)
def test_what_unrated_answers_hold_back_is_not_called_lost(
    grades: tuple[int | None, ...], gains: tuple[float, ...], told: str
) -> None:
    def steps(*contributions: float) -> list[SimpleNamespace]:
        return [SimpleNamespace(rank=rank, contribution=gain) for rank, gain in enumerate(contributions, 1)]

    rows = [
        SimpleNamespace(rank=rank, repeats=None, low=grade, high=grade)
        for rank, grade in enumerate(grades, 1)
    ]
    ideal = steps(4.0, 3.0, 3.0)
    working = SimpleNamespace(ndcg=sum(gains) / 10, ideal_steps=ideal, steps=steps(*gains))

    assert _lost(working, rows, is_complete=False) == told
    assert "best possible" not in _lost(working, rows, is_complete=True)
