"""The verdict on any two versions: the same word and number wherever they are compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.comparison import Basis, PairVerdict, basis_of, pair_verdicts
from app.services.overview.shown import shown_of

if TYPE_CHECKING:
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Between:
    """What may be said about two versions.

    Attributes
    ----------
    pair
        d = score of the first minus score of the second.
    basis
        What the rows of the pair are of.
    together
        Whether the pair is one of those that the overview asks about together; else it is asked about alone.
    """

    pair: PairVerdict
    basis: Basis
    together: bool


def verdict_between(evidence: Evidence, first: int, second: int, *, current: Basis | None = None) -> Between:
    """Return the verdict on two different versions.

    A pair of the overview is read among all pairs that it asks about together, any other pair alone.

    Parameters
    ----------
    first, second
        Places within `evidence.structure.runs`.
    current
        The basis of the current runs of this evidence, where the caller has it already.
    """
    shown = shown_of(evidence, current)
    places = shown.basis.places
    if {first, second} <= set(places) and shown.marked in {None, places.index(first), places.index(second)}:
        rows = shown.behind_first(places.index(first), places.index(second))
        (pair,) = pair_verdicts(shown.basis, [rows], shown.family)
        return Between(_about(pair, shown.basis, first), shown.basis, together=True)
    # The newer one first, whoever asks: the sums have the same bits.
    basis = basis_of(evidence, [max(first, second), min(first, second)])
    (pair,) = pair_verdicts(basis, [(0, 1)])
    return Between(_about(pair, basis, first), basis, together=False)


def _about(pair: PairVerdict, basis: Basis, first: int) -> PairVerdict:
    """Return a pair with the version of a place first."""
    return pair if basis.places[pair.rows[0]] == first else pair.turned()
