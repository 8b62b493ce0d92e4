"""A run's total DCG from the batches that were drawn by lot, without bias under any adaptive rule."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.intervals import mean_and_deviation


@dataclass(frozen=True)
class Draw:
    """One drawn batch.

    Attributes
    ----------
    drawable
        integers: the items that the draw could give, M_t of them.
    slots
        integers: the items of the batch's uniform slots, at least one and each drawable.

    Raises
    ------
    ValueError
        No slot, or one that the draw could not give: nothing could be estimated from it.
    """

    drawable: Ints
    slots: Ints

    def __post_init__(self) -> None:
        if not len(self.slots):
            raise ValueError("a drawn batch has at least one uniform slot: without one it says nothing")
        if not np.isin(self.slots, self.drawable).all():
            raise ValueError("a uniform slot holds an item that the draw could not give")


@dataclass(frozen=True)
class DrawnTotal:
    """The estimate of every run's total DCG over all active queries.

    Attributes
    ----------
    total
        float64 (runs,): divide by the number of queries for the mean DCG, by the greatest DCG a
        list can have as well for MNDCG.
    error
        float64 (runs,): its standard error; ``None`` from one batch.
    batches
        The drawn batches that entered.
    """

    total: Floats
    error: Floats | None
    batches: int


def drawn_total(weights: Floats, gains: Floats, settled: Flags, draws: Sequence[Draw]) -> DrawnTotal | None:
    """Return the total DCG of every run estimated from drawn batches, ``None`` while none is complete.

    Formula: ``e_t = S_t + M_t * mean of c_u G_u over the uniform slots``, S_t = sum of c_u G_u over the
    pool items that the draw could not give; the estimate is the mean of e_t over the drawn batches (the
    sequential form of Des Raj 1956). Dividing by logged probabilities instead would be biased, since
    they depend on everything rated before.

    Parameters
    ----------
    weights
        float64 (runs, items): c_a(u) of every pool item.
    gains
        float64 (items,): at today's consensus; an item that nobody could judge has 0, others not yet
        judged any number.
    settled
        bool (items,): judged, or nobody can judge it. A batch enters once everything it uses is settled.
    draws
        The drawn batches, oldest first.
    """
    worth = weights * np.where(settled, gains, 0.0)
    totals = [_total(worth, draw) for draw in draws if _is_complete(settled, draw)]
    if not totals:
        return None
    moments = np.array([mean_and_deviation(run) for run in np.array(totals).T])
    error = moments[:, 1] / np.sqrt(len(totals)) if len(totals) > 1 else None
    return DrawnTotal(moments[:, 0], error, len(totals))


def _is_complete(settled: Flags, draw: Draw) -> bool:
    """Return whether everything that the batch's estimate uses is settled."""
    used = settled.copy()
    used[draw.drawable] = True
    return bool(used.all() and settled[draw.slots].all())


def _total(worth: Floats, draw: Draw) -> Floats:
    """Return e_t of every run."""
    rest = worth.sum(axis=1) - worth[:, draw.drawable].sum(axis=1)
    return np.asarray(rest + len(draw.drawable) * worth[:, draw.slots].mean(axis=1))
