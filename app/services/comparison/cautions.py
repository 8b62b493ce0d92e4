"""What makes a comparison weaker than it looks: said beside it, in the order of weight."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.models import EventKind

if TYPE_CHECKING:
    from app.scoring.arrays import Ints
    from app.services.comparison.basis import Basis
    from app.services.comparison.pairs import PairVerdict

UNEQUAL_COVERAGE = 0.05


def cautions_of(basis: Basis, pair: PairVerdict, names: tuple[str, str]) -> list[str]:
    """Return the cautions about a pair as sentences; nothing where it is fair."""
    found = [
        _unequal_queries(basis, pair, names),
        _unequal_coverage(basis, pair, names),
        _edited(basis, pair),
    ]
    return [sentence for sentence in found if sentence]


def _unequal_queries(basis: Basis, pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return who covers questions that the other does not: both are scored on the common ones."""
    own = [int((basis.board.counted[row] & ~pair.queries).sum()) for row in pair.rows]
    parts = [f"{count} only by {name}" for count, name in zip(own, names, strict=True) if count]
    if not parts:
        return ""
    return f"Some scored questions are covered by one of the two: {' and '.join(parts)}. They are left out."


def _unequal_coverage(basis: Basis, pair: PairVerdict, names: tuple[str, str]) -> str:
    label = f"judged@{basis.board.ruler.k}"
    if not pair.n:
        return ""
    shares = [float(basis.board.values[label][row, pair.queries].mean()) for row in pair.rows]
    if abs(shares[0] - shares[1]) <= UNEQUAL_COVERAGE:
        return ""
    low = int(shares[0] > shares[1])
    return (
        f"More of {names[1 - low]}’s top answers are rated: {_percent(shares[1 - low])}, against "
        f"{_percent(shares[low])} of {names[low]}’s. Unrated ones count as 0, so {names[low]} may be worth "
        "more than it seems."
    )


def _edited(basis: Basis, pair: PairVerdict) -> str:
    """Return how many answers were edited after a compared version was registered."""
    edits = {
        document: event.revision
        for event in basis.evidence.structure.events
        if event.kind == EventKind.DOCUMENTS_EDITED
        for document in event.payload["document_ids"]
    }
    if not edits:
        return ""
    changed = {
        document
        for row in pair.rows
        for document in _top(basis, pair, row).tolist()
        if edits.get(document, 0) > basis.board.runs[row].run.revision
    }
    if not changed:
        return ""
    answers = "1 answer was" if len(changed) == 1 else f"{len(changed)} answers were"
    return (
        f"{answers} edited after a version was imported: its place is of the old text, its grade of the new."
    )


def _top(basis: Basis, pair: PairVerdict, row: int) -> Ints:
    """Return the documents in the top k of a row on the compared queries."""
    k = basis.board.ruler.k
    structure = basis.evidence.structure
    structure = structure.plain or structure
    cells = structure.positions[:k, basis.places[row]][:, pair.queries]
    return np.unique(structure.document[cells[cells < structure.cells]])


def _percent(share: float) -> str:
    return f"{share * 100:.0f} %"
