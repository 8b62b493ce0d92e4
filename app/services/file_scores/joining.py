"""Which lines of a run are judged: pairs of query and document matched by keys, then by their full ids.

A key is the query's number and 40 bits of the document id. Equal ids have equal keys, so nothing is missed;
different ids rarely share one, and since every match is compared in full, none is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.formats.words import HASH_BITS, joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.words import Ints, Words

NOT_FOUND = -1
ROOM = 8
"""Cells of the table of known pairs for each of them: one in eight unknown pairs passes it by chance."""
MOST_BITS = 24
"""16 MB: with more than two million pairs the table lets more unknown ones pass, and all are still right."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)


class KnownPairs:
    """Pairs that stand once each, to be found again; their numbers are their places.

    Most documents of a run are not judged: a table that holds where known pairs fall tells so of most of
    them at one look, and only the others are searched for.
    """

    def __init__(self, keys: Ints, documents: Words) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._documents = documents
        bits = min((ROOM * max(len(keys), 1)).bit_length(), MOST_BITS)
        self._shift = np.uint64(64 - bits)
        self._taken = np.zeros(1 << bits, dtype=np.bool_)
        self._taken[self._cells(keys)] = True

    def _cells(self, keys: Ints) -> Ints:
        """Return where keys fall in the table: int64 (pairs,)."""
        return ((keys * _SPREAD) >> self._shift).view(np.int64)

    def places_of(self, keys: Ints, documents: Words) -> Ints:
        """Return the place of each pair among the known ones, -1 where it is not: int32 (pairs,)."""
        places = np.full(len(keys), NOT_FOUND, dtype=np.int32)
        if not len(self._keys):
            return places
        near = np.flatnonzero(self._taken.take(self._cells(keys)))
        wanted = keys.take(near)
        first = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        equal = self._keys.take(first) == wanted
        met, first = near[equal], first[equal]
        known = self._order.take(first)
        same = documents.take(met).same_as(self._documents.take(known))
        places[met[same]] = known[same]
        for line, place in zip(met[~same].tolist(), first[~same].tolist(), strict=True):
            places[line] = self._among_namesakes(place, documents[line])
        return places

    def _among_namesakes(self, place: int, document: str) -> int:
        """Return the pair of this document among those that share the key which begins here."""
        key = self._keys[place]
        while place < len(self._keys) and self._keys[place] == key:
            known = int(self._order[place])
            if self._documents[known] == document:
                return known
            place += 1
        return NOT_FOUND


def numbered(keys: Sequence[Ints], documents: Sequence[Words]) -> tuple[Ints, Ints]:
    """Return each pair's number among all distinct pairs, and the query of every number.

    Parameters
    ----------
    keys, documents
        Of several runs, one after the other.

    Returns
    -------
    int64 (pairs of all runs,) and int64 (distinct pairs,)
    """
    key, document = np.concatenate([*keys, np.zeros(0, dtype=np.uint64)]), joined(documents)
    order = np.argsort(key, kind="stable")
    if _share_keys(key, document, order):
        order = np.lexsort((*document.rows.T, key))
    new = np.ones(len(key), dtype=np.bool_)
    new[1:] = key[order[1:]] != key[order[:-1]]
    new[1:] |= ~document.take(order[1:]).same_as(document.take(order[:-1]))
    number = np.empty(len(key), dtype=np.int64)
    number[order] = np.cumsum(new) - 1
    return number, (key[order[new]] >> HASH_BITS).astype(np.int64)


def _share_keys(key: Ints, document: Words, order: Ints) -> bool:
    """Tell whether different documents share a key: then the order of keys alone parts equal ones."""
    same_key = key[order[1:]] == key[order[:-1]]
    later, earlier = order[1:][same_key], order[:-1][same_key]
    return not bool(document.take(later).same_as(document.take(earlier)).all())
