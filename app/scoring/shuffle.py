"""The order in which a batch is shown: keyed, replayable, and blind to ranker, rank and score."""

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Floats, Ints
from app.scoring.order_blocks import blocks_of, shuffled_sums, sums_of


@dataclass(frozen=True)
class SlotCheck:
    """The proof of the shuffle for one run: shown slots know nothing of its ranks.

    Attributes
    ----------
    correlation
        Of slot and rank within blocks; ``None`` without two ranks to compare.
    low, high
        The band that holds 95% of the correlations of shuffled blocks.
    ratings
        The shown items that the run returned.
    """

    correlation: float | None
    low: float | None
    high: float | None
    ratings: int


def shown_order(secret: bytes, annotator: str, query: str, batch: str, items: Sequence[str]) -> list[int]:
    """Return the places of ``items`` in the order shown to this annotator.

    Formula: ascending HMAC-SHA256(secret; annotator, query, batch, item). Each part is preceded by its
    length, so no two different requests sign the same bytes.

    Parameters
    ----------
    secret
        The project's.
    annotator, query, batch, items
        Public ids.
    """
    head = b"".join(_framed(part) for part in (annotator, query, batch))
    keys = [hmac.digest(secret, head + _framed(item), hashlib.sha256) for item in items]
    return sorted(range(len(items)), key=lambda place: (keys[place], items[place]))


def slot_check_of(slot: Ints, rank: Ints, block: Ints, *, seed: int, shuffles: int = 999) -> SlotCheck:
    """Return the correlation of shown slot and original rank, with the band that chance gives.

    Parameters
    ----------
    slot, rank, block
        integers (n,): of every shown item that the run returned; block = annotator x batch.
    seed
        Of the shuffles.
    shuffles
        How many shuffles the band rests on.
    """
    blocks = blocks_of(rank.astype(np.float64), slot, block)
    spread = sum(_centred_squares(group.values) for group in blocks.groups)
    scale = (spread * blocks.squares) ** 0.5
    if not scale:
        return SlotCheck(None, None, None, len(slot))
    drawn = shuffled_sums(blocks, seed=seed, shuffles=shuffles).line / scale
    low, high = np.quantile(drawn, [0.025, 0.975])
    return SlotCheck(float(sums_of(blocks).line[0]) / scale, float(low), float(high), len(slot))


def _centred_squares(values: Floats) -> float:
    """Return the sum of squares around the mean of each block."""
    return float(np.square(values - values.mean(axis=1, keepdims=True)).sum())


def _framed(part: str) -> bytes:
    """Return the part's bytes behind their length."""
    raw = part.encode()
    return len(raw).to_bytes(4, "big") + raw
