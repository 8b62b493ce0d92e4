"""The ranker that keeps the questions common to all few: it decides what everybody else is compared on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from app.services.comparison import Basis
    from app.services.evidence.structure import RunFact

# Below this many questions, or this share of those compared, its absence would change little.
LEAST, SHARE = 3, 0.25


@dataclass(frozen=True)
class Narrow:
    """A version, and the questions that are or could be scored for all: with it, and without it."""

    run: RunFact
    common: int
    without: int


def narrow_of(basis: Basis) -> Narrow | None:
    """Return the version without which far more questions would be common to the others; None without one."""
    covered = basis.covered[:, basis.possible]
    if len(covered) < 3 or covered.all():
        return None
    missing = ~covered
    alone = missing[:, missing.sum(axis=0) == 1].sum(axis=1)
    row, common = int(alone.argmax()), int(covered.all(axis=0).sum())
    if alone[row] < max(LEAST, SHARE * common):
        return None
    return Narrow(basis.board.runs[row].run, common, common + int(alone[row]))
