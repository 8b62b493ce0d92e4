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


class KnownPairs:
    """Pairs that stand once each, to be found again; their numbers are their places."""

    def __init__(self, keys: Ints, documents: Words) -> None:
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._documents = documents

    def places_of(self, keys: Ints, documents: Words) -> Ints:
        """Return the place of each pair among the known ones, -1 where it is not: int32 (pairs,)."""
        places = np.full(len(keys), NOT_FOUND, dtype=np.int32)
        if not len(self._keys):
            return places
        first = np.searchsorted(self._keys, keys)
        np.minimum(first, len(self._keys) - 1, out=first)
        met = np.flatnonzero(self._keys.take(first) == keys)
        known = self._order.take(first.take(met))
        same = documents.take(met).same_as(self._documents.take(known))
        places[met[same]] = known[same]
        for line, place in zip(met[~same].tolist(), first[met[~same]].tolist(), strict=True):
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
