"""Leaving one ranker out, by hand."""

from __future__ import annotations

from math import log2
from typing import TYPE_CHECKING

import pytest

from app.services.quality.health import left_out
from app.services.scores.scoreboard import score_runs

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from app.services.quality.health import LeftOut
    from tests.services.conftest import Small


def left_out_of(evidence: Evidence) -> list[LeftOut]:
    return left_out(evidence, score_runs(evidence, evidence.current_runs()))


def test_a_ranker_is_scored_without_what_only_it_brought(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    """The first lists d1 d2 (d3), the second d3 d4, k is 2 and the pool 3 deep: d3 is of both."""
    for query in (0, 1):
        small.rate(query, 0, 3)
        small.rate(query, 2, 3)
    small.rate(0, 3, 2)

    first, second = left_out_of(evidence_now())

    # Of both queries only the first one returns d1 and d2, and only the second one d4.
    assert (first.only, first.relevant, first.queries) == (4, 2, 2)
    assert (second.only, second.relevant) == (2, 1)
    ideals = [3 + 3 / log2(3), 3 + 3 / log2(3)]
    assert first.score == pytest.approx(sum(3 / ideal for ideal in ideals) / 2)
    assert first.without == 0.0
    assert first.change == pytest.approx(-first.score)
    assert second.score == pytest.approx(((3 + 2 / log2(3)) / ideals[0] + 3 / ideals[1]) / 2)
    assert second.without == pytest.approx((3 / ideals[0] + 3 / ideals[1]) / 2)
    # Two queries say nothing about an order.
    assert first.early


def test_a_query_that_only_one_ranker_answers_is_lost_without_it(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    small.rate(0, 0, 3)
    small.rate(1, 2, 1)

    first, second = left_out_of(evidence_now())

    assert first.queries == 1
    assert first.score == first.without == 0.0
    assert second.queries == 2


def test_the_order_of_all_rankers_is_compared(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    with small.making() as make:
        small.queries += [make.query(small.project, f"more{number}") for number in range(10)]
        for ranker, listed in zip(small.rankers, (small.documents[:3], small.documents[2:]), strict=True):
            make.run(ranker, dict.fromkeys(small.queries, listed))
    for query in range(2, 12):
        small.rate(query, 0, 3)
        small.rate(query, 2, 1)

    first, second = left_out_of(evidence_now())

    assert [run.ranker_id for run in first.moved] == [first.run.ranker_id, second.run.ranker_id]
    assert not first.early
    assert second.moved == ()


def test_without_rankers_or_ratings_nothing_is_said(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    for one in left_out_of(evidence_now()):
        assert (one.score, one.without, one.change, one.moved, one.queries) == (None, None, None, (), 0)
