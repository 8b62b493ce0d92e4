"""Which rows of a ledger are the newest of their annotator and candidate: they alone say what holds today."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.models import Origin

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence.ledger import Ledger

CHECKS = (Origin.REPEAT, Origin.GOLD)
"""Checks of annotators: they are no ratings of answers."""


def newest_rows(ledger: Ledger, cell: Ints) -> Flags:
    """Return which rows are the newest of their cell and annotator, checks left out: bool (rows,)."""
    rows = np.flatnonzero(~np.isin(ledger.role, CHECKS))
    annotator = ledger.annotator[rows]
    key = cell[rows].astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    newest = np.zeros(len(ledger), dtype=np.bool_)
    # The first one of each key when read backwards.
    newest[rows[len(key) - 1 - np.unique(key[::-1], return_index=True)[1]]] = True
    return newest


def extended_newest(newest: Flags, ledger: Ledger, cell: Ints) -> Flags:
    """Return the same for a ledger of which the first rows are known already."""
    known = len(newest)
    found = np.append(newest, np.zeros(len(ledger) - known, dtype=np.bool_))
    for row in range(known, len(ledger)):
        if int(ledger.role[row]) not in CHECKS:
            found[:row] &= (cell[:row] != cell[row]) | (ledger.annotator[:row] != ledger.annotator[row])
            found[row] = True
    return found
