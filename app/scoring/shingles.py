"""Near-duplicate texts: shingles, sketches that find pairs quickly, and the exact resemblance.

A text is the set of its runs of three words. Resemblance is the Jaccard index of two such sets (Broder 1997,
On the resemblance and containment of documents). Of each set the smallest hashes are kept, a sketch: pairs
that share one of the very smallest are looked at, and their resemblance is estimated from the sketches.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.seeds import hash_words

Words = NDArray[np.uint64]
WIDTH = 3
"""Words in a shingle."""
SKETCH = 64
"""Hashes in a sketch. At a resemblance of .9 the estimate has a standard error of .04."""
KEYS = 8
"""The chance that a pair of resemblance .9 shares none of this many smallest hashes is 1e-8."""
NEIGHBOURS = 8
"""The most texts that one is compared with: those that share a hash and come next by the hashes after it."""
NEAR, NEARLY = 0.9, 0.75
"""From where on texts are near-duplicates, and from where on an estimate is worth an exact look."""
AT_ONCE = 20_000
_EMPTY = np.iinfo(np.uint64).max


def shingles_of(words: Ints) -> Words:
    """Return the distinct shingles of a text as hashes, ascending: uint64.

    Parameters
    ----------
    words
        integers (words,): a number for each word; equal words have equal numbers. A text of fewer than
        three words is one shingle; a text without words has none.
    """
    if not len(words):
        return np.zeros(0, dtype=np.uint64)
    padded = words.astype(np.int64) + 1
    if len(padded) < WIDTH:
        padded = np.append(padded, np.zeros(WIDTH - len(padded), dtype=np.int64))
    mixed = np.zeros(len(padded) - WIDTH + 1, dtype=np.uint64)
    for place in range(WIDTH):
        mixed = hash_words(place + 1, mixed ^ padded[place : place + len(mixed)].astype(np.uint64))
    return np.unique(mixed)


def resemblance(first: Words, second: Words) -> float:
    """Return the Jaccard index of two sets of shingles, ascending without repetition; 0 for empty ones.

    Formula: ``|A and B| / |A or B|`` (Jaccard 1901).

    Parameters
    ----------
    first, second
        uint64 (shingles,), from `shingles_of`.
    """
    both = len(np.intersect1d(first, second, assume_unique=True))
    either = len(first) + len(second) - both
    return both / either if either else 0.0


@dataclass(frozen=True)
class Sketches:
    """The smallest hashes of many texts.

    Attributes
    ----------
    smallest
        uint64 (texts, `SKETCH`), each row ascending, filled up with the largest number.
    size
        integers (texts,): shingles of each text.
    """

    smallest: Words
    size: Ints


def smallest_of(shingles: Words) -> Words:
    """Return the part of a text's shingles that its sketch keeps.

    Parameters
    ----------
    shingles
        uint64 (shingles,), ascending.
    """
    return shingles[:SKETCH].copy()


def sketches_of(smallest: Sequence[Words], sizes: Sequence[int]) -> Sketches:
    """Return the sketches of texts, given as what is kept of their shingles and how many there are."""
    rows = np.full((len(smallest), SKETCH), _EMPTY, dtype=np.uint64)
    for row, kept in enumerate(smallest):
        rows[row, : len(kept)] = kept
    return Sketches(rows, np.array(sizes, dtype=np.int64))


def likely_pairs(sketches: Sketches) -> Iterator[Ints]:
    """Yield pairs of texts worth an exact look: integers (pairs, 2), the first below the second, each once.

    No pair of resemblance .9 or more is missed but by the chances named above, or in a crowd of more than
    `NEIGHBOURS` texts that share one smallest hash after the other; then its members are still tied to each
    other through their neighbours.
    """
    pairs = _sharing_pairs(sketches)
    for start in range(0, len(pairs), AT_ONCE):
        some = pairs[start : start + AT_ONCE]
        yield some[estimated(sketches, some) >= NEARLY]


def estimated(sketches: Sketches, pairs: Ints) -> Floats:
    """Return the estimated resemblance of some pairs: float64 (pairs,); exact where sketches hold all.

    Formula: of the smallest hashes of the union, as many as a sketch holds, the share that both have
    (Broder 1997).

    Parameters
    ----------
    sketches
        Of all texts.
    pairs
        integers (pairs, 2): places in them.
    """
    both = np.concatenate((sketches.smallest[pairs[:, 0]], sketches.smallest[pairs[:, 1]]), axis=1)
    both.sort(axis=1)
    real = both != _EMPTY
    again = np.zeros(both.shape, dtype=np.bool_)
    again[:, 1:] = (both[:, 1:] == both[:, :-1]) & real[:, 1:]
    new: Flags = real & ~again
    # The smallest of the union, as many as a sketch holds: of these, which are in both?
    counted = np.cumsum(new, axis=1) <= SKETCH
    union = np.minimum(new.sum(axis=1), SKETCH)
    shared = (again & counted).sum(axis=1)
    return np.asarray(np.divide(shared, union, out=np.zeros(len(pairs)), where=union > 0))


def _sharing_pairs(sketches: Sketches) -> Ints:
    """Return pairs that share one of their smallest hashes and are of a like size: integers (pairs, 2)."""
    texts = max(len(sketches.size), 1)
    row, column = np.nonzero(sketches.smallest[:, :KEYS] != _EMPTY)
    key, after, later = (sketches.smallest[row, column + step] for step in range(3))
    # Texts that share a hash stand together, and those that share the next ones too side by side.
    order = np.lexsort((row, later, after, key))
    key, row = key[order], row[order]
    size = sketches.size[row]
    found = np.zeros(0, dtype=np.int64)
    for step in range(1, min(NEIGHBOURS, len(key) - 1) + 1):
        small, large = np.minimum(size[:-step], size[step:]), np.maximum(size[:-step], size[step:])
        like = (key[step:] == key[:-step]) & (small >= NEARLY * large)
        first, second = row[:-step][like], row[step:][like]
        pair = np.minimum(first, second) * np.int64(texts) + np.maximum(first, second)
        found = np.union1d(found, pair)
    return np.stack((found // texts, found % texts), axis=1)
