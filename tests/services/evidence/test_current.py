"""What counts now on the arrays, kept up row by row as from scratch."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, settings

from app.services.evidence.columns import Ledger, current_rows, extended_current
from tests.furniture.properties import tried
from tests.services.scores.history.made import STEPS, evidence_from


@settings(max_examples=tried(150), deadline=None)
@given(steps=STEPS)
def test_what_counts_now_is_kept_up_as_worked_out_from_scratch(steps: list[tuple[Any, ...]]) -> None:
    evidence = evidence_from(steps)
    ledger, candidate_index = evidence.ledger, evidence.candidate_index

    stands = np.zeros(len(ledger), dtype=np.bool_)
    whole = current_rows(ledger, candidate_index, stands)
    half = len(ledger) // 2
    first = Ledger(*(getattr(ledger, name)[:half] for name in Ledger.__annotations__))

    before = current_rows(first, candidate_index[:half], stands[:half])
    assert np.array_equal(extended_current(before, ledger, candidate_index), whole)
