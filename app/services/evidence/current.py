"""Which rows of a ledger count now: what `current_judgment` holds, on the arrays that scores are made from.

Pages that show scores read it here, so that everything on them is of one moment. Merged documents are one
answer, of which the newest word counts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.services.current_judgments import COUNTED, RATING

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence.ledger import Ledger


def kinds_of(role: Ints) -> Ints:
    """Return of which kind judgments are, as `current_judgments.kind_of` has it: integers (rows,)."""
    return np.where(np.isin(role, COUNTED), RATING, role)


def current_rows(ledger: Ledger, cell: Ints, outdated: Flags) -> Flags:
    """Return which rows are the newest of their cell, annotator and kind, whose text stands: (rows,)."""
    rows = np.flatnonzero(~outdated & (cell >= 0))
    annotator = ledger.annotator[rows]
    key = cell[rows].astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    key = key << 3 | kinds_of(ledger.role[rows])
    current = np.zeros(len(ledger), dtype=np.bool_)
    # The first one of each key when read backwards.
    current[rows[len(key) - 1 - np.unique(key[::-1], return_index=True)[1]]] = True
    return current


def extended_current(current: Flags, ledger: Ledger, cell: Ints) -> Flags:
    """Return the same for a ledger of which the first rows are known already; no text was edited since."""
    known = len(current)
    found = np.append(current, np.zeros(len(ledger) - known, dtype=np.bool_))
    for row in range(known, len(ledger)):
        if cell[row] < 0:
            continue
        same = np.flatnonzero((cell[:row] == cell[row]) & (ledger.annotator[:row] == ledger.annotator[row]))
        found[same[kinds_of(ledger.role[same]) == kinds_of(ledger.role[row : row + 1])]] = False
        found[row] = True
    return found
