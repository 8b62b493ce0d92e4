"""Which answers one annotator gets next: a batch of one query."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.seeds import seed_of, seeded_order

Kind = Literal["requested", "finish", "front", "waiting", "random"]

SIZE = 12
LONGEST_WAIT = 14.0
NO_REQUEST = np.iinfo(np.int64).max
UNTOUCHED, HELD, RATED = 0, 1, 2
"""Of an item: nobody has rated it or has it in hand; somebody has it in hand; it has a rating."""


@dataclass(frozen=True)
class BatchNumbers:
    """The next odd and the next even number of a project's batches.

    Attributes
    ----------
    given_back
        By how many more odd than even ones were given back with answers left: their turns come again.
    """

    odd: int = 1
    even: int = 2
    given_back: int = 0

    @property
    def next(self) -> int:
        """The smaller of both, without those that were given back: whose turn it is."""
        return self.odd if self._lead < 0 else self.even

    @property
    def is_level(self) -> bool:
        """Whether as many odd ones as even ones were given and kept."""
        return self._lead == -1

    @property
    def _lead(self) -> int:
        return self.odd - 2 * self.given_back - self.even

    def after(self, number: int) -> "BatchNumbers":
        """Return the numbers once one of them is given."""
        if number % 2:
            return replace(self, odd=number + 2)
        return replace(self, even=number + 2)


@dataclass(frozen=True)
class AssignmentState:
    """What is ready for one annotator when a batch is assigned.

    Attributes
    ----------
    query, key
        integers (items,): each item's query, and a lasting number of the item itself.
    place
        integers (items,): its place in the order of priority, 0 first.
    eligible
        bool (items,): pooled, ratings plus running leases below the wanted number, and neither rated
        nor declined by this annotator.
    touched
        integers (items,): `UNTOUCHED`, `HELD` or `RATED`.
    waited
        float64 (items,): days in the pool.
    requested
        integers (items,): the number of the first request for it; `NO_REQUEST` without one.
    drawn
        integers (queries,): the place of each query in the drawn order.
    unfinished
        bool (queries,): not closed for some current run.
    is_random
        Whether everything but requests comes in plain random order.
    """

    query: Ints
    key: Ints
    place: Ints
    eligible: Flags
    touched: Ints
    waited: Floats
    requested: Ints
    drawn: Ints
    unfinished: Flags
    is_random: bool = False


@dataclass(frozen=True)
class ProposedBatch:
    """A batch: its number, what it serves, its one query, and its items in no order that is shown."""

    number: int
    kind: Kind
    query: int
    items: Ints


def next_batch(
    state: AssignmentState, numbers: BatchNumbers, *, seed: int, begun: int | None = None, size: int = SIZE
) -> ProposedBatch | None:
    """Return the next batch, or ``None`` when nothing is left for this annotator.

    Requests come first. Of the others, odd numbers finish the first unfinished query in the drawn order,
    even ones take the query of the item of highest priority, every tenth that of the item that has waited
    longest, if that is over 14 days. The smaller free number is next, except that a query whose finishing
    the annotator has begun goes on with the next odd number: its parts follow one another, and even numbers
    make up for it. Where odd and even ones are level, whoever was finishing gets an even one, so that two
    who take turns get both. What a number asks for and is not there gives way to priority.

    While an item is untouched, others only fill up a batch.

    Parameters
    ----------
    state
        What is ready.
    numbers
        The project's next ones.
    seed
        Of the project; with the number it fixes every choice left to chance.
    begun
        The query that the annotator's last batch was finishing.
    size
        The most items.
    """
    if not state.eligible.any():
        return None
    kind, number, item = _chosen(state, numbers, begun)
    items = _filled(state, kind, item, seed_of(str(seed), number), size)
    return ProposedBatch(number, kind, int(state.query[item]), items)


def next_queries(state: AssignmentState, numbers: BatchNumbers, *, most: int) -> list[int]:
    """Return the queries of the next batches, each named once: what comes first while nobody is given any."""
    found: list[int] = []
    while len(found) < most and state.eligible.any():
        _, number, item = _chosen(state, numbers, None)
        found.append(int(state.query[item]))
        state = replace(state, eligible=state.eligible & (state.query != found[-1]))
        numbers = numbers.after(number)
    return found


def _chosen(state: AssignmentState, numbers: BatchNumbers, begun: int | None) -> tuple[Kind, int, int]:
    """Return what the batch serves, its number, and the item whose query it takes."""
    among = _least(np.flatnonzero(state.eligible), state.touched)
    is_untouched = state.touched[among[0]] == UNTOUCHED
    number = numbers.next
    if is_untouched and len(asked := among[state.requested.take(among) < NO_REQUEST]):
        return "requested", number, int(_of_first_query(state, _least(asked, state.requested))[0])
    best = state.place
    if state.is_random:
        return "random", number, int(_least(among, best)[0])
    query = state.query.take(among)
    if begun is not None and len(going_on := among[query == begun]):
        return "finish", numbers.odd, int(_least(going_on, best)[0])
    if begun is not None and numbers.is_level:
        number = numbers.even
    if number % 2 and len(finishing := among[state.unfinished.take(query)]):
        return "finish", number, int(_least(_of_first_query(state, finishing), best)[0])
    if is_untouched and number % 10 == 0 and len(late := among[state.waited.take(among) > LONGEST_WAIT]):
        return "waiting", number, int(_least(_least(late, -state.waited), best)[0])
    return "front", number, int(_least(among, best)[0])


def _least(items: Ints, values: Ints | Floats) -> Ints:
    """Return those of some items that have the least value; `values` are of all items."""
    here = values.take(items)
    return items.compress(here == here.min())


def _of_first_query(state: AssignmentState, items: Ints) -> Ints:
    """Return those of some items whose query comes first in the drawn order."""
    query = state.query.take(items)
    return items.compress(query == query[state.drawn.take(query).argmin()])


def _filled(state: AssignmentState, kind: Kind, item: int, seed: int, size: int) -> Ints:
    """Return the items of the batch: what it was chosen for, then untouched ones, then the others.

    Of a batch that finishes, all in random order, so that its place among the parts says nothing of ranks. Of
    one that was chosen by priority two thirds come by priority and the others at random.
    """
    mine: Ints = np.flatnonzero(state.eligible & (state.query == state.query[item]))
    mine = mine[seeded_order(seed, state.key[mine])]
    if kind == "front":
        mine = _best_to_front(state, mine, -(-2 * size // 3))
    first = state.requested[mine] if kind == "requested" else np.zeros(len(mine), dtype=np.int64)
    if kind == "waiting":
        first = (mine != item).astype(np.int64)
    return mine[np.lexsort((np.arange(len(mine)), first, state.touched[mine]))][:size]


def _best_to_front(state: AssignmentState, mine: Ints, count: int) -> Ints:
    best = mine[np.argsort(state.place[mine])][:count]
    return np.concatenate((best, mine[~np.isin(mine, best)]))
