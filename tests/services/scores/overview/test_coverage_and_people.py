"""Coverage, contributors and hard questions, counted by hand on the small project."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from app.models import EventKind, Reason
from app.services.scores.coverage import contributors_of, coverage_of, finished_queries, tallies_of
from app.services.scores.hardest import _best_place, hardest_of
from app.services.scores.scoreboard import score_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small


def test_coverage_counts_the_pool_and_what_is_rated_of_it(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document in range(4):
        small.rate(0, document, 1)
    small.rate(1, 0, 2)
    evidence = evidence_now()

    coverage = coverage_of(evidence, evidence.judged())

    assert (coverage.pooled, coverage.rated, coverage.missing) == (8, 5, 3)
    assert finished_queries(evidence, evidence.judged()).sum() == 1


def test_an_answer_that_no_ranker_returned_does_not_open_a_rated_question(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document in range(4):
        small.rate(0, document, 1)
    with small.making() as make:
        known = make.document(small.project, "d5")
        make.run(make.ranker(small.project, "Known answers", kind="manual"), {small.queries[0]: [known]})
    evidence = evidence_now()

    coverage = coverage_of(evidence, evidence.judged())

    assert (coverage.pooled, coverage.missing) == (9, 5)
    assert finished_queries(evidence, evidence.judged()).sum() == 1


def test_contributors_are_counted_by_their_latest_judgment(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    idle = small.member("annotator", name="Idle Person")
    small.member("viewer", name="Only Looks")
    small.rate(0, 0, 1)
    small.rate(0, 0, 3)
    small.rate(0, 1, None, reason=Reason.LANGUAGE)
    small.rate(0, 2, 2, blind=False)
    small.rate(1, 0, 3)
    small.rate(1, 0, None, reason=Reason.CLEARED)
    evidence = evidence_now()

    with small.database.read() as session:
        found = contributors_of(session, evidence, evidence.judged().pooled)

    assert [(one.name, one.rated, one.declined, one.could_see_rankers) for one in found] == [
        (small.annotator.name, 2, 1, 1),
        (idle.name, 0, 0, 0),
    ]


def test_ratings_of_a_text_that_was_edited_count_no_more(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    small.rate(0, 1, 2)
    small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[0].id]})
    evidence = evidence_now()

    with small.database.read() as session:
        (found,) = contributors_of(session, evidence, evidence.judged().pooled)

    assert found.rated == 1


def test_counts_that_are_kept_up_equal_counts_made_anew(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    second = small.member("annotator")
    steps = [
        lambda: small.rate(0, 0, 2),
        lambda: small.rate(0, 0, 1),
        lambda: small.rate(0, 1, 3, annotator=second, blind=False),
        lambda: small.rate(0, 0, None, reason=Reason.UNCLEAR),
        lambda: small.rate(0, 1, None, reason=Reason.CLEARED, annotator=second),
        lambda: small.run("Third", {small.queries[1]: small.documents[:2]}),
        lambda: small.rate(1, 0, 1, annotator=second),
        lambda: small.event(EventKind.DOCUMENTS_EDITED, {"document_ids": [small.documents[1].id]}),
        lambda: small.rate(0, 1, 2, annotator=second),
    ]
    for step in steps:
        step()
        evidence = evidence_now()
        pooled = evidence.judged().pooled
        kept_up = tallies_of(evidence, pooled)
        evidence.memory.kept.clear()
        anew = tallies_of(evidence, pooled)

        assert {name: counts.tolist() for name, counts in kept_up.items()} == {
            name: counts.tolist() for name, counts in anew.items()
        }


def test_a_question_without_a_good_answer_has_no_score_to_be_low(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document in range(4):
        small.rate(0, document, 0)
        small.rate(1, document, int(document == 1))
    evidence = evidence_now()

    with small.database.read() as session:
        board = score_runs(evidence, evidence.current_runs())
        found = hardest_of(session, evidence, board)

    assert [(one.name, one.reason) for one in found] == [("qb", "Rankers differ: First 63, Second 0.")]
    assert found[0].score == "32"


def test_nobody_found_it_is_said_only_where_every_ranker_has_nothing(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    with small.making() as make:
        outside = make.document(small.project, "d9")
        make.judgment(make.candidate(small.queries[0], outside, in_pool=False), small.annotator, 3)

    def reasons() -> list[str]:
        evidence = evidence_now()
        with small.database.read() as session:
            found = hardest_of(session, evidence, score_runs(evidence, evidence.current_runs()))
        return [one.reason for one in found]

    # It is scored, as the list of questions says, and nobody knows whether it is hard.
    assert reasons() == []
    # What nobody rated may be what was looked for.
    small.rate(0, 0, 0)
    assert reasons() == ["1 of 4 answers in the pool rated."]
    for document in range(1, 4):
        small.rate(0, document, 0)
    assert reasons() == ["No good answer in any top 2."]


def test_unrated_answers_are_counted_in_the_reason(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 1, 3)
    evidence = evidence_now()

    with small.database.read() as session:
        found = hardest_of(session, evidence, score_runs(evidence, evidence.current_runs()))

    assert found[0].reason == "1 of 4 answers in the pool rated."


def test_a_disagreement_is_counted_among_answers_with_several_ratings(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    second = small.member("annotator")
    for document, grade in enumerate([0, 3, 0, 0]):
        small.rate(0, document, grade)

    def reason() -> str:
        evidence = evidence_now()
        with small.database.read() as session:
            (first,) = hardest_of(session, evidence, score_runs(evidence, evidence.current_runs()), most=1)
        return first.reason

    small.rate(0, 1, 1, annotator=second)
    assert reason() == "Annotators disagree about the only answer that several of them rated."
    small.rate(0, 0, 0, annotator=second)
    assert reason() == "Annotators disagree about 1 of the 2 answers that several of them rated."


def test_the_place_of_the_best_answer_is_looked_up_in_the_whole_lists(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for document, grade in enumerate([1, 3, 1, 1]):
        small.rate(0, document, grade)
    evidence = evidence_now()

    with small.database.read() as session:
        (first,) = hardest_of(session, evidence, score_runs(evidence, evidence.current_runs()), most=1)

    assert str(first.reason).startswith("Rankers differ: First ")


def test_two_versions_of_one_ranker_are_told_apart_and_an_empty_list_scores_0(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    ranker = small.rankers[0]
    small.run(ranker, {small.queries[0]: small.documents[2:]})
    for document, grade in enumerate([0, 3, 0, 0]):
        small.rate(0, document, grade)
    small.rate(1, 1, 1)
    evidence = evidence_now()
    board = score_runs(evidence, evidence.active_runs())
    own = [run.place for run in board.runs if run.run.ranker_id == ranker.id]

    with small.database.read() as session:
        both, newer = (
            hardest_of(session, evidence, score_runs(evidence, runs), most=9) for runs in (own, own[1:])
        )

    # As in the list of questions, the mean is that of the newest version of each ranker.
    of_qa, in_newer = (next(one for one in found if one.name == "qa") for found in (both, newer))
    assert of_qa.mean == in_newer.mean
    assert re.fullmatch(r"Versions differ: First v1 \d+, First v2 \d+\.", str(of_qa.reason))
    # The newer version returned nothing for the other one, which counts as 0.
    assert [(one.name, one.mean) for one in newer if one.name == "qb"] == [("qb", 0.0)]


def test_a_best_answer_that_is_first_somewhere_is_told_so(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.run(small.rankers[0], {small.queries[0]: small.documents[:3]})
    small.rate(0, 0, 3)
    evidence = evidence_now()

    with small.database.read() as session:
        board = score_runs(evidence, evidence.active_runs())
        said = _best_place(session, evidence, board, 0)

    assert said == "At least one ranker puts the best answer first."


def test_a_best_answer_below_every_scored_place_is_told_so(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 3, 3)
    evidence = evidence_now()
    with small.database.read() as session:
        board = score_runs(evidence, evidence.active_runs())
        deep = replace(board, ruler=replace(board.ruler, k=1))

        assert _best_place(session, evidence, board, 0) == "All rankers: best answer below place 1."
        assert _best_place(session, evidence, deep, 0) == "All rankers: best answer below place 1."
