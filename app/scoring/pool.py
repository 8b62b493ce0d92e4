"""The depth-k pool, and where each run's documents stand in it."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Ints
from app.scoring.lists import Lists


@dataclass(frozen=True)
class Pool:
    """Query-document pairs without repetition, by query and then by document.

    Attributes
    ----------
    query, document
        int64 (pairs,).
    """

    query: Ints
    document: Ints

    def __len__(self) -> int:
        return len(self.query)

    def keys(self, documents: int) -> Ints:
        """Return one number per pair, ascending, given the number of documents.

        Parameters
        ----------
        documents
            More than the largest number of one.

        Returns
        -------
        int64 (pairs,)
        """
        return self.query * documents + self.document


def pool_of(documents: Ints, depth: int, active: Flags | None = None) -> Pool:
    """Return the union of the top ``depth`` documents of every active run.

    It does not depend on the order of the runs, and a run given twice adds nothing.

    Parameters
    ----------
    documents
        integers (ranks, runs, queries): document numbers, -1 below the end of a list.
    depth
        How many ranks of each list enter.
    active
        bool (runs,): withdrawn runs stay out; without it all runs count.
    """
    top = documents[:depth] if active is None else documents[:depth, active]
    query = np.broadcast_to(np.arange(documents.shape[2], dtype=np.int64), top.shape)
    listed = top >= 0
    return union_of(query[listed], top[listed].astype(np.int64))


def union_of(query: Ints, document: Ints) -> Pool:
    """Return each pair of query and document once: int64 (pairs,), any order in, sorted out.

    Parameters
    ----------
    query, document
        integers (pairs,), 0 or more.
    """
    documents = int(document.max(initial=0)) + 1
    keys = np.sort(query.astype(np.int64) * documents + document)
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    return Pool(keys // documents, keys % documents)


def lists_in(documents: Ints, items: Pool, lengths: Ints | None = None) -> Lists:
    """Return the lists with every document replaced by its item's number.

    Items are the pooled and the judged pairs together; documents that are neither get the cell
    ``absent``, and a document met again further down its list (merged ids) the cell ``repeated``.

    Parameters
    ----------
    documents
        integers (ranks, runs, queries): document numbers, -1 below the end of a list.
    items
        The pairs, as :func:`union_of` gives them.
    lengths
        integers (runs, queries): what was returned in full; counted from ``documents`` if not given.
    """
    positions = np.full(documents.shape, len(items), dtype=np.intp)
    slots = int(max(documents.max(initial=-1), items.document.max(initial=-1))) + 2
    slot = np.full(slots, len(items), dtype=np.intp)
    bounds = np.searchsorted(items.query, np.arange(documents.shape[2] + 1))
    for query in range(documents.shape[2]):
        mine = slice(bounds[query], bounds[query + 1])
        slot[items.document[mine]] = np.arange(mine.start, mine.stop)
        positions[:, :, query] = slot[documents[:, :, query]]
        slot[items.document[mine]] = len(items)
    returned = np.count_nonzero(documents >= 0, axis=0) if lengths is None else lengths
    return Lists(with_repeats_marked(positions, len(items)), returned)


def with_repeats_marked(positions: Ints, absent: int) -> Ints:
    """Return the positions with later occurrences of an item in a list pointing to ``repeated``.

    Parameters
    ----------
    positions
        integers (depth, ...).
    absent
        The cell of ranks without a known document; the one after it is ``repeated``.
    """
    order = np.argsort(positions, axis=0, kind="stable")
    standing = np.take_along_axis(positions, order, axis=0)
    again = np.zeros(positions.shape, dtype=np.bool_)
    again[1:] = (standing[1:] == standing[:-1]) & (standing[1:] != absent)
    if not again.any():
        return positions
    marked = np.empty_like(positions)
    np.put_along_axis(marked, order, np.where(again, absent + 1, standing), axis=0)
    return marked
