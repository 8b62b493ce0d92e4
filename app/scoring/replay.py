"""nDCG of every run after every event of the ledger, in one pass without a loop over events.

The difference that each event makes is found by sorting events by item and by query and adding up within
each; put back in the order of time, the differences add up to the curve. It agrees with scoring from
scratch to 1e-12; the present scores are kept to the last bit by ``live``.
"""

import math
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.choices import ConsensusRule
from app.scoring.consensus import consensus_of
from app.scoring.ledger import Changes
from app.scoring.lists import Lists, weights_of_items
from app.scoring.ruler import Ruler

FINE = 46
"""The finest unit of what gains are worth is at least this many bits below the least gain."""
EXACT = 53
"""The bits of a whole number that float64 holds."""
PART = 40
"""The bits of a number of units that are not the coarsest: thousands of them have an exact sum."""

Some = TypeVar("Some", Floats, Ints)


@dataclass(frozen=True)
class Curve:
    """The scores after every event.

    Attributes
    ----------
    sums
        float64 (events, runs): the sum of nDCG over the scored queries that the run covers.
    counted
        int64 (events, runs): how many queries these are.
    moved
        float64 (events, runs): what the event changed about the sum: which judgment moved which run.
    """

    sums: Floats
    counted: Ints
    moved: Floats

    @property
    def means(self) -> Floats:
        """The mean after every event, NaN where nothing is scored yet: float64 (events, runs)."""
        nothing = np.full(self.sums.shape, np.nan)
        return np.asarray(np.divide(self.sums, self.counted, out=nothing, where=self.counted > 0))


@dataclass(frozen=True)
class Stage:
    """What stands still while the ledger is replayed.

    Attributes
    ----------
    lists
        Of the runs, at least as deep as the cutoff.
    query
        integers (items,): the query of each item.
    ruler, cutoff, rule
        How a score is computed: the ideal is over all judged documents, or over those in the pool.
    covered
        bool (runs, queries): the queries whose score enters a run's mean; all if not given.
    pooled
        bool (items,): needed where the ideal is over the pool.
    """

    lists: Lists
    query: Ints
    ruler: Ruler
    cutoff: int
    rule: ConsensusRule = "median"
    covered: Flags | None = None
    pooled: Flags | None = None

    def __post_init__(self) -> None:
        if self.ruler.ideal not in {"judged", "pool"}:
            raise ValueError(f"a ledger is replayed under the ideal judged or pool, not {self.ruler.ideal}")
        if self.ruler.unjudged == "condensed":
            raise ValueError("a ledger is replayed with unjudged documents in their places, not condensed")


def replay(changes: Changes, stage: Stage) -> Curve:
    """Return the score of every run after every change of a grade.

    Parameters
    ----------
    changes
        In revision order.
    stage
        What stands still.

    Returns
    -------
    Curve of (changes, runs)
    """
    query = stage.query.take(changes.item)
    before, after = _gains(changes, stage)
    order = _grouped(query)
    first, item = _firsts(query.take(order)), changes.item.take(order)
    before, after = before.take(order), after.take(order)
    reached = _reached(before, after, item, first, stage)
    ideal = _ideals(before, after, item, first, stage)
    score = np.divide(reached, ideal[:, None], out=np.zeros(reached.shape), where=ideal[:, None] > 0)
    entered = _differences((ideal > 0).astype(np.int64)[:, None], first)
    in_time = _inverse(order)
    moved, joined = _differences(score, first).take(in_time, axis=0), entered.take(in_time, axis=0)
    if stage.covered is not None:
        covered = np.ascontiguousarray(stage.covered.T).take(query, axis=0)
        moved, joined = moved * covered, joined * covered
    counted = np.broadcast_to(np.cumsum(joined, axis=0), moved.shape)
    return Curve(np.cumsum(moved, axis=0), counted, moved)


def _gains(changes: Changes, stage: Stage) -> tuple[Floats, Floats]:
    """Return the gain of the changed item before and after each change: two float64 (changes,)."""
    grades = stage.ruler.highest - stage.ruler.lowest + 1
    order = _grouped(changes.item)
    first = _firsts(changes.item[order])
    steps = np.zeros((len(changes), grades), dtype=np.int64)
    for column, sign in ((changes.old[order], -1), (changes.new[order], 1)):
        graded = np.flatnonzero(column >= 0)
        steps[graded, column[graded]] += sign
    counts = _summed(steps, first)
    gain = consensus_of(counts, stage.rule).values(stage.ruler.gains())
    after, before = np.empty(len(changes)), np.empty(len(changes))
    after[order] = gain
    before[order] = np.where(first, 0.0, np.append(0.0, gain[:-1]))
    return before, after


def _reached(before: Floats, after: Floats, item: Ints, first: Flags, stage: Stage) -> Floats:
    """Return the DCG of the changed query in every run after each change: float64 (changes, runs).

    What a gain adds is cut into whole numbers of units, small enough that their sums lose nothing: what a
    grade had added is gone to the last bit when it is taken back, also where it was worth 2^60 times what
    is left.
    """
    exponents = _units(stage)
    weights = _weights(item, stage) * 2.0 ** -exponents[0]
    added, taken = after[:, None] * weights, before[:, None] * weights
    reached = np.zeros((1, 1))
    for exponent in exponents:
        finest = exponent == exponents[-1]
        steps = _whole_units(added, finest=finest)
        steps -= _whole_units(taken, finest=finest)
        sums = _summed(steps, first)
        sums *= 2.0**exponent
        reached = reached + sums if len(exponents) > 1 else sums
    return reached


def _units(stage: Stage) -> range:
    """Return the exponents of the units that the worth of gains is counted in, the largest unit first.

    The largest is so coarse that all a list can be worth is exact in float64; the smallest so fine that
    what is lost below it matters to no score.
    """
    gains = stage.ruler.gains()
    finest = math.frexp(gains[gains > 0].min())[1] - FINE
    largest = math.frexp(gains[-1])[1] + math.frexp(stage.ruler.discounts(stage.cutoff).weights.sum())[1]
    coarsest = largest - EXACT
    finer = max(0, -(-(coarsest - finest) // PART))
    return range(coarsest, coarsest - finer * PART - 1, -PART)


def _whole_units(worth: Floats, *, finest: bool) -> Floats:
    """Return the whole units in some numbers, in which, counted in the next unit, what remains is left."""
    if finest:
        return np.rint(worth, out=worth)
    units = np.floor(worth)
    worth -= units
    worth *= 2.0**PART
    return units


def _weights(item: Ints, stage: Stage) -> Floats:
    """Return what a unit of gain of each changed item adds to each run's DCG: (changes, runs)."""
    discounts = stage.ruler.discounts(stage.cutoff)
    by_run = weights_of_items(stage.lists, discounts.weights, len(stage.query) + 2)
    return np.ascontiguousarray(by_run.T).take(item, axis=0)


def _ideals(before: Floats, after: Floats, item: Ints, first: Flags, stage: Stage) -> Floats:
    """Return the ideal DCG of the changed query after each change, without sorting: float64 (changes,).

    Formula: ``sum over levels j of d_j * C(min(k, judged items of level j or more))``.
    """
    if stage.ruler.ideal == "pool" and stage.pooled is not None:
        before, after = before * stage.pooled[item], after * stage.pooled[item]
    reach = np.append(0.0, np.cumsum(stage.ruler.discounts(stage.cutoff).weights))
    ideal, below = np.zeros(len(after)), 0.0
    for level in np.unique(after[after > 0]):
        crossed = (after >= level).astype(np.int64) - (before >= level)
        ideal += (level - below) * reach.take(np.minimum(_summed(crossed, first), stage.cutoff))
        below = level
    return ideal


def _grouped(key: Ints) -> Ints:
    """Return the order that brings equal keys together and keeps the order of time among them.

    Sorting one number made of key and place is several times quicker than a stable sort of the keys.
    """
    both = np.sort(key.astype(np.int64) * len(key) + np.arange(len(key)))
    return both % max(len(key), 1)


def _inverse(order: Ints) -> Ints:
    """Return the order that undoes an order: gathering rows by it is quicker than putting them back."""
    back = np.empty_like(order)
    back[order] = np.arange(len(order))
    return back


def _firsts(key: Ints) -> Flags:
    """Return where a new key begins in an ordered array: bool of its shape."""
    return np.append(np.ones(min(len(key), 1), dtype=np.bool_), key[1:] != key[:-1])


def _summed(steps: Some, first: Flags) -> Some:
    """Return the running sums within each group, along the first axis.

    Each group starts by taking away what the group before it came to, so that sums never grow with the
    number of groups and lose no digits.
    """
    starts = np.flatnonzero(first)
    if not len(starts):
        return steps
    own = steps.copy()
    own[starts[1:]] -= np.add.reduceat(steps, starts, axis=0)[:-1]
    return np.cumsum(own, axis=0)


def _differences(values: Some, first: Flags) -> Some:
    """Return each value minus the one before it in its group, the first minus 0."""
    differences = values.copy()
    np.subtract(values[1:], values[:-1], out=differences[1:])
    starts = np.flatnonzero(first)
    differences[starts] = values.take(starts, axis=0)
    return differences
