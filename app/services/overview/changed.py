"""How far each ranker has come since its version before."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.scoring.means import means_of
from app.services.evaluation import score_runs

if TYPE_CHECKING:
    from app.services.comparison import Basis


def changes_of(basis: Basis) -> list[float | None]:
    """Return each row's points against the version before it, on the queries that both cover."""
    before = _versions_before(basis)
    changes: list[float | None] = [None] * len(basis.board.runs)
    if not before:
        return changes
    rows = list(before)
    board = score_runs(basis.evidence, list(before.values()))
    shared = board.counted & basis.board.counted[rows]
    then, now = means_of(board.values[board.headline], shared), means_of(basis.values[rows], shared)
    for row, old, new in zip(rows, then, now, strict=True):
        if old is not None and new is not None:
            changes[row] = (new - old) * 100
    return changes


def _versions_before(basis: Basis) -> dict[int, int]:
    """Return the place of the active version before that of each row that has one."""
    runs, newest = basis.evidence.structure.runs, {place: row for row, place in enumerate(basis.places)}
    last: dict[int, int] = {}
    before = {}
    for place in basis.evidence.active_runs():
        ranker = runs[place].ranker_id
        if place in newest and ranker in last:
            before[newest[place]] = last[ranker]
        last[ranker] = place
    return before
