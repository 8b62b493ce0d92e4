"""How many ratings an order would have taken: complete judgments replayed, on the shown score alone."""

import numpy as np

from app.scoring.simulation import ENOUGH, Rule, Truth, order_of
from app.scoring.tau import kendall_tau

_SAME = 1e-12


def share_needed(truth: Truth, rule: Rule, *, seed: int, grid: float = 0.02) -> float | None:
    """Return the share of a pool's ratings after which Kendall's tau is at least 0.9 and stays.

    The same as ``needed_of(replay(...)).zero_fill`` on the same grid: unjudged items count 0. What that
    works out besides is left aside, so that a page can wait for it.

    Parameters
    ----------
    truth
        The complete set.
    rule
        The order in which items are judged.
    seed
        Of everything left to chance.
    grid
        The step between two points, a share of the pool.

    Returns
    -------
    float or None
        ``None`` where the truth ranks no pair.
    """
    items = len(truth.gains)
    steps = np.ceil(np.arange(grid, 1 + grid / 2, grid) * items - 1e-9).clip(1, items).astype(int)
    points = {*steps.tolist(), items}
    aim = truth.scores(truth.gains)
    known = np.full(items, np.nan)
    needed: int | None = None
    for number, item in enumerate(order_of(truth, rule, known, seed), 1):
        known[item] = truth.gains[item]
        if number not in points:
            continue
        tau = kendall_tau(aim, truth.scores(np.nan_to_num(known)))
        if tau is None:
            return None
        if tau < ENOUGH - _SAME:
            needed = None
        elif needed is None:
            needed = number
    return needed / items if needed is not None else None
