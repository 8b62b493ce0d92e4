"""Which answers one annotator gets next: a batch of one query, some slots left to chance."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.priority import priority_order
from app.scoring.seeds import hash_words, seed_of, seeded_order

Kind = Literal["milestone", "race", "drawn", "waiting"]
Arm = Literal["uniform", "waiting", "opened", "priority"]

SIZE = 12
LONGEST_WAIT = 14.0


@dataclass(frozen=True)
class Desk:
    """What lies ready for one annotator when a batch is dealt.

    Attributes
    ----------
    query, key
        integers (items,): each item's query, and a lasting number of the item itself.
    priority
        float64 (items,): by the open-race rule, or in depth order.
    dealable
        bool (items,): pooled, ratings plus running leases below the wanted number, and neither rated
        nor declined by this annotator.
    unjudged
        bool (items,): without a valid grade.
    opened
        bool (items,): dealt or rated before; goes on until it has its wanted ratings.
    waited
        float64 (items,): days in the pool.
    block
        bool (items,): in the open milestone block; all ``False`` without one.
    """

    query: Ints
    key: Ints
    priority: Floats
    dealable: Flags
    unjudged: Flags
    opened: Flags
    waited: Floats
    block: Flags


@dataclass(frozen=True)
class Batch:
    """A batch as dealt, and what is logged of it.

    Attributes
    ----------
    kind
        What the batch serves.
    query
        Its one query.
    items
        integers: its items, in no order that is shown to anybody.
    arms
        Why each item is in it.
    drawable
        integers: all items that the draw could give (their number is M_t), empty unless ``drawn``.
    share
        The chance with which its query was drawn; ``None`` unless ``drawn``.
    """

    kind: Kind
    query: int
    items: Ints
    arms: tuple[Arm, ...]
    drawable: Ints
    share: float | None


def deal_batch(desk: Desk, number: int, *, seed: int, size: int = SIZE) -> Batch | None:
    """Return the batch with this number, or ``None`` when nothing is left for this annotator.

    Batches are numbered per project. Modulo 10, odd numbers serve the open milestone block, 2 and 6
    all queries, 4 and 8 draw the query with probability proportional to its dealable unjudged items,
    0 takes the query of the item that has waited longest, if that is over 14 days. What a number
    asks for and is not there gives way to all queries.

    Parameters
    ----------
    desk
        What lies ready.
    number
        Of the batch.
    seed
        Of the project; with the number it fixes every choice left to chance.
    size
        The most items.
    """
    if not desk.dealable.any():
        return None
    kind, first = _opening(desk, number, seed)
    query = int(desk.query[first])
    items, arms = _filled(
        desk, query, first if kind == "waiting" else None, _seed(seed, number, "slots"), size
    )
    drawable = np.flatnonzero(desk.dealable & desk.unjudged) if kind == "drawn" else np.zeros(0, np.int64)
    share = float(np.mean(desk.query[drawable] == query)) if kind == "drawn" else None
    return Batch(kind, query, np.array(items, dtype=np.int64), tuple(arms), drawable, share)


def _seed(seed: int, number: int, purpose: str) -> int:
    """Return the seed of one choice of one batch."""
    return seed_of(str(seed), number, purpose)


def _opening(desk: Desk, number: int, seed: int) -> tuple[Kind, int]:
    """Return what the batch serves, and the item whose query it takes."""
    turn, unjudged = number % 10, desk.dealable & desk.unjudged
    if turn % 2 and (desk.dealable & desk.block).any():
        return "milestone", _first(desk, desk.dealable & desk.block, desk.priority, seed)
    if turn in {4, 8} and unjudged.any():
        draw = np.flatnonzero(unjudged)
        # The first of all items in a random order: its query has the chance that is asked for.
        return "drawn", int(draw[_first_by_chance(_seed(seed, number, "query"), desk.key[draw])])
    if turn == 0 and (unjudged & (desk.waited > LONGEST_WAIT)).any():
        return "waiting", _first(desk, unjudged, desk.waited, seed)
    return "race", _first(desk, desk.dealable, desk.priority, seed)


def _first(desk: Desk, among: Flags, value: Floats, seed: int) -> int:
    """Return the item with the largest value: the first of `priority_order`, without ordering the others."""
    places = np.flatnonzero(among)
    rounded = np.round(value[places], 12)
    best = places[rounded == rounded.max()]
    return int(best[_first_by_chance(seed, desk.key[best])])


def _first_by_chance(seed: int, keys: Ints) -> int:
    """Return the first place of `seeded_order`, without ordering the others."""
    words = hash_words(seed, keys)
    ties = np.flatnonzero(words == words.min())
    return int(ties[keys[ties].argmin()])


def _filled(desk: Desk, query: int, waiting: int | None, seed: int, size: int) -> tuple[list[int], list[Arm]]:
    """Return the items of the batch with their arms: first by chance, then what must go on, then the rest."""
    mine = np.flatnonzero(desk.dealable & (desk.query == query))
    wanted = min(size, len(mine))
    fresh = mine[desk.unjudged[mine]]
    by_chance = fresh[seeded_order(seed, desk.key[fresh])][: max(1, round(wanted / 5))]
    ranked = mine[priority_order(desk.priority[mine], desk.key[mine], seed)]
    queue: list[tuple[int, Arm]] = [(int(item), "uniform") for item in by_chance]
    queue += [] if waiting is None else [(waiting, "waiting")]
    queue += [(int(item), "opened") for item in ranked[desk.opened[ranked]]]
    queue += [(int(item), "priority") for item in ranked]
    taken: dict[int, Arm] = {}
    for item, arm in queue:
        taken.setdefault(item, arm)
    return list(taken)[:wanted], list(taken.values())[:wanted]
