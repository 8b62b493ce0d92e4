"""Which answers runs return within a depth, and the best place of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import func, select

from app.models import Ranking, Run
from app.services.bulk import stream

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags, Ints

SPAN = 1 << 32


@dataclass(frozen=True)
class Places:
    """Query-document pairs, each once, by query and then by document, with their best place.

    Attributes
    ----------
    key
        int64 (pairs,): query number * 2^32 + document number, ascending.
    rank
        int16 (pairs,): 1 is the first place.
    """

    key: Ints
    rank: Ints

    def __len__(self) -> int:
        return len(self.key)

    @property
    def query(self) -> Ints:
        """int64 (pairs,): the queries' numbers."""
        return self.key // SPAN

    @property
    def document(self) -> Ints:
        """int64 (pairs,): the documents' numbers."""
        return self.key % SPAN

    def within(self, depth: int) -> Places:
        """Return the pairs that stand at this depth or above it."""
        kept = self.rank <= depth
        return Places(self.key[kept], self.rank[kept])

    def only(self, kept: Flags) -> Places:
        """Return some of the pairs."""
        return Places(self.key[kept], self.rank[kept])

    def joined(self, other: Places) -> Places:
        """Return the pairs of both, each at its better place; the order of the two does not matter."""
        if not len(self) or not len(other):
            return other if not len(self) else self
        return best_places(np.concatenate((self.key, other.key)), np.concatenate((self.rank, other.rank)))


NO_PLACES = Places(np.zeros(0, np.int64), np.zeros(0, np.int16))


def best_places(key: Ints, rank: Ints) -> Places:
    """Return each pair once, at its best place."""
    order = np.lexsort((rank, key))
    ordered = key[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return Places(ordered[first], rank[order][first])


def pairs_of(query: Ints, document: Ints) -> Ints:
    """Return one number for each pair: int64 (pairs,)."""
    return query.astype(np.int64) * SPAN + document


def places_of_run(session: Session, run_id: int, depth: int) -> Places:
    """Return the top documents of one run."""
    wanted = select(Ranking.query_id, func.substr(Ranking.document_ids, 1, 4 * depth))
    keys, ranks = [], []
    for query, packed in stream(session, wanted.where(Ranking.run_id == run_id)):
        document = np.frombuffer(bytes(packed), dtype="<i4")
        keys.append(query * SPAN + document.astype(np.int64))
        ranks.append(np.arange(1, len(document) + 1, dtype=np.int16))
    return best_places(np.concatenate(keys), np.concatenate(ranks)) if keys else NO_PLACES


def pool_places(session: Session, project_id: int, depth: int) -> Places:
    """Return the pool that the project's active runs form at a depth; their order does not matter.

    Merged documents are still apart: see `pooling.merged`.
    """
    return union_of(places_of_run(session, run, depth) for run in active_runs(session, project_id))


def union_of(parts: Iterable[Places]) -> Places:
    """Return the pairs of all parts, each at its best place."""
    union = NO_PLACES
    for part in parts:
        union = union.joined(part)
    return union


def active_runs(session: Session, project_id: int) -> list[int]:
    """Return the numbers of the runs that are published and not withdrawn."""
    wanted = select(Run.id).where(Run.project_id == project_id, Run.state == "published").order_by(Run.id)
    return list(session.scalars(wanted))
