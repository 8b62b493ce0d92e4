"""Bounds kept between ratings have the bits of bounding everything again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from app.services.scores import context as context_module
from app.services.scores.context import pair_bounds_of, run_bounds_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.scoring.bounds import Bounds
    from app.services.scores.context import ScoringContext
    from tests.furniture.rankers import TwoRankers

PAIRS = [(0, 1), (1, 0)]


def both(context: ScoringContext) -> tuple[Bounds, Bounds]:
    return pair_bounds_of(context, PAIRS), run_bounds_of(context)


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what grows by one entry whenever everything is bounded again."""
    anew: list[str] = []
    honest = context_module._all_bounds

    def noted(*words: object) -> Bounds:
        anew.append("all")
        return honest(*words)

    monkeypatch.setattr(context_module, "_all_bounds", noted)
    return anew


def test_after_each_rating_they_are_those_of_a_fresh_start(
    make_rankers: Callable[..., TwoRankers], counted: list[str]
) -> None:
    rankers = make_rankers(30, behind_wins=9)
    rankers.rate(rankers.queries[:12])
    rankers.rate(rankers.queries[12:13], (1, 2))
    both(rankers.context)
    del counted[:]

    for number, grades in enumerate([(3, 0), (2, 1), (1, 1), (0, 0), (3, 3)]):
        rankers.rate(rankers.queries[11 + number : 12 + number], grades)
        context = rankers.context
        found = both(context)
        assert counted == []
        context_module._cache.clear()
        for kept, fresh in zip(found, both(context), strict=True):
            assert np.array_equal(kept.low, fresh.low)
            assert np.array_equal(kept.high, fresh.high)
        del counted[:]


def test_another_ruler_or_a_new_run_starts_afresh(rankers: TwoRankers, counted: list[str]) -> None:
    rankers.rate(rankers.queries[:12])
    both(rankers.context)
    rankers.set_ruler(gain="exponential")
    both(rankers.context)
    rankers.add_run("Third")
    both(rankers.context)

    assert len(counted) == 6


def test_when_most_questions_moved_all_are_bounded_anew(rankers: TwoRankers, counted: list[str]) -> None:
    rankers.rate(rankers.queries[:2])
    both(rankers.context)
    rankers.rate(rankers.queries)
    both(rankers.context)

    assert len(counted) == 4


def test_only_a_few_sets_are_kept(rankers: TwoRankers) -> None:
    rankers.rate(rankers.queries[:2])
    for _ in range(4):
        rankers.add_run("More")
        both(rankers.context)

    assert len(context_module._cache) == context_module.MOST_KEPT
