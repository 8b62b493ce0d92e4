"""The gate: each rule on its own, in their order, and one sentence with the numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scipy import stats

from app.jobs.gate import gate_file, gate_version
from app.services.collection.rankers import set_production
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.store import evidence_of
from app.services.scores.gate import GateRules, _digits, _points
from app.services.scores.leaderboard import leaderboard_of
from app.services.scores.overview_parts import verdict_between
from tests.furniture.evidence import differences_of
from tests.furniture.files import file_of, run_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.jobs.gate import Gated
    from app.models import Run
    from app.services.scores.gate import GateAnswer
    from tests.furniture.rankers import TwoRankers


def version(rankers: TwoRankers, name: str, against: str | None = None, **rules: float) -> GateAnswer:
    return gate_version(rankers.database, rankers.project.id, name, against, GateRules(**rules)).answer


def of_file(
    rankers: TwoRankers, text: str, *, ranker: str | None = None, against: str | None = None
) -> Gated:
    file = file_of(text, "new.run")
    return gate_file(rankers.database, rankers.project.id, file, GateRules(), ranker=ranker, against=against)


def lists(*, good_first: bool, count: int = 25, name: str = "x") -> str:
    order = "{0}-good {0}-bad" if good_first else "{0}-bad {0}-good"
    return run_text({query: order.format(query) for query in (f"q{n:03}" for n in range(count))}, name)


def mark(rankers: TwoRankers, run: Run) -> None:
    with rankers.database.write() as session:
        set_production(session, session.merge(rankers.project), session.merge(run))


def test_the_better_passes_and_the_worse_fails(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    passed, failed = version(rankers, "Ahead", "Behind"), version(rankers, "Behind", "Ahead")
    assert (passed.outcome, failed.outcome) == ("passed", "failed")
    assert passed.sentence == (
        "Passed: a drop of 3 points is ruled out (at worst +36.9 points, one-sided at 95%); Ahead v1 is better than "
        "Behind v1, by 37 points (gap +37 on 25 questions); NDCG@2 (linear, log2): Ahead v1 1.000 (0 of 50 answers not rated, "
        "judged@2 1.000) and Behind v1 0.631 (0 of 50 answers not rated, judged@2 1.000)."
    )
    assert failed.sentence.startswith(
        "Failed: a drop is likely (95% interval −36.9 to −36.9), and a drop of 3 points is not ruled out; "
        "Behind v1 against Ahead v1: Ahead v1 is better than Behind v1, by 37 points (gap −37 on 25 questions); "
    )


def test_a_small_drop_passes_though_it_is_surely_one(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    assert version(rankers, "Behind", "Ahead", max_drop=0.37).outcome == "passed"


def test_an_even_race_cannot_be_told_until_the_drop_may_be_large(
    make_rankers: Callable[..., TwoRankers],
) -> None:
    rankers = make_rankers(20, behind_wins=10)
    rankers.rate(rankers.queries)

    found = version(rankers, "Ahead", "Behind")
    assert found.outcome == "cannot tell"
    assert "neither a drop of 3 points nor a gain is ruled out (95% interval" in found.sentence
    passed = version(rankers, "Ahead", "Behind", max_drop=0.2)
    assert passed.outcome == "passed"
    assert "), which does not show that Ahead v1 is better; " in passed.sentence


def test_the_bound_is_students_one_sided(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(25, behind_wins=4)
    rankers.rate(rankers.queries)

    found = version(rankers, "Ahead", "Behind")
    evidence = evidence_of(rankers.database, rankers.project.id)
    between = verdict_between(evidence, 0, 1)
    values = differences_of(between.context, between.pair)
    real = values.mean() - stats.t.ppf(0.95, 24) * stats.sem(values)
    assert found.bound == pytest.approx(real, abs=1e-12)


def test_below_ten_questions_nothing_can_be_told(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:9])

    found = version(rankers, "Ahead", "Behind")
    assert found.outcome == "cannot tell"
    assert "9 questions scored for both Ahead v1 and Behind v1, and 10 are needed" in found.sentence
    rankers.rate(rankers.queries[9:10])
    passed = version(rankers, "Ahead", "Behind")
    assert passed.outcome == "passed"
    assert (
        "(30 of 50 answers of all questions not rated, judged@2 1.000 on the scored ones)" in passed.sentence
    )


def test_without_a_rating_there_are_no_numbers(rankers: TwoRankers) -> None:
    found = version(rankers, "Ahead", "Behind")

    assert found.outcome == "cannot tell"
    assert "Ahead v1 - (50 of 50 answers not rated, judged@2 -)" in found.sentence


def test_unrated_answers_of_either_come_before_every_other_rule(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    with rankers.making() as make:
        new = make.document(rankers.project, "new")
        found = {query: [rankers.answers[query.id][1], new] for query in rankers.queries}
        make.run(make.ranker(rankers.project, "Unrated"), found)

    for name, against in (("Unrated", "Ahead"), ("Ahead", "Unrated")):
        answer = version(rankers, name, against)
        assert answer.outcome == "cannot tell"
        assert "0.500 for Unrated v1" in answer.sentence
        assert "both need at least 0.9" in answer.sentence
        assert "25 of 50 answers not rated" in answer.sentence
    assert version(rankers, "Unrated", "Ahead", min_coverage=0.5).outcome == "failed"
    passed = version(rankers, "Ahead", "Unrated", min_coverage=0.5)
    assert "Passed: with unrated answers as not relevant, a drop of 3 points is ruled out" in passed.sentence
    rankers.set_ruler(unjudged="complete")
    assert version(rankers, "Unrated", "Ahead").outcome == "failed"


def test_the_word_and_the_number_are_those_of_the_overview(make_rankers: Callable[..., TwoRankers]) -> None:
    rankers = make_rankers(25, behind_wins=6)
    rankers.add_run("Third", good_first=False)
    rankers.rate(rankers.queries)
    board = leaderboard_of(evidence_of(rankers.database, rankers.project.id))
    assert board.reference is not None

    for entry in board.rankers:
        if entry.gap is not None:
            found = version(rankers, entry.run.ranker, board.reference.run.ranker)
            assert found.pair.verdict == entry.gap.verdict
            assert found.pair.verdict.family == 3


def test_without_another_the_version_in_production_is_meant_else_the_one_before(rankers: TwoRankers) -> None:
    rankers.add_run("Ahead", good_first=False)
    rankers.rate(rankers.queries)

    assert version(rankers, "Ahead").halves[1].name == "Ahead v1"
    with pytest.raises(NotFoundError, match="no version before Behind@v1: name another one with --against"):
        version(rankers, "Behind")
    mark(rankers, rankers.runs[1])
    assert version(rankers, "Ahead").halves[1].name == "Behind v1 (in production)"
    mark(rankers, rankers.runs[2])
    assert version(rankers, "Ahead").halves[1].name == "Ahead v1"


def test_what_does_not_exist_or_is_the_same_is_refused(rankers: TwoRankers) -> None:
    with pytest.raises(NotFoundError, match="'Nobody': there is Ahead, Behind"):
        version(rankers, "Nobody")
    with pytest.raises(NotFoundError, match="'Nobody'"):
        version(rankers, "Ahead", "Nobody")
    with pytest.raises(NotFoundError, match="No version is marked in production"):
        version(rankers, "Ahead", "production")
    with pytest.raises(InvalidError, match="Ahead@v1 cannot be compared with itself"):
        version(rankers, "Ahead", "Ahead@v1")


def test_a_file_is_judged_by_what_it_holds(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    good = of_file(rankers, lists(good_first=True), against="Behind")
    bad = of_file(rankers, lists(good_first=False), against="Ahead")
    assert (good.answer.outcome, bad.answer.outcome) == ("passed", "failed")
    assert bad.answer.outcome == "failed"
    assert (
        "; new.run against Ahead v1: Ahead v1 is better than new.run, by 37 points (gap −37 on 25 questions); "
        in bad.answer.sentence
    )
    assert len(evidence_of(rankers.database, rankers.project.id).structure.runs) == 2


def test_answers_that_nobody_can_rate_make_nothing_sure(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    unknown = run_text({f"q{n:03}": f"new-{n} newer-{n}" for n in range(25)}, "x")
    found = gate_file(
        rankers.database,
        rankers.project.id,
        file_of(unknown, "new.run"),
        GateRules(),
        against="Ahead",
        unknown_documents="add",
    ).answer

    assert (found.outcome, found.pair.verdict.word) == ("cannot tell", "not sure yet")
    assert found.halves[0].unrated == 50


def test_questions_without_answers_are_counted(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)

    few = of_file(rankers, lists(good_first=True, count=8), against="Ahead").answer
    assert (few.outcome, few.halves[0].silent, few.halves[1].silent) == ("failed", 17, 0)
    assert "no answers to 17 questions)" in few.sentence


def test_unrated_answers_of_unscored_questions_are_counted(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[1:])

    first, second = version(rankers, "Ahead", "Behind").halves
    assert (first.unrated, second.unrated, first.judged) == (2, 2, 1.0)


def test_a_file_is_compared_with_production_else_with_its_rankers_newest(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries)
    good = lists(good_first=True)

    assert of_file(rankers, good, ranker="Behind").answer.halves[1].name == "Behind v1"
    with pytest.raises(InvalidError, match="No version is marked in production: name one with --against"):
        of_file(rankers, good)
    with pytest.raises(NotFoundError, match="Newcomer has no other version"):
        of_file(rankers, good, ranker="Newcomer")
    mark(rankers, rankers.runs[0])
    assert of_file(rankers, good).answer.halves[1].name == "Ahead v1 (in production)"
    assert of_file(rankers, good, ranker="Behind").answer.halves[1].name == "Ahead v1 (in production)"


@pytest.mark.parametrize(("value", "limit", "shown"), [(-3.0004, -3.0, "−3.0004"), (-0.5, -3.0, "−0.5")])
def test_a_bound_has_the_digits_that_show_its_side(value: float, limit: float, shown: str) -> None:
    assert _digits(value, limit, 1, sign="+") == shown


def test_the_limit_is_told_as_it_was_given() -> None:
    assert [_points(drop) for drop in (0.03, 0.01, 0.025, 0.0)] == [
        "3 points",
        "1 point",
        "2.5 points",
        "0 points",
    ]
