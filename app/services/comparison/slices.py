"""A pair on parts of the questions, by their tags: each part with its gap, its interval and its own n.

Parts are looked at, not tested: with many of them some differ by luck, so they get no word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import String, cast, select

from app.models import Query
from app.scoring.intervals import mean_interval

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags
    from app.scoring.intervals import MeanInterval
    from app.services.comparison.basis import Basis
    from app.services.comparison.pairs import PairVerdict

MOST_SLICES = 40


@dataclass(frozen=True)
class Slice:
    """The questions of one tag: the mean of d over them, with its interval for this pair alone, and n."""

    tag: str
    interval: MeanInterval


def slices_of(session: Session, basis: Basis, pair: PairVerdict) -> list[Slice]:
    """Return the pair on every tag of its questions, the largest slices first."""
    members = _members(session, basis, pair.queries)
    largest = sorted(members.items(), key=lambda item: (-int(item[1].sum()), item[0]))
    first, second = pair.rows
    differences = basis.values[first] - basis.values[second]
    return [
        Slice(tag, mean_interval(differences[inside], clip=None)) for tag, inside in largest[:MOST_SLICES]
    ]


def _members(session: Session, basis: Basis, queries: Flags) -> dict[str, Flags]:
    """Return which queries of the comparison set carry each tag."""
    place = {int(number): at for at, number in enumerate(basis.evidence.structure.query_id)}
    found: dict[str, Flags] = {}
    for number, tags in tags_by_query(session, basis.evidence.project_id):
        at = place.get(number)
        if at is None or not queries[at]:
            continue
        for tag in tags:
            found.setdefault(tag, np.zeros(len(queries), dtype=np.bool_))[at] = True
    return found


def tags_by_query(session: Session, project_id: int) -> list[tuple[int, list[str]]]:
    """Return the tags of every question of a project that has some, by its number."""
    # Most collections have no tags: thousands of empty lists are not worth reading.
    tagged = select(Query.id, Query.tags).where(
        Query.project_id == project_id, cast(Query.tags, String).not_in(("[]", "null"))
    )
    return [(row.id, row.tags) for row in session.execute(tagged)]
