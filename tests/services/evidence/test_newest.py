"""The newest rating of everybody, kept up row by row as from scratch."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from app.services.evidence.ledger import Ledger
from app.services.evidence.newest import CHECKS, extended_newest, newest_rows
from tests.furniture.properties import tried
from tests.services.history.made import STEPS, evidence_from


@settings(max_examples=tried(60), deadline=None)
@given(steps=STEPS)
def test_the_newest_rows_are_kept_up_as_worked_out_from_scratch(steps: list[tuple[Any, ...]]) -> None:
    evidence = evidence_from(steps)
    ledger, cell = evidence.ledger, evidence.cell

    whole = newest_rows(ledger, cell)
    half = len(ledger) // 2
    first = Ledger(*(getattr(ledger, name)[:half] for name in Ledger.__annotations__))

    assert np.array_equal(extended_newest(newest_rows(first, cell[:half]), ledger, cell), whole)
    newest = {}
    for row in range(len(ledger)):
        if int(ledger.role[row]) not in CHECKS:
            newest[int(cell[row]), int(ledger.annotator[row])] = row
    assert sorted(newest.values()) == np.flatnonzero(whole).tolist()
