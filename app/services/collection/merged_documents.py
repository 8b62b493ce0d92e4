"""Merged documents: which of them are one, and what that makes of candidates, lists and pools.

A merge changes no row. Every candidate keeps its place; of those that are one answer of one query, a single
one represents all, and the others are empty (EVALUATION.md section 1.2).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np

from app.models.event import EventKind
from app.scoring.arrays import Bits, Ints
from app.scoring.lists import with_repeats_marked

Merge = tuple[int, ...]


class MergeEvent(Protocol):
    """What is read of an event."""

    @property
    def revision(self) -> int:
        """When it happened."""

    @property
    def kind(self) -> str:
        """What, of `EventKind`."""

    @property
    def payload(self) -> dict[str, Any]:
        """To what."""


def merges_at(events: Iterable[MergeEvent], revision: int | None = None) -> tuple[Merge, ...]:
    """Return the current merges at a revision (default: after all), oldest first: the documents of each."""
    found: dict[int, Merge] = {}
    for event in events:
        if revision is not None and event.revision > revision:
            break
        if event.kind == EventKind.DOCUMENTS_MERGED:
            found[event.revision] = tuple(event.payload["document_ids"])
        elif event.kind == EventKind.MERGE_UNDONE:
            found.pop(event.payload["revision"], None)
    return tuple(found.values())


def heads_of(merges: Iterable[Merge]) -> dict[int, int]:
    """Return which document represents each merged one; those that represent themselves are left out.

    Merges that share a document are one; what represents the first document of the newest represents all.
    """
    above: dict[int, int] = {}

    def head_of(document: int) -> int:
        while document in above:
            document = above[document]
        return document

    for first, *others in merges:
        head = first if first not in above else head_of(first)
        for other in others:
            if (below := head_of(other)) != head:
                above[below] = head
    return {document: head_of(document) for document in above}


def heads_of_candidates(heads: dict[int, int], query: Ints, document: Ints) -> Ints:
    """Return which candidate represents each: int32 (candidates,), mostly itself.

    That of the head where it is a candidate of the query, else that of the lowest number.
    """
    merged_places = np.arange(len(document), dtype=np.int32)
    members = np.array(sorted({*heads, *heads.values()}), dtype=np.int64)
    indexes = np.flatnonzero(np.isin(document, members))
    if not len(indexes):
        return merged_places
    head_of = np.array([heads.get(number, number) for number in members.tolist()], dtype=np.int64)
    head = head_of[np.searchsorted(members, document[indexes])]
    key = query[indexes].astype(np.int64) << 32 | head
    order = np.lexsort((indexes, document[indexes] != head, key))
    _, first, group = np.unique(key[order], return_index=True, return_inverse=True)
    merged_places[indexes[order]] = indexes[order][first][group]
    return merged_places


def positions_merged(positions: Ints, merged_places: Ints) -> Ints:
    """Return the lists with every candidate replaced by the one that represents it: (depth, ...).

    Where a list returns the same answer again, the place holds the candidate_index `repeated`.
    """
    candidate_count = len(merged_places)
    moved = (
        np.append(merged_places, np.int32(candidate_count))
        .take(positions)
        .astype(positions.dtype, copy=False)
    )
    touched = (moved != positions).any(axis=0)
    laid = positions.copy()
    # Only lists that hold something merged can hold it twice.
    laid[:, touched] = with_repeats_marked(moved[:, touched], candidate_count)
    return laid


def pool_merged(pool: Bits, merged_places: Ints) -> Bits:
    """Return which candidates each run brings into a pool, with one candidate for each answer."""
    laid = pool.copy()
    moved = np.flatnonzero(merged_places != np.arange(len(merged_places)))
    for candidate_index, head in zip(moved.tolist(), merged_places[moved].tolist(), strict=True):
        bit, head_bit = np.uint8(128 >> (candidate_index & 7)), np.uint8(128 >> (head & 7))
        held = (laid[:, candidate_index >> 3] & bit) != 0
        laid[held, head >> 3] |= head_bit
        laid[:, candidate_index >> 3] &= ~bit
    return laid
