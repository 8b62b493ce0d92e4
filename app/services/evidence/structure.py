"""What stays the same while people rate: queries, candidates, runs and events, as arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

import numpy as np

from app.models.event import EventKind
from app.scoring.arrays import Bits, Flags, Floats, Ints
from app.services.collection.merged_documents import (
    Merge,
    heads_of,
    heads_of_candidates,
    pool_merged,
    positions_merged,
)
from app.services.collection.pool import pooled_depth
from app.services.evidence.columns import Lookup
from app.services.ledger import QUIET, TURNS
from app.services.scoring_settings import ScoringSettings


def positions_of(documents: Ints, query: Ints, document: Ints, queries: int) -> Ints:
    """Return the place of the candidate at every rank: int32 (depth, runs, queries).

    A table from document to candidate is filled and emptied query by query: faster than looking pairs
    up, and it needs one place per document only.
    """
    candidate_count = len(document)
    highest = max(int(document.max(initial=0)), int(documents.max(initial=0))) + 2
    table = np.full(highest, candidate_count, dtype=np.int32)
    bounds = np.searchsorted(query, np.arange(queries + 1))
    positions = np.full((documents.shape[2], documents.shape[0], queries), candidate_count, dtype=np.int32)
    for place in range(queries):
        first, last = bounds[place], bounds[place + 1]
        if first == last:
            continue
        known = document[first:last]
        table[known] = np.arange(first, last, dtype=np.int32)
        positions[:, :, place] = table.take(documents[:, place, :]).T  # -1 reads the last cell, always empty
        table[known] = candidate_count
    return positions


def pool_bits(
    positions: Ints, depths: Sequence[int], candidate_count: int, kinds: Sequence[str] = ()
) -> dict[int, Bits]:
    """Return for every depth which candidates the top of each list holds: uint8 (runs, bytes).

    Parameters
    ----------
    positions
        int32 (depth, runs, queries), as deep as the deepest of the pools.
    kinds
        Of each run: of manual ones no depth cuts anything. Without it none is manual.
    """
    runs = positions.shape[1]
    bits = {depth: np.zeros((runs, -(-candidate_count // 8)), dtype=np.uint8) for depth in depths}
    # Two more for places without a candidate, and for answers that a list returns again.
    held = np.zeros(candidate_count + 2, dtype=np.bool_)
    for run in range(runs):
        for depth, rows in bits.items():
            held[:] = False
            held[positions[: pooled_depth(kinds[run], depth) if kinds else depth, run]] = True
            rows[run] = np.packbits(held[:-2])
    return bits


DRAW_KEY = b"touchstone: order of queries"


@dataclass(frozen=True)
class EventFact:
    """One event of the ledger."""

    revision: int
    kind: str
    actor_id: int | None
    payload: dict[str, Any]
    at: datetime


@dataclass(frozen=True)
class RunFact:
    """One published run, withdrawn or not."""

    id: int
    ranker_id: int
    ranker: str
    kind: str
    mark: int
    version: str
    note: str
    revision: int
    registered_at: datetime


@dataclass(frozen=True)
class Structure:
    """Queries in byte order of their ids, candidates by (query, document), runs in order of registration.

    Attributes
    ----------
    query_id, query_name, added, weight
        int64 / str / int64 / float64 (queries,): number, external id, revision at which it was added, and
        what it counts in a weighted mean.
    candidate_id, query, document
        int32 (candidates,): number, place of its query, number of its document.
    runs
        Every run that was ever published, but for deleted ones.
    positions
        int32 (depth, runs, queries): candidates by index, `candidate_count` elsewhere; as deep as any cutoff.
    pools
        For every depth that the pool ever had, uint8 (runs, bytes): which candidates each run brings
        into a pool of that depth, one bit each.
    lengths
        int32 (runs, queries): how many documents were returned, also beyond the depth.
    events, rulers
        All events in revision order, and the rulers they name.
    depth
        The pool depth of today.
    without_text
        int64: the numbers of the documents that nobody can be shown: without a text, or retired.
    merges
        The merges of documents that the arrays honour; see `merged`.
    merged_places
        int32 (candidates,): which candidate represents each; None without merges.
    plain
        The structure without merges; None where this is it.
    """

    query_id: Ints
    query_name: tuple[str, ...]
    added: Ints
    weight: Floats
    candidate_id: Ints
    query: Ints
    document: Ints
    runs: tuple[RunFact, ...]
    positions: Ints
    pools: dict[int, Bits]
    lengths: Ints
    events: tuple[EventFact, ...]
    rulers: dict[int, ScoringSettings]
    depth: int
    without_text: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    merges: tuple[Merge, ...] = ()
    merged_places: Ints | None = None
    plain: Structure | None = None

    @property
    def candidate_count(self) -> int:
        """The number of candidates; also the place that means "not a candidate"."""
        return len(self.candidate_id)

    @cached_property
    def turning(self) -> tuple[EventFact, ...]:
        """The events that change runs, queries, texts, the pool or the ruler: few among many."""
        return tuple(event for event in self.events if event.kind not in QUIET)

    @cached_property
    def turning_by_kind(self) -> dict[str, tuple[EventFact, ...]]:
        """The same events by their kind."""
        by_kind: dict[str, list[EventFact]] = {}
        for event in self.turning:
            by_kind.setdefault(event.kind, []).append(event)
        return {kind: tuple(events) for kind, events in by_kind.items()}

    @cached_property
    def was_requested(self) -> bool:
        """Whether an owner ever asked for something to be rated first."""
        return any(event.kind == EventKind.REQUESTED for event in self.events)

    @cached_property
    def run_of(self) -> dict[int, RunFact]:
        """Every run by its number."""
        return {run.id: run for run in self.runs}

    @cached_property
    def first_runs(self) -> dict[int, RunFact]:
        """The first run of every ranker, by the ranker's number."""
        return {run.ranker_id: run for run in reversed(self.runs)}

    @cached_property
    def drawn(self) -> Ints:
        """The places of all queries in the drawn order of the project: int (queries,).

        By the UTC day on which each was added, then by a hash of its external id: no rating and no score
        moves it, so every beginning of it is a random sample of the queries.
        """
        day = {
            event.revision: event.at.date().toordinal()
            for event in self.events
            if event.kind == EventKind.QUERIES_ADDED
        }
        keys = [
            (day.get(int(revision), 0), hashlib.blake2b(name.encode(), key=DRAW_KEY, digest_size=16).digest())
            for revision, name in zip(self.added, self.query_name, strict=True)
        ]
        return np.array(sorted(range(len(keys)), key=keys.__getitem__), dtype=np.int64)

    @cached_property
    def place_drawn(self) -> Ints:
        """The place of every query in the drawn order: int64 (queries,)."""
        places = np.empty(len(self.drawn), dtype=np.int64)
        places[self.drawn] = np.arange(len(self.drawn))
        return places

    @cached_property
    def document_count(self) -> int:
        """How many documents are candidates; one may be that of several queries."""
        return len(np.unique(self.document))

    @cached_property
    def textless(self) -> Flags:
        """Which candidates nobody can be shown: bool (candidates,)."""
        return np.isin(self.document, self.without_text)

    def active_queries(self, revision: int) -> Flags:
        """Return which queries were active at a revision: bool (queries,)."""
        active = np.asarray(self.added <= revision)
        turns = [event for event in self.turning if event.kind in TURNS and event.revision <= revision]
        place = {int(number): place for place, number in enumerate(self.query_id)} if turns else {}
        for event in turns:
            known = [place[number] for number in event.payload["query_ids"] if number in place]
            active[known] = event.kind == EventKind.QUERY_RESTORED
        return active

    @cached_property
    def covered(self) -> Flags:
        """Which queries each run covers, bool (runs, queries): active at its registration, or listed."""
        listed = self.lengths > 0
        for place, run in enumerate(self.runs):
            listed[place] |= self.active_queries(run.revision)
        return listed

    @cached_property
    def _index_of(self) -> Lookup:
        return Lookup(self.candidate_id)

    def indexes_of(self, candidate_ids: Ints) -> Ints:
        """Return the place of each candidate number, -1 for unknown ones: int32.

        Of merged documents it is the place of the one that represents all.
        """
        places = self.own_indexes_of(candidate_ids)
        return (
            places if self.merged_places is None else np.append(self.merged_places, np.int32(-1)).take(places)
        )

    def own_indexes_of(self, candidate_ids: Ints) -> Ints:
        """Return the same, of merged documents each its own place."""
        return (
            self.plain.own_indexes_of(candidate_ids) if self.plain else self._index_of.places(candidate_ids)
        )

    @cached_property
    def heads(self) -> dict[int, int]:
        """Which document represents each merged one; those that represent themselves are left out."""
        return heads_of(self.merges)

    def positions_of(self, documents: Ints) -> Ints:
        """Return lists as places of candidates: int32 (depth, runs, queries).

        Parameters
        ----------
        documents
            integers (runs, queries, depth): numbers of documents, -1 below the end of a list.
        """
        queries = len(self.query_id)
        if self.merged_places is None:
            return positions_of(documents, self.query, self.document, queries)
        table = np.arange(max(int(documents.max(initial=0)), int(self.document.max(initial=0))) + 2)
        for document, head in self.heads.items():
            if document < len(table):
                table[document] = head
        table[-1] = -1  # what is below the end of a list reads the last cell
        found = positions_of(table.take(documents), self.query, table.take(self.document), queries)
        return positions_merged(found, self.merged_places)

    def merged(self, merges: tuple[Merge, ...]) -> Structure:
        """Return this structure under other merges of documents."""
        if merges == self.merges:
            return self
        plain = self.plain or self
        laid = {name: getattr(plain, name) for name in Structure.__annotations__} | {"events": self.events}
        if merges:
            merged_places = heads_of_candidates(heads_of(merges), plain.query, plain.document)
            laid |= {
                "positions": positions_merged(plain.positions, merged_places),
                "pools": {depth: pool_merged(pool, merged_places) for depth, pool in plain.pools.items()},
                "merges": merges,
                "merged_places": merged_places,
                "plain": plain,
            }
        return Structure(**laid)

    def pooled_by(self, runs: Sequence[int], depth: int) -> Flags:
        """Return which candidates stand in a pool of some runs: bool (candidates,)."""
        together = np.bitwise_or.reduce(self.pools[depth][list(runs)], axis=0)
        return np.unpackbits(together, count=self.candidate_count).view(np.bool_)

    def times_pooled(self, runs: Sequence[int], depth: int) -> Ints:
        """Return how many of some runs bring each candidate into the pool: int32 (candidates,).

        The newest answer is kept: it is asked for at every rating.
        """
        asked = (tuple(runs), depth)
        times = self._newest_times.get(asked)
        if times is None:
            times = np.zeros(self.candidate_count, dtype=np.int32)
            for run in runs:
                times += np.unpackbits(self.pools[depth][run], count=self.candidate_count)
            self._newest_times.clear()
            self._newest_times[asked] = times
        return times

    @cached_property
    def _newest_times(self) -> dict[tuple[tuple[int, ...], int], Ints]:
        """The newest answer of `times_pooled`, under what was asked."""
        return {}
