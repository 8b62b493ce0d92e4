"""What counts now on the arrays, kept up row by row as from scratch."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.services.current_judgments import COUNTED
from app.services.evidence.columns import CLEARED, Ledger, current_rows, extended_current, kinds_of
from app.services.quality.annotator_grades import given_of
from tests.furniture.properties import tried
from tests.services.scores.history.made import STEPS, evidence_from


@settings(max_examples=tried(100), deadline=None)
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


# The second makes keys too large for a table with a cell for each.
FACTORS = st.sampled_from([1, 100_003])


@settings(max_examples=25, deadline=None)
@given(steps=STEPS, factor=FACTORS)
def test_what_counts_and_what_was_given_are_as_row_by_row(steps: list[tuple[Any, ...]], factor: int) -> None:
    evidence = evidence_from(steps)
    ledger = replace(evidence.ledger, annotator=evidence.ledger.annotator * factor)
    evidence = replace(evidence, ledger=ledger)
    newest: dict[tuple[int, ...], int] = {}
    first: dict[tuple[int, ...], int] = {}
    kinds = kinds_of(ledger.role)
    for row in np.flatnonzero((evidence.candidate_index >= 0) & ~evidence.outdated).tolist():
        key = int(evidence.candidate_index[row]), int(ledger.annotator[row]), int(kinds[row])
        newest[key] = row
        first.setdefault(key, row)

    assert np.flatnonzero(
        current_rows(ledger, evidence.candidate_index, evidence.outdated)
    ).tolist() == sorted(newest.values())
    given = given_of(evidence)
    kept = {
        key: row
        for key, row in newest.items()
        if ledger.role[row] in COUNTED and ledger.grade[row] != CLEARED
    }
    in_order = sorted(kept, key=lambda key: first[key])
    pairs = zip(given.candidate_index.tolist(), given.annotator.tolist(), strict=True)
    assert list(pairs) == [key[:2] for key in in_order]
    assert given.first.tolist() == [first[key] for key in in_order]
    assert given.last.tolist() == [kept[key] for key in in_order]
