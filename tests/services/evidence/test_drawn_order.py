"""The drawn order of a project's queries: by the day they came, then by chance; ratings never move it."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

import numpy as np

from app.models import EventKind

if TYPE_CHECKING:
    from collections.abc import Callable

    from app.services.evidence.state import Evidence
    from tests.services.conftest import Small


def names(evidence: Evidence) -> list[str]:
    return [evidence.structure.query_name[place] for place in evidence.structure.drawn]


def test_a_rating_does_not_move_it(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    before = names(evidence_now())
    small.rate(0, 0, 3)

    assert names(evidence_now()) == before
    assert sorted(before) == ["qa", "qb"]


def test_a_retired_query_keeps_its_place(small: Small, evidence_now: Callable[[], Evidence]) -> None:
    before = names(evidence_now())
    small.event(EventKind.QUERY_RETIRED, {"query_ids": [small.queries[0].id]})

    assert names(evidence_now()) == before


def test_queries_of_a_later_day_come_after_those_of_an_earlier_one(
    small: Small, evidence_now: Callable[[], Evidence]
) -> None:
    structure = evidence_now().structure
    event = next(iter(structure.events))
    days = [
        replace(event, revision=10 + day, kind=EventKind.QUERIES_ADDED, at=event.at + timedelta(days=day))
        for day in range(2)
    ]
    many = tuple(f"q{number:03}" for number in range(40))
    added = np.array([10 + number % 2 for number in range(40)])

    drawn = replace(structure, query_name=many, added=added, events=tuple(days)).drawn

    assert (added[drawn[:20]] == 10).all()
    assert (added[drawn[20:]] == 11).all()
    assert drawn[:20].tolist() != sorted(drawn[:20].tolist())
