"""Chance that can be replayed: the same seed gives the same choice on every machine, in every year.

Only streams that NumPy promises to keep are used (the raw words of PCG64, and what its frozen
``RandomState`` makes of them), and hashes of its own kind where the chance of one item must not depend on
which other items there are.
"""

import hashlib
import json

import numpy as np
from numpy.typing import NDArray

from app.scoring.arrays import Floats, Ints

Words = NDArray[np.uint64]
_HALF = (1 << 64) - 1


def seed_of(*parts: str | int) -> int:
    """Return the 128-bit seed that belongs to these parts: a ruler's fingerprint, run ids, a count.

    Formula: the first 16 bytes of SHA-256 over the parts as JSON.
    """
    text = json.dumps(parts, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:16], "big")


def random_words(seed: int | np.random.PCG64, count: int) -> Words:
    """Return the first ``count`` random 64-bit words of a seed, or the next ones of a stream.

    Returns
    -------
    uint64 (count,)
    """
    stream = np.random.PCG64(seed) if isinstance(seed, int) else seed
    return np.asarray(stream.random_raw(count), dtype=np.uint64)


def shuffled_copies(seed: int | np.random.PCG64, values: Floats, copies: int) -> Floats:
    """Return copies of some values, each row of each shuffled on its own: (copies, *shape of the values).

    Formula: every place gets a random word with the place in its lowest bits, and the words are sorted. Two
    of n words are equal above these bits, and stay in order, less than once in 2^(62 - 3 log2 n) rows.

    Parameters
    ----------
    seed
        Of all copies; or a stream, of which later calls take what follows.
    values
        float64 (..., n): n is the length of a row.
    copies
        Their number.
    """
    length = values.shape[-1]
    bits = np.uint64(max(length - 1, 1).bit_length())
    words = random_words(seed, copies * values.size).reshape(copies, *values.shape)
    words >>= bits
    words <<= bits
    words |= np.arange(length, dtype=np.uint64)
    words.sort(axis=-1)
    words &= (np.uint64(1) << bits) - np.uint64(1)
    places = words.view(np.int64)
    if values.ndim == 1:
        return values.take(places)  # several times quicker
    return np.take_along_axis(np.broadcast_to(values, words.shape), places, axis=-1)


def multinomial_draws(seed: int, size: int, chances: Floats, draws: int) -> Ints:
    """Return how often each of several outcomes falls in ``size`` trials: int64 (draws, outcomes).

    ``RandomState`` is the part of NumPy whose streams are frozen.

    Parameters
    ----------
    seed
        As for :func:`random_words`.
    size, draws
        Trials of each draw, and the draws.
    chances
        float64 (outcomes,), adding up to 1.
    """
    return np.asarray(np.random.RandomState(np.random.PCG64(seed)).multinomial(size, chances, size=draws))


def hash_words(seed: int, keys: Ints) -> Words:
    """Return a random 64-bit word for every key: the same key and seed, the same word.

    Formula: two rounds of the finaliser of SplitMix64 (Steele, Lea & Flood 2014), one per half of the
    seed.

    Parameters
    ----------
    seed
        Of up to 128 bits.
    keys
        integers of any shape; equal keys get equal words.
    """
    low, high = np.uint64(seed & _HALF), np.uint64(seed >> 64 & _HALF)
    return _mixed(_mixed(np.asarray(keys).astype(np.uint64) ^ low) + high)


def unit_floats(words: Words) -> Floats:
    """Return words as float64 from 0 (included) to 1 (excluded), 53 bits each.

    Parameters
    ----------
    words
        uint64 of any shape.
    """
    return (words >> np.uint64(11)).astype(np.float64) * 2.0**-53


def seeded_order(seed: int, keys: Ints) -> NDArray[np.intp]:
    """Return the places of ``keys`` in a random order that adding or removing keys does not stir.

    Parameters
    ----------
    seed
        Of the order.
    keys
        integers (n,), all different.

    Returns
    -------
    int (n,): indices into ``keys``, first place first
    """
    return np.lexsort((keys, hash_words(seed, keys)))


def _mixed(words: Words) -> Words:
    """Return the words after one round of SplitMix64, wrapping at 64 bits."""
    words = words + np.uint64(0x9E3779B97F4A7C15)
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
