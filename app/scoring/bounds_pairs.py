"""Where two runs place the same unjudged items: the weights behind the bounds of their difference."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.discounts import Discounts


@dataclass(frozen=True)
class PlacedWeights:
    """The discounts at which every run of a block places the open items.

    Attributes
    ----------
    labels
        intp (ranks, runs, queries): the block's items numbered without gaps.
    weights
        float64 (runs, labels): the discount of the item's rank, 0 where the run does not return it.
    open_ranks
        bool (ranks, runs, queries): the places of items that could still earn a gain.
    """

    labels: Ints
    weights: Floats
    open_ranks: Flags


def placed_weights(positions: Ints, open_cells: Flags, discounts: Discounts) -> PlacedWeights:
    """Return where the runs of a block place the open items.

    Parameters
    ----------
    positions
        integers (ranks, runs, queries); an item belongs to one query, so a run has one place for it.
    open_cells
        bool by cell.
    discounts
        To the cutoff.
    """
    cells, labels = np.unique(positions, return_inverse=True)
    labels = labels.reshape(positions.shape)
    weights = np.zeros((positions.shape[1], len(cells)))
    runs = np.arange(positions.shape[1])[:, None]
    for rank in range(len(positions)):
        weights[runs, labels[rank]] = discounts.weights[rank]
    return PlacedWeights(labels, weights, open_cells.take(positions))


def pair_prefix_sums(
    placed: PlacedWeights, minus: Ints, plus: Ints, open_counts: Ints, copies: int
) -> Floats:
    """Return the sums of the s largest differences of weights, s = 0 to ``copies``.

    The open items of a query weigh ``c in plus - c in minus``: those that ``plus`` returns, those that
    only ``minus`` returns (negative), and the others (0).

    Parameters
    ----------
    placed
        Of the block.
    minus, plus
        integers (pairs,): run numbers.
    open_counts
        integers (queries of the block,).
    copies
        How many items can matter.

    Returns
    -------
    float64 (copies + 1, pairs * queries)
    """
    both = np.concatenate(
        [_weights_in_plus(placed, minus, plus), _weights_only_in_minus(placed, minus, plus)]
    ).reshape(2 * len(placed.labels), len(plus) * len(open_counts))
    falling = -np.sort(-both.T, axis=1)
    sums = np.zeros((len(falling), falling.shape[1] + 1))
    np.cumsum(falling, axis=1, out=sums[:, 1:])
    positive = np.count_nonzero(falling > 0, axis=1)
    others = np.tile(open_counts, len(plus)) - np.count_nonzero(falling > -np.inf, axis=1)
    taken = np.arange(copies + 1)[:, None]
    place = np.where(taken <= positive, taken, np.maximum(positive, taken - others))
    return sums[np.arange(len(sums)), np.minimum(place, falling.shape[1])]


def signed_sums(placed: PlacedWeights, minus: Ints, plus: Ints) -> tuple[Floats, Floats]:
    """Return the sum of the negative and that of the positive differences of weights of the open items.

    Returns
    -------
    Two float64 (pairs, queries)
    """
    both = np.concatenate(
        [_weights_in_plus(placed, minus, plus), _weights_only_in_minus(placed, minus, plus)]
    )
    fallen = np.where(np.isfinite(both), np.minimum(both, 0.0), 0.0).sum(axis=0)
    return fallen, np.maximum(both, 0.0).sum(axis=0)


def _weights_in_plus(placed: PlacedWeights, minus: Ints, plus: Ints) -> Floats:
    """Return the difference at each rank of ``plus``, -inf where not open: (ranks, pairs, queries)."""
    labels = placed.labels[:, plus]
    there = placed.weights[minus[:, None], labels]
    here = placed.weights[plus[:, None], labels]
    return np.where(placed.open_ranks[:, plus], here - there, -np.inf)


def _weights_only_in_minus(placed: PlacedWeights, minus: Ints, plus: Ints) -> Floats:
    """Return minus the weight at every rank of ``minus`` whose open item ``plus`` has not, else -inf."""
    labels = placed.labels[:, minus]
    alone = placed.open_ranks[:, minus] & (placed.weights[plus[:, None], labels] == 0)
    return np.where(alone, -placed.weights[minus[:, None], labels], -np.inf)
