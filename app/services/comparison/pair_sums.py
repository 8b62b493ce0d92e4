"""The sums behind the verdicts on many pairs of runs, worked out for all of them at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.intervals import interval_from
from app.scoring.means import exact_sums, means_of
from app.services.comparison.kept_bounds import pair_bounds_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats
    from app.scoring.intervals import MeanInterval
    from app.services.comparison.basis import Basis

    Ends = tuple[float, float] | None


@dataclass(frozen=True)
class PairSums:
    """One entry per pair; d = score of the first row minus score of the second.

    Attributes
    ----------
    chosen
        bool (pairs, queries): the comparison sets.
    intervals, deviations
        Of d over the comparison set, not clipped.
    expected
        The mean of d by the smoothed estimate; None where there is none.
    certificates
        The sums of both pair bounds over scored and undecided queries that both cover; None where nothing
        can be bounded.
    bounds
        The mean of the pair bounds over the comparison set.
    open_items
        The unjudged items of the queries that the certificate reads.
    """

    chosen: Flags
    intervals: list[MeanInterval]
    deviations: list[float]
    expected: list[float | None]
    certificates: list[Ends]
    bounds: list[Ends]
    open_items: list[int]


def sums_of(basis: Basis, pairs: Sequence[tuple[int, int]], queries: Flags | None = None) -> PairSums:
    """Return the sums of some pairs of rows.

    Parameters
    ----------
    queries
        bool (queries,): one comparison set for all; by default the scored queries that both rows cover.
    """
    first, second = np.array(pairs).T
    counted = basis.board.counted
    chosen = counted[first] & counted[second]
    if queries is not None:
        chosen = np.broadcast_to(queries, chosen.shape)
    decisive = basis.covered[first] & basis.covered[second] & basis.possible
    intervals, deviations = _intervals(basis.values[first] - basis.values[second], chosen)
    nothing: list[Ends] = [None] * len(pairs)
    bounds = pair_bounds_of(basis, pairs) if basis.bounded else None
    expected = basis.expected
    certificates = nothing if bounds is None else _sums(bounds.low, bounds.high, decisive)
    # Where nothing is undecided both are over the same queries, and a mean is the sum over their number.
    alike = np.array_equal(decisive, chosen)
    numbers = [interval.n for interval in intervals]
    return PairSums(
        chosen=chosen,
        intervals=intervals,
        deviations=deviations,
        expected=[None] * len(pairs)
        if expected is None
        else means_of(expected[first] - expected[second], chosen),
        certificates=certificates,
        bounds=nothing
        if bounds is None
        else _means(certificates, numbers)
        if alike
        else list(bounds.means(chosen)),
        open_items=(decisive @ basis.board.judged.open_counts).tolist(),
    )


def _intervals(differences: Floats, chosen: Flags) -> tuple[list[MeanInterval], list[float]]:
    """Return the interval and the deviation of every row over its chosen queries."""
    means = means_of(differences, chosen)
    centre = np.array([mean or 0.0 for mean in means])[:, None]
    squares = np.array(exact_sums(np.where(chosen, differences - centre, 0.0) ** 2))
    numbers = np.count_nonzero(chosen, axis=1)
    deviations = np.sqrt(squares / np.maximum(numbers - 1, 1)).tolist()
    found = zip(means, deviations, numbers.tolist(), strict=True)
    return [interval_from(mean, deviation, n, clip=None) for mean, deviation, n in found], deviations


def _means(sums: list[Ends], numbers: list[int]) -> list[Ends]:
    return [
        None if ends is None or not n else (ends[0] / n, ends[1] / n)
        for ends, n in zip(sums, numbers, strict=True)
    ]


def _sums(low: Floats, high: Floats, queries: Flags) -> list[Ends]:
    sums = [exact_sums(np.where(queries, side, 0.0)) for side in (low, high)]
    return list(zip(*sums, strict=True))
