"""The verdict on a pair: each word when its conditions hold, and taken back when they no longer do."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sqlalchemy import select, update

from app.models import Candidate, Document
from app.models.judgment import Origin
from app.scoring.verdict import FINAL_ALPHA
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from app.services.scores.context import missing_ratings, scoring_context
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.scoreboard import score_runs
from app.services.scores.verdicts import family_of, final_tests, finished_pairs, pair_verdicts
from tests.furniture.evidence import forget_evidence
from tests.furniture.rankers import GAP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.furniture.rankers import TwoRankers


def test_below_ten_scored_questions_it_is_too_early(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:9])

    found = rankers.verdict()
    assert (found.verdict.word, found.verdict.ahead, found.n) == ("too early", 0, 9)


def test_without_a_scored_question_there_is_no_number(rankers: TwoRankers) -> None:
    found = rankers.verdict()

    assert (found.verdict.word, found.mean, found.bounds) == ("too early", None, None)


def test_a_finished_pair_is_sure_by_the_final_test(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    found = rankers.verdict().verdict
    assert (found.word, found.ahead) == ("sure", 1)
    assert found.sample.finished
    assert found.final == pytest.approx(1 / 10_000)


def test_before_it_is_finished_a_large_gap_is_sure_by_the_early_test(rankers: TwoRankers) -> None:
    rankers.rate(rankers.ordered()[:12])

    found = rankers.verdict()
    assert (found.verdict.word, found.verdict.early, found.verdict.final) == ("sure", True, None)
    assert (found.verdict.sample.n, found.verdict.sample.finished) == (12, False)
    assert found.mean == pytest.approx(GAP)


def test_questions_rated_out_of_the_drawn_order_are_no_sample(rankers: TwoRankers) -> None:
    rankers.rate(rankers.ordered()[1:])

    found = rankers.verdict()
    assert (found.n, found.verdict.sample.n) == (24, 0)
    assert found.verdict.word == "not sure yet"


def test_the_sample_ends_before_the_first_question_that_is_not_closed(rankers: TwoRankers) -> None:
    ordered = rankers.ordered()
    rankers.rate([*ordered[:11], *ordered[12:20]])

    found = rankers.verdict()
    assert (found.n, found.verdict.sample.n) == (19, 11)


def test_the_other_way_round_the_verdict_is_the_same_about_the_other(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    forward, backward = rankers.verdict(), rankers.verdict(1, 0)
    assert (backward.verdict.word, backward.verdict.ahead) == ("sure", -1)
    assert backward.mean == -forward.mean
    assert backward.verdict.final == forward.verdict.final
    turned = forward.turned()
    assert (turned.first, turned.mean, turned.bounds) == (backward.first, backward.mean, backward.bounds)
    assert turned.verdict.interval == backward.verdict.interval


def test_a_sure_verdict_is_withdrawn_when_todays_grades_reverse_it(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    rankers.rate(rankers.queries, (0, 3))

    assert (rankers.verdict().verdict.word, rankers.verdict().verdict.ahead) == ("sure", -1)


def test_an_even_race_is_not_sure_yet(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(24, behind_wins=12)
    rankers.rate(rankers.queries)

    found = rankers.verdict().verdict
    assert (found.word, found.ahead) == ("not sure yet", 0)
    assert found.final is not None
    assert found.final > FINAL_ALPHA


def test_equal_lists_are_too_close_to_call(rankers: TwoRankers) -> None:
    rankers.add_run("Twin")
    rankers.rate(rankers.queries)

    assert rankers.verdict(0, 2).verdict.word == "too close to call"


def test_no_grades_of_what_is_open_turn_a_kept_order_round(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(12)
    rankers.rate(rankers.ordered()[:10])
    found = rankers.verdict()
    assert found.safe_leader == 1

    context = rankers.context
    open_cells = np.flatnonzero(context.board.judged.open)
    for grades in product(range(4), repeat=len(open_cells)):
        counts = context.evidence.counts().copy()
        counts[open_cells, list(grades)] = 1
        judged = context.evidence.judged_from(counts, context.board.ruler)
        board = score_runs(context.evidence, context.places, ruler=context.board.ruler, judged=judged)
        rows = [context.rows[run.id] for run in rankers.runs]
        values = board.values[board.headline][rows][:, board.counted[rows].all(axis=0)]
        assert (values[0] - values[1]).mean() > 0


def test_where_something_open_could_turn_it_round_the_order_is_not_kept(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(30)
    rankers.rate(rankers.queries[:10])

    assert rankers.verdict().safe_leader == 0


def test_where_nothing_is_missing_there_is_no_such_note(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    assert rankers.verdict().safe_leader == 0


def test_declaring_grades_complete_weakens_no_verdict(make_rankers: Callable[..., TwoRankers]) -> None:
    order = ["surely worse", "too early", "not sure yet", "too close to call", "probably better", "sure"]
    for rated in range(10, 26, 3):
        rankers = make_rankers(25)
        rankers.rate(rankers.ordered()[:rated])
        before = rankers.verdict().verdict.word
        rankers.set_ruler(unjudged="complete")

        found = rankers.verdict()
        assert order.index(found.verdict.word) >= order.index(before)
        assert (found.verdict.word, found.complete, found.provisional) == ("sure", True, False)


def test_a_new_version_that_is_clearly_better_than_the_one_before_is_sure(rankers: TwoRankers) -> None:
    rankers.add_run("Behind")
    rankers.rate(rankers.queries)

    found = rankers.verdict(2, 1)
    assert (found.verdict.word, found.verdict.ahead, found.verdict.family) == ("sure", 1, 1)


def test_a_family_shares_its_five_percent(rankers: TwoRankers) -> None:
    third, fourth = rankers.add_run("Third", good_first=False), rankers.add_run("Fourth")
    rankers.rate(rankers.ordered()[:11])
    context = rankers.context
    rows = [context.rows[run.id] for run in (*rankers.runs[:2], third, fourth)]
    every = family_of(rows)
    against = family_of(rows, rows[1])

    assert (len(every), len(against)) == (6, 3)
    alone, one_of_three, one_of_six = (
        pair_verdicts(context, [(rows[0], rows[1])], family)[0].verdict for family in (None, against, every)
    )
    assert (alone.family, one_of_three.family, one_of_six.family) == (1, 3, 6)
    assert alone.early
    assert not one_of_six.early, "the early test asks for 100 times as many pairs"
    assert alone.sample == one_of_six.sample


def test_only_finished_pairs_take_part_in_the_final_test(rankers: TwoRankers) -> None:
    with rankers.making() as make:
        other = make.document(rankers.project, "other")
        session = make.session
        ranker = make.ranker(rankers.project, "Open")
        run = make.run(ranker, {query: [other] for query in rankers.queries})
        session.flush()
    rankers.runs.append(run)
    rankers.rate(rankers.queries)
    context = rankers.context
    rows = [context.rows[run.id] for run in rankers.runs]

    tests = final_tests(context, family_of(rows))

    assert set(tests) == {(rows[0], rows[1]), (rows[1], rows[0])}


@pytest.mark.thorough
def test_with_sixty_three_rankers_a_clear_winner_is_sure(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(30)
    for number in range(61):
        rankers.add_run(f"Also {number:02}", good_first=False)
    rankers.rate(rankers.queries)
    evidence = evidence_of(rankers.database, rankers.project.id)

    board = leaderboard_of(evidence)

    assert board.main is not None
    assert (len(board.rankers), board.main.verdict.family) == (63, 63 * 62 // 2)
    assert (board.main.verdict.word, board.main.first.ranker) == ("sure", "Ahead")


def test_many_finished_pairs_are_found_as_few_are(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(12)
    rankers.add_queries(4)
    rankers.add_run("Later")
    rankers.rate(rankers.queries[:14])
    context = rankers.context
    pairs = [(a, b) for a in range(3) for b in range(3) if a != b]

    finished = [pair.verdict.sample.finished for pair in pair_verdicts(context, pairs)]
    assert finished_pairs(context, pairs).tolist() == finished


def test_answers_that_two_people_passed_on_keep_no_question_open(rankers: TwoRankers) -> None:
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    others = []
    with rankers.making() as make:
        others = [make.member(rankers.project, "annotator") for _ in range(2)]
    rankers.pass_on(ordered[0], others[0])
    assert not rankers.verdict().verdict.sample.finished

    rankers.pass_on(ordered[0], others[1])

    found = rankers.verdict()
    assert found.verdict.sample.finished
    assert (found.missing.answers, found.missing.ratable, found.missing.unratable) == (2, 0, 2)


def test_where_only_one_person_rates_one_pass_is_enough(rankers: TwoRankers) -> None:
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    rankers.pass_on(ordered[0], rankers.annotator)

    assert rankers.verdict().verdict.sample.finished


@pytest.mark.parametrize("rated", [{"role": Origin.ADJUDICATION}, {"blind": False}], ids=["decided", "rated"])
def test_what_an_owner_rates_leaves_the_only_annotator_the_only_one(
    rankers: TwoRankers, rated: dict[str, Any]
) -> None:
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    with rankers.making() as make:
        owner = make.member(rankers.project, "owner")
        candidates = select(Candidate).where(Candidate.query_id == ordered[1].id)
        make.judgment(make.session.scalars(candidates).all()[0], owner, 2, **rated)

    rankers.pass_on(ordered[0], rankers.annotator)

    assert rankers.verdict().missing.ratable == 0


def test_answers_without_a_text_keep_no_question_open(rankers: TwoRankers) -> None:
    ordered = rankers.ordered()
    rankers.rate(ordered[1:])
    with rankers.database.write() as session:
        numbers = [document.id for document in rankers.answers[ordered[0].id]]
        session.execute(update(Document).where(Document.id.in_(numbers)).values(content_hash=None))
    forget_evidence(rankers.database, rankers.project.id)

    assert rankers.verdict().verdict.sample.finished


def test_wanted_second_ratings_keep_no_question_open(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(25, overlap=2)
    rankers.rate(rankers.queries)

    assert rankers.verdict().verdict.sample.finished


def test_a_finished_verdict_does_not_depend_on_the_order_of_events(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    def rated_in(order: Sequence[int]) -> tuple[str, float | None, float | None]:
        rankers = make_rankers(20, behind_wins=4)
        for number in order:
            rankers.rate([rankers.queries[number]])
        found = rankers.verdict().verdict
        return found.word, found.interval.mean, found.final

    there = rated_in(range(20))
    generator = np.random.default_rng(3)
    assert all(rated_in(generator.permutation(20).tolist()) == there for _ in range(3))


def test_reading_verdicts_writes_nothing(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    with rankers.database.read() as session:
        before = head_of(session, rankers.project.id)

    rankers.verdict()
    leaderboard_of(evidence_of(rankers.database, rankers.project.id))

    with rankers.database.read() as session:
        assert head_of(session, rankers.project.id) == before


def test_what_is_missing_is_counted_for_a_pair(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:20])
    context = rankers.context

    (missing,) = missing_ratings(context, [(0, 1)])

    assert (missing.answers, missing.ratable) == (10, 10)
    assert scoring_context(context.evidence) is context
