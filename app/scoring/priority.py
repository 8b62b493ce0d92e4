"""Which answer to ask about first: what some ranker puts near the top, or plain random order."""

import numpy as np

from app.scoring.arrays import Ints
from app.scoring.seeds import hash_words, seeded_order

NOT_RETURNED = 1_000_000
"""The rank of what no run returns."""


def front_first(ranks: Ints, times: Ints, keys: Ints, seed: int) -> Ints:
    """Return the place of every item in the order of priority, from 0.

    The best rank comes first, of equals what more runs return, then a keyed hash.

    Parameters
    ----------
    ranks
        integers (items,): the best rank in a current run; `NOT_RETURNED` where there is none.
    times
        integers (items,): how many current runs return it within the pool's depth.
    keys
        integers (items,): lasting numbers of the items, all different.
    seed
        Of the project.
    """
    return _places(np.lexsort((keys, hash_words(seed, keys), -times, ranks)))


def random_first(keys: Ints, seed: int) -> Ints:
    """Return the place of every item in a random order that new items do not stir, from 0."""
    return _places(seeded_order(seed, keys))


def _places(order: Ints) -> Ints:
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.arange(len(order))
    return places
