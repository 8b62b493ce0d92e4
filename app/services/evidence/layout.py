"""The lists of runs as places of candidates, and which candidates each run brings into the pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Bits, Ints


def positions_of(documents: Ints, query: Ints, document: Ints, queries: int) -> Ints:
    """Return the place of the candidate at every rank: int32 (depth, runs, queries).

    A table from document to candidate is filled and emptied query by query: faster than looking pairs
    up, and it needs one cell per document only.
    """
    cells = len(document)
    highest = max(int(document.max(initial=0)), int(documents.max(initial=0))) + 2
    table = np.full(highest, cells, dtype=np.int32)
    bounds = np.searchsorted(query, np.arange(queries + 1))
    positions = np.full((documents.shape[2], documents.shape[0], queries), cells, dtype=np.int32)
    for place in range(queries):
        first, last = bounds[place], bounds[place + 1]
        if first == last:
            continue
        known = document[first:last]
        table[known] = np.arange(first, last, dtype=np.int32)
        positions[:, :, place] = table.take(documents[:, place, :]).T  # -1 reads the last cell, always empty
        table[known] = cells
    return positions


def pool_bits(positions: Ints, depths: Sequence[int], cells: int) -> dict[int, Bits]:
    """Return for every depth which candidates the top of each list holds: uint8 (runs, bytes).

    Parameters
    ----------
    positions
        int32 (depth, runs, queries), as deep as the deepest of the pools.
    """
    runs = positions.shape[1]
    bits = {depth: np.zeros((runs, -(-cells // 8)), dtype=np.uint8) for depth in depths}
    # Two more for places without a candidate, and for answers that a list returns again.
    held = np.zeros(cells + 2, dtype=np.bool_)
    for run in range(runs):
        for depth, rows in bits.items():
            held[:] = False
            held[positions[:depth, run]] = True
            rows[run] = np.packbits(held[:-2])
    return bits
