"""How many of their answers each annotator rated, kept from one rating to the next."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.services.evidence.ledger import DECLINED, roles_that_count

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence import Evidence

COUNTS = ("rated", "outside", "declined", "could_see_rankers")
KEPT_AS = "tallies"


@dataclass(frozen=True)
class _Kept:
    """Tallies, and what they were counted from; valid as long as the candidates keep their places."""

    candidates: weakref.ref[Any]
    pooled: Flags
    standing: Flags
    tallies: dict[str, Ints]


def tallies_of(evidence: Evidence, pooled: Flags) -> dict[str, Ints]:
    """Return counts by the number of the annotator, each of `COUNTS` by their newest ratings.

    Ratings of a text that was edited since count no more. `rows` besides are all rows of the ledger, ratings
    or not.
    """
    kept: _Kept | None = evidence.memory.kept.get(KEPT_AS)
    standing = evidence.current & np.isin(evidence.ledger.role, roles_that_count(machines=True))
    tallies = (
        _tallied(evidence, pooled, standing) if kept is None else _kept_up(evidence, pooled, standing, kept)
    )
    candidates = weakref.ref(evidence.structure.positions)
    evidence.memory.kept[KEPT_AS] = _Kept(candidates, pooled, standing, tallies)
    return tallies


def _kept_up(evidence: Evidence, pooled: Flags, standing: Flags, kept: _Kept) -> dict[str, Ints]:
    """Return what was counted before, without rows that stand no more, with those that came."""
    known = len(kept.standing)
    same = kept.candidates() is evidence.structure.positions and np.array_equal(kept.pooled, pooled)
    if not same or len(standing) < known:
        return _tallied(evidence, pooled, standing)
    gone = np.flatnonzero(kept.standing & ~standing[:known])
    came = np.flatnonzero(standing[:known] & ~kept.standing)
    added = np.arange(known, len(standing))
    span = int(evidence.ledger.annotator[added].max(initial=len(kept.tallies["rows"]) - 1)) + 1
    tallies = {name: _widened(counts, span) for name, counts in kept.tallies.items()}
    tallies["rows"] += np.bincount(evidence.ledger.annotator[added], minlength=span)
    more = np.concatenate((came, added[standing[added]]))
    for rows, sign in ((gone, -1), (more, 1)):
        for name, counts in _counts(evidence, pooled, rows, span).items():
            tallies[name] += sign * counts
    return tallies


def _tallied(evidence: Evidence, pooled: Flags, standing: Flags) -> dict[str, Ints]:
    rows = np.bincount(evidence.ledger.annotator, minlength=1)
    return {"rows": rows} | _counts(evidence, pooled, np.flatnonzero(standing), len(rows))


def _counts(evidence: Evidence, pooled: Flags, rows: Ints, span: int) -> dict[str, Ints]:
    """Return the counts over some rows of the ledger."""
    ledger = evidence.ledger
    rows = rows[evidence.cell.take(rows) >= 0]
    grade, annotator = ledger.grade.take(rows), ledger.annotator.take(rows)
    inside, graded = pooled.take(evidence.cell.take(rows)), grade >= 0
    wanted = {
        "rated": graded & inside,
        "outside": graded & ~inside,
        "declined": (grade == DECLINED) & inside,
        "could_see_rankers": graded & ~ledger.blind.take(rows),
    }
    return {
        name: np.bincount(annotator.take(np.flatnonzero(chosen)), minlength=span)
        for name, chosen in wanted.items()
    }


def _widened(counts: Ints, span: int) -> Ints:
    return np.append(counts, np.zeros(span - len(counts), dtype=counts.dtype))
