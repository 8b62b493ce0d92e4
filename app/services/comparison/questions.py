"""Question by question: who is ahead by how much, and where the best answer stands in each list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Query
from app.services.comparison.kept_bounds import pair_bounds_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints
    from app.services.comparison.basis import Basis
    from app.services.comparison.pairs import PairVerdict

SAME = 1e-9


@dataclass(frozen=True)
class QuestionDifference:
    """One question of a comparison; `difference` = score of the first minus score of the second."""

    place: int
    query_id: int
    text: str
    difference: float

    @property
    def outcome(self) -> int:
        """1: better with the first; -1: with the second; 0: the same score."""
        return 0 if abs(self.difference) < SAME else 1 if self.difference > 0 else -1


def question_differences(session: Session, basis: Basis, pair: PairVerdict) -> list[QuestionDifference]:
    """Return every question of a comparison, from the first's largest win to the second's."""
    structure = basis.evidence.structure
    first, second = pair.rows
    places = np.flatnonzero(pair.queries)
    rows = session.execute(select(Query.id, Query.text).where(Query.project_id == basis.evidence.project_id))
    texts = {row.id: row.text for row in rows}
    found = [
        QuestionDifference(
            int(place),
            int(structure.query_id[place]),
            texts[int(structure.query_id[place])],
            float(basis.values[first, place] - basis.values[second, place]),
        )
        for place in places
    ]
    return sorted(found, key=lambda one: -one.difference)


@dataclass(frozen=True)
class OpenQuestion:
    """A question whose unrated answers leave the pair's difference open by `width`; `answers` counts them."""

    query_id: int
    text: str
    answers: int
    width: float


def widest_questions(
    session: Session, basis: Basis, pair: PairVerdict, *, most: int = 3
) -> list[OpenQuestion]:
    """Return the questions whose answers, once rated, would narrow the pair's exact bounds most."""
    if not basis.bounded:
        return []
    structure, (first, second) = basis.evidence.structure, pair.rows
    bounds = pair_bounds_of(basis, [pair.rows])
    decisive = np.asarray(basis.covered[first] & basis.covered[second] & basis.possible)
    width = np.where(decisive, bounds.high[0] - bounds.low[0], 0.0)
    places = [place for place in np.argsort(-width, kind="stable")[:most].tolist() if width[place] > SAME]
    ids = [int(structure.query_id[place]) for place in places]
    rows = session.execute(select(Query.id, Query.text).where(Query.id.in_(ids)))
    texts = {row.id: row.text for row in rows}
    open_counts = basis.board.judged.open_counts
    return [
        OpenQuestion(number, texts[number], int(open_counts[place]), float(width[place]))
        for number, place in zip(ids, places, strict=True)
    ]


def reason_for(basis: Basis, pair: PairVerdict, place: int, names: tuple[str, str]) -> str:
    """Return where the best answer of a question stands in both lists, or that something is unrated."""
    judged = basis.board.judged
    cells = np.flatnonzero(basis.evidence.structure.query == place)
    best = judged.gain[cells].max()
    k = basis.board.ruler.k
    lists = basis.evidence.lists([basis.places[row] for row in pair.rows], k).positions[:, :, place]
    ranks = [_first(judged.gain.take(lists[:, side]) == best) for side in (0, 1)]
    unrated = int(judged.open_cells[np.unique(lists)].sum())
    if unrated:
        return f"{unrated} answer{'s' * (unrated > 1)} unrated."
    if (ranks[0] == 1) != (ranks[1] == 1):
        return f"Only {names[0] if ranks[0] == 1 else names[1]} puts the best answer first."
    told = [(rank, name) for rank, name in zip(ranks, names, strict=True) if rank]
    if not told:
        return ""
    if len(told) == 2 and ranks[0] == ranks[1]:
        return ""
    if len(told) == 1:
        return f"Best answer of {told[0][1]} at place {told[0][0]}; not in the other’s top {k}."
    return f"Best answer of {names[0]} at place {ranks[0]}, of {names[1]} at place {ranks[1]}."


def _first(hits: Ints) -> int:
    """Return the rank of the first hit, counted from 1; 0 without one."""
    return int(hits.argmax()) + 1 if hits.any() else 0
