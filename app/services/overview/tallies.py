"""How many of their answers each annotator rated, kept from one rating to the next."""

from __future__ import annotations

import weakref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.services.evidence.ledger import DECLINED

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
    newest: Flags
    tallies: dict[str, Ints]


def tallies_of(evidence: Evidence, pooled: Flags) -> dict[str, Ints]:
    """Return counts by the number of the annotator, each of `COUNTS` by their newest ratings.

    `rows` besides are all rows of the ledger, ratings or not.
    """
    kept: _Kept | None = evidence.memory.kept.get(KEPT_AS)
    tallies = _tallied(evidence, pooled) if kept is None else _kept_up(evidence, pooled, kept)
    candidates = weakref.ref(evidence.structure.positions)
    evidence.memory.kept[KEPT_AS] = _Kept(candidates, pooled, evidence.newest, tallies)
    return tallies


def _kept_up(evidence: Evidence, pooled: Flags, kept: _Kept) -> dict[str, Ints]:
    """Return what was counted before, without rows that are the newest no more, with those that came."""
    newest, known = evidence.newest, len(kept.newest)
    same = kept.candidates() is evidence.structure.positions and np.array_equal(kept.pooled, pooled)
    if not same or len(newest) < known:
        return _tallied(evidence, pooled)
    gone = np.flatnonzero(kept.newest & ~newest[:known])
    came = np.flatnonzero(newest[:known] & ~kept.newest)
    added = np.arange(known, len(newest))
    span = int(evidence.ledger.annotator[added].max(initial=len(kept.tallies["rows"]) - 1)) + 1
    tallies = {name: _widened(counts, span) for name, counts in kept.tallies.items()}
    tallies["rows"] += np.bincount(evidence.ledger.annotator[added], minlength=span)
    more = np.concatenate((came, added[newest[added]]))
    for rows, sign in ((gone, -1), (more, 1)):
        for name, counts in _counts(evidence, pooled, rows, span).items():
            tallies[name] += sign * counts
    return tallies


def _tallied(evidence: Evidence, pooled: Flags) -> dict[str, Ints]:
    rows = np.bincount(evidence.ledger.annotator, minlength=1)
    return {"rows": rows} | _counts(evidence, pooled, np.flatnonzero(evidence.newest), len(rows))


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
