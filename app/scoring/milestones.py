"""When a comparison may be tested: a walk along one seeded order of queries, and looks at milestones.

Looking every day breaks P-values, and the queries that happen to be rated first are not a random
choice. So a plan fixes the order of its queries and the numbers at which they are looked at, and all
its looks together spend 5%.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Literal

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.seeds import seeded_order

Milestone = int | Literal["all"]

ALPHA = 0.05
FIRST = 10
READY = 0.95


@dataclass(frozen=True)
class Walk:
    """How far the walk along a plan's order has come.

    Attributes
    ----------
    passed
        The number of queries walked: all before the first that is not ready.
    places
        int (n,): the walked places whose query is scored and covered by all compared runs.
    length
        The number of queries in the order.
    """

    passed: int
    places: Ints
    length: int

    @property
    def n(self) -> int:
        """The scored queries walked: what milestones count."""
        return len(self.places)

    @property
    def stopped_at(self) -> int | None:
        """The place of the first query that is not ready; ``None`` at the end of the order."""
        return self.passed if self.passed < self.length else None


@dataclass(frozen=True)
class Look:
    """One look at the data: the test on the scored queries walked, at its own share of the 5%.

    Attributes
    ----------
    number
        j, counted from 1 over the looks that were taken.
    milestone
        The largest milestone reached.
    n
        The scored queries walked then.
    alpha
        The level that the adjusted P is held against.
    last
        Whether it is the last look of its plan.
    """

    number: int
    milestone: Milestone
    n: int
    alpha: float
    last: bool


@dataclass(frozen=True)
class OpenBlock:
    """The stretch of the order that would reach the next milestone.

    Attributes
    ----------
    milestone
        The next one.
    end
        The stretch is the places 0 to ``end - 1``.
    places
        int: its places whose query is not ready yet; ratings there bring the milestone nearer.
    """

    milestone: Milestone
    end: int
    places: Ints


def extended_order(order: Ints, queries: Ints, *, seed: int) -> Ints:
    """Return a plan's order with queries added since at its end, shuffled among themselves.

    Parameters
    ----------
    order
        int (n,): the keys of the queries so far; empty for a new plan.
    queries
        int: the keys of all active queries; those already in the order keep their place.
    seed
        Of the plan.
    """
    added = np.setdiff1d(queries, order)
    return np.concatenate([order, added[seeded_order(seed, added)]]).astype(np.int64)


def ready_queries(weight_judged: Floats, *, complete: bool = False) -> Flags:
    """Return which queries are ready: enough of every compared run's returned weight is judged.

    Parameters
    ----------
    weight_judged
        float64 (runs, queries): the judged share of the discounts of the returned items.
    complete
        Grades are declared complete: every query is ready.
    """
    if complete:
        return np.ones(weight_judged.shape[1], dtype=np.bool_)
    return np.asarray((weight_judged >= READY - 1e-12).all(axis=0), dtype=np.bool_)


def walk_of(ready: Flags, scored: Flags, covered: Flags) -> Walk:
    """Return the walk up to the first query that is not ready.

    Parameters
    ----------
    ready, scored, covered
        bool (queries,) in the plan's order; covered = by every compared run.
    """
    waiting = np.flatnonzero(~ready)
    passed = int(waiting[0]) if len(waiting) else len(ready)
    return Walk(passed, np.flatnonzero(scored[:passed] & covered[:passed]), len(ready))


def alpha_of(number: int, *, last: bool) -> float:
    """Return the share of 5% that the look with this number spends.

    Formula: ``.05 / (j (j + 1))``, for the last look ``.05 / J``: exactly .05 in all for every J.

    Parameters
    ----------
    number
        j, from 1: the place of the look among those taken.
    last
        No look comes after it.
    """
    return ALPHA / number if last else ALPHA / (number * (number + 1))


def due_look(walk: Walk, taken: Sequence[Look], last: Milestone = "all") -> Look | None:
    """Return the look that is due now, or ``None``.

    It is one look at the largest milestone reached, and those skipped spend nothing. Below 10 scored
    queries there is none: it could only say that it is too early.

    Parameters
    ----------
    walk
        As it stands.
    taken
        The looks of this plan so far, oldest first.
    last
        The last milestone, declared with the plan.

    Raises
    ------
    ValueError
        The last milestone is below 10.
    """
    if last != "all" and last < FIRST:
        raise ValueError(f"the last milestone is at least {FIRST} queries, not {last}")
    if walk.n < FIRST or any(look.last for look in taken):
        return None
    number = len(taken) + 1
    if (walk.stopped_at is None) if last == "all" else walk.n >= last:
        return Look(number, last, walk.n, alpha_of(number, last=True), last=True)
    reached = list(takewhile(lambda count: count <= walk.n, _counts(last)))
    if not reached or reached[-1] <= _largest(taken):
        return None
    return Look(number, reached[-1], walk.n, alpha_of(number, last=False), last=False)


def next_milestone(walk: Walk, taken: Sequence[Look], last: Milestone = "all") -> Milestone | None:
    """Return the milestone that the walk heads for; ``None`` after the last look.

    Parameters
    ----------
    walk, taken, last
        As for `due_look`.
    """
    if any(look.last for look in taken):
        return None
    done = max(_largest(taken), walk.n)
    ahead = next((count for count in _counts(last) if count > done), last)
    return "all" if ahead != "all" and last == "all" and ahead > walk.length else ahead


def open_block(
    walk: Walk, taken: Sequence[Look], *, ready: Flags, possible: Flags, last: Milestone = "all"
) -> OpenBlock | None:
    """Return the shortest stretch of the order that could reach the next milestone, or ``None``.

    Parameters
    ----------
    walk, taken, last
        As for `due_look`.
    ready
        bool (queries,) in the plan's order.
    possible
        bool (queries,): covered by all compared runs, and scored or still undecided. If all undecided
        ones become scored, these are what the milestone counts.
    """
    milestone = next_milestone(walk, taken, last)
    if milestone is None:
        return None
    end = walk.length
    if milestone != "all":
        end = min(end, int(np.searchsorted(np.cumsum(possible), milestone)) + 1)
    return OpenBlock(milestone, end, np.flatnonzero(~ready[:end]))


def _counts(last: Milestone) -> Iterator[int]:
    """Yield the milestones before the last one: 10, 20, 40, 80, and so on."""
    count = FIRST
    while last == "all" or count < last:
        yield count
        count *= 2


def _largest(taken: Sequence[Look]) -> int:
    """Return the largest milestone at which a look was taken, 0 without one."""
    return max((look.milestone for look in taken if look.milestone != "all"), default=0)
