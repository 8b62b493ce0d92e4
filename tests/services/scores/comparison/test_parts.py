"""What stands around a verdict: cautions, slices, questions, and all pairs at once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from sqlalchemy import select

from app.models import Candidate, EventKind, Query
from app.services.evidence.store import evidence_of
from app.services.ledger import record_event
from app.services.scores.compare import matrix_of, question_differences, reason_for, slices_of
from app.services.scores.context import scoring_context, unrated_by_query
from app.services.scores.verdict_text import cautions_of, names_of
from app.services.scores.verdicts import pair_verdicts, unadjusted_test
from tests.furniture.rankers import GAP
from tests.scoring.paired import compare_rankers

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.scores.context import ScoringContext
    from app.services.scores.verdicts import PairVerdict
    from tests.furniture.rankers import TwoRankers

NAMES = ("Ahead", "Behind")


def pair_of(rankers: TwoRankers) -> tuple[ScoringContext, PairVerdict]:
    context = rankers.context
    (found,) = pair_verdicts(context, [(context.rows[rankers.runs[0].id], context.rows[rankers.runs[1].id])])
    return context, found


def test_a_fair_comparison_has_no_caution(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    assert cautions_of(*pair_of(rankers), NAMES) == []


@pytest.mark.parametrize("returned", [25, 5])
def test_unequal_coverage_is_said_with_both_shares_of_what_is_returned(
    rankers: TwoRankers, returned: int
) -> None:
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        new = make.document(rankers.project, "new")
        lists = {query: [new, rankers.answers[query.id][0]] for query in rankers.queries[:returned]}
        make.run(make.ranker(rankers.project, "Third"), lists)
    context = rankers.context
    (found,) = pair_verdicts(context, [(0, 2)])

    (sentence,) = cautions_of(context, found, ("Ahead", "Third"))
    assert sentence.startswith(
        "On the scored questions, more of Ahead’s top answers are rated: 100 %, against 50 % of Third’s."
    )


def test_questions_that_only_one_covers_are_counted_and_left_out(rankers: TwoRankers) -> None:
    rankers.add_queries(1)
    newer = rankers.add_run("Behind", good_first=False)
    rankers.runs[1] = newer
    rankers.rate(rankers.queries)

    context, found = pair_of(rankers)
    assert found.n == 25
    (sentence,) = cautions_of(context, found, NAMES)
    assert "1 only by Behind" in sentence


def test_answers_edited_after_a_version_came_are_counted(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    edited = rankers.answers[rankers.queries[0].id][0].id
    with rankers.database.write() as session:
        record_event(session, rankers.project.id, EventKind.DOCUMENTS_EDITED, {"document_ids": [edited]})
    rankers.rate(rankers.queries[:1])

    (sentence,) = cautions_of(*pair_of(rankers), NAMES)
    assert sentence.startswith("1 answer was edited after a version was imported")


def test_every_tag_stands_on_its_own_questions(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(24, behind_wins=6)
    rankers.rate(rankers.queries)
    with rankers.database.write() as session:
        for number, query in enumerate(rankers.queries):
            tags = ["rare"] if number < 6 else ["common"]
            session.get_one(Query, query.id).tags = [*tags, "all"]
    context, found = pair_of(rankers)

    with rankers.database.read() as session:
        slices = {one.tag: one for one in slices_of(session, context, found)}
    assert {tag: one.interval.n for tag, one in slices.items()} == {"all": 24, "common": 18, "rare": 6}
    assert list(slices) == ["all", "common", "rare"]
    assert slices["rare"].interval.mean == pytest.approx(-GAP)
    assert slices["rare"].interval.low is None
    assert slices["common"].interval.mean == pytest.approx(GAP)


def test_questions_come_from_the_largest_win_to_the_largest_loss(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(4, behind_wins=1)
    rankers.rate(rankers.queries[:2])
    rankers.rate(rankers.queries[2:3], (1, 1))
    context, found = pair_of(rankers)

    with rankers.database.read() as session:
        rows = question_differences(session, context, found)
    assert [one.outcome for one in rows] == [1, 0, -1]
    assert rows[0].difference == pytest.approx(GAP)
    assert rows[0].query_id == rankers.queries[1].id
    assert sum(one.difference for one in rows) == pytest.approx(found.mean * 3)


def test_a_question_says_where_its_best_answer_stands(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(3)
    rankers.rate(rankers.queries[:1])
    rankers.rate(rankers.queries[1:2], (2, 2))
    context, found = pair_of(rankers)

    assert reason_for(context, found, 0, NAMES) == "Only Ahead puts the best answer first."
    assert reason_for(context, found, 1, NAMES) == ""
    assert reason_for(context, found, 2, NAMES) == "2 top answers unrated."


def test_only_is_not_said_where_a_third_ranker_does_the_same(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(3)
    rankers.add_run("Third")
    rankers.rate(rankers.queries)
    context, found = pair_of(rankers)

    assert reason_for(context, found, 0, NAMES) == (
        "The best answer is at place 1 for Ahead, and at place 2 for Behind."
    )


def test_the_best_answer_is_no_reason_for_the_one_that_has_it_and_loses(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(1)
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        found = [make.document(rankers.project, name) for name in ("x", "y")]
        make.run(make.ranker(rankers.project, "Steady"), {rankers.queries[0]: found})
        for document in found:
            candidate = make.session.scalars(select(Candidate).where(Candidate.document_id == document.id))
            make.judgment(candidate.one(), rankers.annotator, 2)
    context = rankers.context
    (steady,) = (row for row, scored in enumerate(context.board.runs) if scored.run.ranker == "Steady")
    (pair,) = pair_verdicts(context, [(steady, context.rows[rankers.runs[0].id])])

    assert pair.mean is not None
    assert pair.mean > 0, "3 and 0 stars earn less than 2 and 2"
    assert reason_for(context, pair, 0, ("Steady", "Ahead")) == ""


def test_unrated_answers_are_counted_question_by_question(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(3)
    rankers.rate(rankers.queries[:1])
    context, found = pair_of(rankers)

    assert unrated_by_query(context, found.rows).tolist() == [0, 2, 2]
    assert unrated_by_query(context, found.rows).sum() == found.missing.answers


def test_the_matrix_holds_every_pair_twice_with_opposite_signs(rankers: TwoRankers) -> None:
    rankers.add_run("Third")
    rankers.rate(rankers.queries)
    context = rankers.context

    matrix = matrix_of(context)
    assert [run.ranker for run in matrix.runs] == ["Ahead", "Third", "Behind"]
    assert [matrix.cells[row][row] for row in range(3)] == [None] * 3
    for row in range(3):
        for column in range(row):
            here, there = matrix.cells[row][column], matrix.cells[column][row]
            assert here is not None
            assert there is not None
            assert here.mean is not None
            assert (here.n, here.mean) == (there.n, -(there.mean or 0.0))
    assert [cell and cell.text for cell in matrix.cells[0]] == [None, "0", "+37"]
    assert [cell and cell.text for cell in matrix.cells[2]] == ["−37", "−37", None]


def test_an_older_version_and_those_of_one_ranker_are_named_with_their_versions(rankers: TwoRankers) -> None:
    rankers.add_run("Behind")
    evidence = rankers.context.evidence
    runs = evidence.structure.runs

    assert names_of(evidence, runs[0], runs[2]) == ("Ahead", "Behind")
    assert names_of(evidence, runs[0], runs[1]) == ("Ahead", "Behind v1")
    assert names_of(evidence, runs[2], runs[1]) == ("Behind v2", "Behind v1")
    assert names_of(evidence, runs[0], runs[2], versions=True) == ("Ahead v1", "Behind v2")


def test_a_pair_is_tested_by_itself_before_it_is_finished(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(20, behind_wins=6)
    rankers.rate(rankers.queries[:-1])
    context, found = pair_of(rankers)

    test = unadjusted_test(context, found.rows)
    assert found.verdict.final is None
    assert test is not None
    assert (test.resamples, test.exact) == (9_999, False)
    # Another seed draws other flips: equal within their error.
    other = compare_rankers(context.values[list(found.rows)][:, found.queries], seed=1)
    assert test.p == pytest.approx(float(other.raw[0]), abs=0.02)


def test_the_final_test_of_a_pair_asked_about_alone_is_that_test(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(20, behind_wins=6)
    rankers.rate(rankers.queries)
    context, found = pair_of(rankers)

    test = unadjusted_test(context, found.rows)
    assert test is not None
    assert test.p == found.verdict.final


def test_without_a_scored_question_there_is_no_test(rankers: TwoRankers) -> None:
    context, found = pair_of(rankers)

    assert unadjusted_test(context, found.rows) is None


def test_the_basis_of_the_current_runs_is_kept_until_the_next_revision(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:3])
    before = evidence_of(rankers.database, rankers.project.id)

    assert scoring_context(before) is scoring_context(before)
    rankers.rate(rankers.queries[3:4])
    after = evidence_of(rankers.database, rankers.project.id)
    assert scoring_context(after).evidence is after
    assert scoring_context(before).evidence is before
