"""Chance that comes out the same on every machine: numbers drawn from a hash of what they are for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

SEED = "kettle-lane"


def draw(*purpose: str | int) -> float:
    """Return a number in [0, 1), uniform over purposes and always the same for one purpose."""
    text = "|".join([SEED, *map(str, purpose)])
    digest = hashlib.sha256(text.encode()).digest()
    return int.from_bytes(digest[:6], "big") / 2**48


def spread_draws(pairs: Iterable[tuple[str, str]], *purpose: str) -> dict[tuple[str, str], float]:
    """Return a number in (0, 1) for each pair, spaced evenly, in an order drawn per pair.

    Independent draws for a dozen pairs may well leave out a habit that takes one in five; evenly spaced
    ones give each habit the share it is documented with.
    """
    order = sorted(pairs, key=lambda pair: draw(*purpose, *pair))
    return {pair: (place + 0.5) / len(order) for place, pair in enumerate(order)}
