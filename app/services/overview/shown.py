"""The versions that an overview shows, and the pairs of them that are asked about together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.comparison import Basis, Family, basis_of, family_of
from app.services.evaluation import best_first

if TYPE_CHECKING:
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class Shown:
    """The newest active versions of all rankers, and the one in production with them.

    Attributes
    ----------
    order
        The rows of the basis, best first.
    marked
        The row of the version in production, where there is one.
    reference
        The row that the others are compared with: the version in production, else the leader.
    family
        The pairs that are asked about together; none with fewer than two versions.
    """

    basis: Basis
    order: list[int]
    marked: int | None
    reference: int | None
    family: Family

    def behind_first(self, first: int, second: int) -> tuple[int, int]:
        """Return two rows in the order in which an overview compares them: the reference is the second."""
        if self.marked is not None:
            return (second, first) if first == self.marked else (first, second)
        return (first, second) if self.order.index(first) > self.order.index(second) else (second, first)


def shown_of(evidence: Evidence, basis: Basis | None = None) -> Shown:
    """Return what an overview shows.

    Parameters
    ----------
    basis
        Of the current runs of this evidence, where the caller has it already.
    """
    shown = basis or basis_of(evidence)
    production = evidence.production_run()
    if production is not None and production not in shown.places:
        shown = basis_of(evidence, [*shown.places, production])
    order = best_first(shown.board)
    marked = None if production is None else shown.places.index(production)
    reference = marked if marked is not None else order[0] if order else None
    return Shown(shown, order, marked, reference, family_of(sorted(order), marked))
