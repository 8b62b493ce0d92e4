"""How much rating would have been enough: complete judgments replayed in several orders.

A replay gives one rating at a time, without batches, and reports after which share of the pool the
ranking of the rankers is right and stays right.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.discounts import Discounts
from app.scoring.priority import Candidates, depth_priority, openness_of, priority_order, race_priority
from app.scoring.priority_estimate import estimated_gains, ndcg_table
from app.scoring.seeds import seed_of, seeded_order
from app.scoring.tau import kendall_tau

Rule = Literal["random", "depth", "open race", "open race without chance"]
RULES: tuple[Rule, ...] = ("random", "depth", "open race", "open race without chance")

REFRESH = 25
ENOUGH = 0.9
SMALL_GAP = 0.02


@dataclass(frozen=True)
class Truth:
    """A pool that is judged completely.

    Attributes
    ----------
    candidates
        Its items, all pooled.
    gains
        float64 (items,): without NaN.
    discounts
        To the depth of the measure.
    queries
        The number of queries.
    highest
        Gmax.
    """

    candidates: Candidates
    gains: Floats
    discounts: Discounts
    queries: int
    highest: float

    def scores(self, gains: Floats) -> Floats:
        """Return the mean nDCG of every run, for given gains.

        Parameters
        ----------
        gains
            float64 (items,).

        Returns
        -------
        float64 (runs,)
        """
        return np.asarray(ndcg_table(self.candidates, gains, self.discounts, self.queries).mean(axis=1))


@dataclass(frozen=True)
class Replay:
    """What one replay shows on its grid.

    Attributes
    ----------
    shares
        float64 (points,): the judged shares of the pool.
    zero_fill, smoothed
        float64 (points, runs): mean nDCG with unjudged items at 0, and at their estimate.
    truth
        float64 (runs,): with everything judged.
    """

    shares: Floats
    zero_fill: Floats
    smoothed: Floats
    truth: Floats


@dataclass(frozen=True)
class Needed:
    """The share of the pool after which tau is at least 0.9 and stays.

    Attributes
    ----------
    zero_fill, smoothed
        Ranking by either score, over all pairs; ``None`` where the truth ranks no pair.
    zero_fill_apart, smoothed_apart
        The same over pairs whose true scores differ by at least 0.02.
    """

    zero_fill: float | None
    smoothed: float | None
    zero_fill_apart: float | None
    smoothed_apart: float | None


def replay(truth: Truth, rule: Rule, *, seed: int, grid: float = 0.01) -> Replay:
    """Return the scores along one replay of a complete set of judgments.

    Parameters
    ----------
    truth
        The complete set.
    rule
        The order in which items are judged.
    seed
        Of ties, of the random order and of the uniform picks.
    grid
        The step between two points, a share of the pool.
    """
    items = len(truth.gains)
    points = np.unique(np.ceil(np.arange(grid, 1 + grid / 2, grid) * items - 1e-9).clip(1, items).astype(int))
    known = np.full(items, np.nan)
    zero_fill: list[Floats] = []
    smoothed: list[Floats] = []
    for number, item in enumerate(order_of(truth, rule, known, seed), 1):
        known[item] = truth.gains[item]
        if number == points[len(zero_fill)]:
            zero_fill.append(truth.scores(np.nan_to_num(known)))
            smoothed.append(truth.scores(estimated_gains(truth.candidates, known, truth.highest)))
    return Replay(points / items, np.array(zero_fill), np.array(smoothed), truth.scores(truth.gains))


def needed_of(run: Replay) -> Needed:
    """Return the shares of the pool that a replay needed.

    Parameters
    ----------
    run
        A replay on its grid.
    """
    return Needed(
        zero_fill=_share_needed(run, run.zero_fill, 0.0),
        smoothed=_share_needed(run, run.smoothed, 0.0),
        zero_fill_apart=_share_needed(run, run.zero_fill, SMALL_GAP),
        smoothed_apart=_share_needed(run, run.smoothed, SMALL_GAP),
    )


def share_first(run: Replay, scores: Floats, ranker: int) -> float | None:
    """Return the share of the pool after which a ranker is put first and stays, ``None`` if never.

    Parameters
    ----------
    run
        The replay.
    scores
        float64 (points, runs): its zero-fill or its smoothed scores.
    ranker
        The run's number.
    """
    others = np.delete(scores, ranker, axis=1).max(axis=1)
    return _share_from(run, scores[:, ranker] > others)


def order_of(truth: Truth, rule: Rule, known: Floats, seed: int) -> Iterator[int]:
    """Yield every item once, in the order of the rule.

    Parameters
    ----------
    truth
        The complete set; its gains are not looked at.
    rule
        ``random``, ``depth``, or the open race with or without its uniform fifth.
    known
        float64 (items,): the gains judged so far, NaN elsewhere; the caller fills in every item it is
        given before it asks for the next one.
    seed
        Of everything left to chance.
    """
    keys = np.arange(len(truth.gains))
    chance = seeded_order(seed_of(str(seed), "uniform"), keys).tolist()
    if rule == "random":
        yield from chance
    elif rule == "depth":
        yield from priority_order(depth_priority(truth.candidates), keys, seed).tolist()
    else:
        yield from _race(truth, known, chance if rule == "open race" else [], seed)


def _race(truth: Truth, known: Floats, chance: list[int], seed: int) -> Iterator[int]:
    """Yield the items by open-race priority, renewed every 25 ratings; every fifth by chance, if asked."""
    keys = np.arange(len(truth.gains))
    done = np.zeros(len(keys), dtype=np.bool_)
    by_chance = iter(chance)
    for start in range(0, len(keys), REFRESH):
        priority = race_priority(truth.candidates, _openness(truth, known))
        ranked = iter(priority_order(priority, keys, seed).tolist())
        for number in range(start, min(start + REFRESH, len(keys))):
            source = by_chance if chance and number % 5 == 4 else ranked
            item = next(item for item in source if not done[item])
            done[item] = True
            yield item


def _openness(truth: Truth, known: Floats) -> Floats:
    """Return the openness of the races, from queries holding a rating."""
    candidates = truth.candidates
    rated: Ints = np.unique(candidates.query[~np.isnan(known)])
    gains = estimated_gains(candidates, known, truth.highest)
    table = ndcg_table(candidates, gains, truth.discounts, truth.queries)
    return openness_of(table[candidates.current][:, rated])


def _share_needed(run: Replay, scores: Floats, gap: float) -> float | None:
    """Return the share after which tau is at least 0.9 and stays; ``None`` where no pair counts."""
    taus = [kendall_tau(run.truth, point, gap=gap) for point in scores]
    if taus[-1] is None:
        return None
    return _share_from(run, np.array([tau is not None and tau >= ENOUGH - 1e-12 for tau in taus]))


def _share_from(run: Replay, holds: Flags) -> float | None:
    """Return the share from which on a condition holds at every later point."""
    broken = np.flatnonzero(~holds)
    start = int(broken[-1]) + 1 if len(broken) else 0
    return float(run.shares[start]) if start < len(run.shares) else None
