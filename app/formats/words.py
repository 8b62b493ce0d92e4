"""Ids as rows of whole numbers, eight bytes each: equal ids are equal rows, whatever their number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Ints = NDArray[np.integer[Any]]

WORD = 8
HASH_BITS = 40
_KEPT = np.array([(1 << 8 * kept) - 1 for kept in range(WORD + 1)], dtype=np.uint64)
_SPREAD = 0x9E3779B97F4A7C15
_MIX = 0xBF58476D1CE4E5B9


@dataclass(frozen=True, eq=False, repr=False)
class Words:
    """A column of ids.

    Attributes
    ----------
    rows
        uint64 (ids, words): the bytes of each id, eight to a little-endian word, filled up with 0.
    """

    rows: Ints

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, line: int) -> str:
        return self.texts([line])[0]

    def texts(self, lines: Iterable[int] | Ints) -> list[str]:
        """Return the ids of some lines."""
        rows = self.rows[np.asarray(lines, dtype=np.intp)].astype("<u8")
        return [row.tobytes().rstrip(b"\0").decode() for row in rows]

    def take(self, lines: Ints) -> Words:
        """Return the ids of some lines, as words."""
        return Words(self.rows[lines])

    def hashes(self) -> Ints:
        """Return 40 bits that spread well, the same for equal ids: uint64 (ids,)."""
        mixed: Ints = np.zeros(len(self.rows), dtype=np.uint64)
        # A word of zeros must change nothing: an id is as wide as the longest one beside it.
        for word in range(self.rows.shape[1] - 1, -1, -1):
            mixed = (mixed ^ (mixed >> 29)) * _MIX
            mixed += self.rows[:, word] * _SPREAD
        mixed = (mixed ^ (mixed >> 32)) * _MIX
        return np.asarray(mixed >> (64 - HASH_BITS))

    def same_as(self, others: Words) -> NDArray[np.bool_]:
        """Return where two columns hold the same id: bool (ids,)."""
        width = max(self.rows.shape[1], others.rows.shape[1])
        mine, theirs = self._widened(width), others._widened(width)
        same = mine[:, 0] == theirs[:, 0]
        for word in range(1, width):
            same &= mine[:, word] == theirs[:, word]
        return np.asarray(same)

    def _widened(self, width: int) -> Ints:
        missing = width - self.rows.shape[1]
        return np.pad(self.rows, ((0, 0), (0, missing))) if missing else self.rows


def words_of(ids: Sequence[str]) -> Words:
    """Return ids as words."""
    encoded = [one.encode() for one in ids]
    width = max(1, -(-max(map(len, encoded), default=0) // WORD))
    data = b"".join(one.ljust(WORD * width, b"\0") for one in encoded)
    return Words(np.frombuffer(data, "<u8").reshape(len(encoded), width).astype(np.uint64))


def joined(columns: Sequence[Words]) -> Words:
    """Return several columns as one, as wide as the widest."""
    width = max((column.rows.shape[1] for column in columns), default=1)
    rows = np.zeros((sum(map(len, columns)), width), dtype=np.uint64)
    start = 0
    for column in columns:
        rows[start : start + len(column), : column.rows.shape[1]] = column.rows
        start += len(column)
    return Words(rows)


def kept_bytes(length: Ints) -> Ints:
    """Return the mask of the first ``length`` bytes of a word: none below 0, all from 8 on."""
    return _KEPT.take(length, mode="clip")
