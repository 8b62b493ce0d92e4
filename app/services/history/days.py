"""The days on which ratings arrived, each with its last revision: found by halving, without reading all."""

from __future__ import annotations

from datetime import UTC
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, select

from app.models import Judgment

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import date

    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence

    DaysAt = Callable[[list[int]], list[date]]

ASKED_AT_ONCE = 500
# Built once: it is asked at every rating.
RECEIVED = select(Judgment.revision, Judgment.received_at).where(
    Judgment.project_id == bindparam("project"),
    Judgment.revision.in_(bindparam("revisions", expanding=True)),
)


def last_revisions(session: Session, evidence: Evidence) -> dict[date, int]:
    """Return the last revision of every UTC day on which ratings arrived, in order.

    Ratings arrive in the order of their revisions; a clock that is set back only moves the border of a day.
    """
    memory, revisions = evidence.memory, evidence.ledger.revision
    # The last known day may go on: it is looked at again from its last rating.
    fresh = revisions[np.searchsorted(revisions, memory.days_until) :]
    if len(fresh) and int(fresh[-1]) > memory.days_until:
        found = _borders(fresh, lambda places: _days_at(session, evidence.project_id, fresh[places]))
        memory.days = {**memory.days, **found}
        memory.days_until = int(fresh[-1])
    return _until(memory.days, int(revisions[-1:].max(initial=0)))


def ratings_per_day(evidence: Evidence, days: dict[date, int]) -> dict[date, int]:
    """Return how many ratings arrived on each of the days."""
    upto = np.searchsorted(evidence.ledger.revision, list(days.values()), side="right")
    return dict(zip(days, np.diff(upto, prepend=0).tolist(), strict=True))


def _until(days: dict[date, int], newest: int) -> dict[date, int]:
    """Return the days up to a rating: somebody else may know more of them already."""
    found: dict[date, int] = {}
    before = 0
    for day, revision in days.items():
        if before >= newest:
            break
        found[day], before = min(revision, newest), revision
    return found


def _borders(revisions: Ints, days_at: DaysAt) -> dict[date, int]:
    """Return the last of some ascending revisions on each day, halving every stretch that two days share."""
    ends = sorted({0, len(revisions) - 1})
    known = dict(zip(ends, days_at(ends), strict=True))
    borders, stretches = [ends[-1]], [(ends[0], ends[-1])]
    while stretches := [pair for pair in stretches if known[pair[0]] != known[pair[1]]]:
        borders += [low for low, high in stretches if high - low == 1]
        stretches = [(low, high) for low, high in stretches if high - low > 1]
        middles = [(low + high) // 2 for low, high in stretches]
        known.update(zip(middles, days_at(middles), strict=True))
        stretches = [
            half
            for (low, high), middle in zip(stretches, middles, strict=True)
            for half in ((low, middle), (middle, high))
        ]
    return {known[place]: int(revisions[place]) for place in sorted(borders)}


def _days_at(session: Session, project_id: int, revisions: Ints) -> list[date]:
    """Return the UTC day of some ratings."""
    wanted = revisions.tolist()
    found: dict[int, date] = {}
    for start in range(0, len(wanted), ASKED_AT_ONCE):
        asked = {"project": project_id, "revisions": wanted[start : start + ASKED_AT_ONCE]}
        rows = session.execute(RECEIVED, asked)
        found |= {revision: at.astimezone(UTC).date() for revision, at in rows}
    return [found[revision] for revision in wanted]
