"""The stored pool follows the active runs: what changes, and how it is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import update

from app.models import Candidate
from app.services.bulk import numbers_as_rows, table_of, update_where_id
from app.services.pooling.candidates import add_candidates, stored_candidates
from app.services.pooling.merged import with_merged

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.pooling.places import Places

AT_ONCE = 50_000


@dataclass(frozen=True)
class PoolChange:
    """What a new state of the runs changes about the stored pool; candidates' numbers throughout.

    Attributes
    ----------
    joins, leaves
        int64: candidates that enter the pool and that leave it.
    moves
        int64: members whose best place is another one.
    rank_of_joins, rank_of_moves
        int16: their new best places.
    """

    joins: Ints
    rank_of_joins: Ints
    moves: Ints
    rank_of_moves: Ints
    leaves: Ints


def extension_of_pool(session: Session, project: Project, places: Places) -> PoolChange:
    """Return what adding these places to the pool changes; missing candidates are made."""
    return _change(session, project, places, whole=False)


def change_of_pool(session: Session, project: Project, places: Places) -> PoolChange:
    """Return what changes when the pool is exactly these places; missing candidates are made."""
    return _change(session, project, places, whole=True)


def _change(session: Session, project: Project, places: Places, *, whole: bool) -> PoolChange:
    places = with_merged(session, project.id, places)
    stored = stored_candidates(session, project.id)
    missing = stored.find(places.key) < 0
    if missing.any():
        new = places.only(missing)
        add_candidates(session, project.id, new.query, new.document)
        stored = stored_candidates(session, project.id)
    at = stored.find(places.key)
    pooled, was = stored.pooled[at], stored.rank[at]
    moved = pooled & ((was != places.rank) if whole else (was > places.rank))
    gone = stored.pooled.copy() if whole else np.zeros(len(stored.id), dtype=np.bool_)
    gone[at] = False
    return PoolChange(
        joins=stored.id[at[~pooled]],
        rank_of_joins=places.rank[~pooled],
        moves=stored.id[at[moved]],
        rank_of_moves=places.rank[moved],
        leaves=stored.id[gone],
    )


def apply_change(session: Session, change: PoolChange, revision: int) -> None:
    """Write a change of the pool that happened at a revision."""
    away = {"in_pool": False, "best_rank": 0, "pooled_revision": None}
    update_where_id(session, Candidate, change.leaves, away)
    joining = {"in_pool": True, "pooled_revision": revision}
    _give_ranks(session, change.joins, change.rank_of_joins, joining)
    _give_ranks(session, change.moves, change.rank_of_moves, {})
    for known in [row for row in session if isinstance(row, Candidate)]:
        session.expire(known)


def _give_ranks(session: Session, ids: Ints, ranks: Ints, values: dict[str, Any]) -> None:
    table = table_of(Candidate)
    order = np.argsort(ids)  # in the order of the rows: each page is touched once
    for first in range(0, len(order), AT_ONCE):
        some = order[first : first + AT_ONCE]
        rows = numbers_as_rows(session, id=ids[some], rank=ranks[some])
        session.execute(update(table).where(table.c.id == rows.c.id).values(best_rank=rows.c.rank, **values))
