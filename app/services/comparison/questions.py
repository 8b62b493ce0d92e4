"""Question by question: who is ahead by how much, and where the best answer stands in each list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Query
from app.services.wording import counted

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


def reason_for(basis: Basis, pair: PairVerdict, place: int, names: tuple[str, str]) -> str:
    """Return where the best answer of a question stands in both lists, or that something is unrated.

    "Only" is said of one that no current version of another ranker joins.
    """
    judged, evidence = basis.board.judged, basis.evidence
    cells = np.flatnonzero(evidence.structure.query == place)
    best = judged.gain[cells].max()
    k = basis.board.ruler.k
    pair_places = [basis.places[row] for row in pair.rows]
    others = [other for other in evidence.current_runs() if other not in pair_places]
    lists = evidence.lists([*pair_places, *others], k).positions[:, :, place]
    unrated = int(judged.open_cells[np.unique(lists[:, :2])].sum())
    if unrated:
        return f"{counted(unrated, 'answer')} unrated."
    ranks = [_first(judged.gain.take(lists[:, side]) == best) for side in (0, 1)]
    if ranks[0] == ranks[1]:
        return ""
    elsewhere = bool((judged.gain.take(lists[0, 2:]) == best).any())
    if 1 in ranks and not elsewhere:
        return f"Only {names[ranks.index(1)]} puts the best answer first."
    told = [(rank, name) for rank, name in zip(ranks, names, strict=True) if rank]
    if len(told) == 1:
        return f"Best answer of {told[0][1]} at place {told[0][0]}; not in the other’s top {k}."
    return f"Best answer of {names[0]} at place {ranks[0]}, of {names[1]} at place {ranks[1]}."


def _first(hits: Ints) -> int:
    """Return the rank of the first hit, counted from 1; 0 without one."""
    return int(hits.argmax()) + 1 if hits.any() else 0
