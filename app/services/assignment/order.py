"""The annotator's own order of a batch: keyed, stable on reload, and blind to rank, score and ranker."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.scoring.arrays import Flags, Ints

# The finisher of SplitMix64.
SPREAD = 0x9E3779B97F4A7C15
MIXING = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))
WORD = 2**64 - 1


def shuffled(
    secret: bytes, public_ids: Iterable[str], *, annotator: int, query: int, batch: int
) -> list[str]:
    """Return the public ids of a batch in the order in which this annotator sees them.

    Sorted by HMAC-SHA256(secret; annotator | query | batch | candidate), so the order depends on
    nothing that a ranker decides, and can be formed again from the ledger at any time.
    """
    prefix = f"{annotator}|{query}|{batch}|"
    return sorted(public_ids, key=lambda public_id: _keyed(secret, prefix + public_id))


def drawn_twice(secret: bytes, candidate_ids: Ints, share: float) -> Flags:
    """Return which candidates belong to the keyed share that is rated twice: bool (candidates,).

    Each number is mixed with a key of the secret (the finisher of SplitMix64) and compared with the
    share, so the choice is the same at any time and says nothing about the answer.
    """
    key = np.uint64(int.from_bytes(_keyed(secret, "twice")[:8], "big"))
    mixed = candidate_ids.astype(np.uint64) * np.uint64(SPREAD) + key
    for shift, factor in MIXING:
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    chosen: Flags = (mixed >> np.uint64(11)).astype(np.float64) < share * 2.0**53
    return chosen


def is_rated_twice(secret: bytes, candidate_id: int, share: float) -> bool:
    """Tell whether a candidate belongs to the keyed share that is rated twice."""
    if share <= 0:
        return False
    # The same in plain numbers: an array of one costs more than the whole sum.
    mixed = candidate_id * SPREAD + int.from_bytes(_keyed(secret, "twice")[:8], "big") & WORD
    for shift, factor in MIXING:
        mixed = (mixed ^ mixed >> shift) * factor & WORD
    return (mixed ^ mixed >> 31) >> 11 < share * 2.0**53


def _keyed(secret: bytes, message: str) -> bytes:
    return hmac.digest(secret, message.encode(), hashlib.sha256)
