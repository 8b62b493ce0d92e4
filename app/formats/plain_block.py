"""Lines that hold nothing odd, as numbers: one pass over their bytes, no text is made.

A block is plain if every line has the same number of cells, parted by one blank or tab each, in ASCII
without control characters. Whatever is not plain is left to the readers that go line by line.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.formats.encoding import LINE_LIMIT
from app.formats.words import WORD, Words, kept_bytes

if TYPE_CHECKING:
    from app.formats.words import Ints

LONGEST_ID = 32
# Around each block, so that no window reaches outside; no separator, so that none is found there.
_MARGIN = b"x" * LONGEST_ID
_NEWLINE, _BLANK, _TAB, _DELETE = 10, 32, 9, b"\x7f"


class PlainBlock:
    """The cells of some lines: where each begins and ends, and readers of whole columns.

    Attributes
    ----------
    lines
        The number of lines.
    letters
        uint8: the bytes of the block and its margins.
    """

    def __init__(self, data: bytes, ends: Ints) -> None:
        self.lines = ends.shape[1]
        self.letters = np.frombuffer(data, np.uint8)
        self._data, self._ends = data, ends
        # A view of eight raw bytes at every place: gathering from it copies nothing else.
        self._windows = np.ndarray((len(data) - WORD + 1,), f"V{WORD}", data, strides=(1,))

    def cells(self, column: int) -> tuple[Ints, Ints]:
        """Return where each cell of a column begins and ends: two int64 (lines,)."""
        if column:
            return self._ends[column - 1] + 1, self._ends[column]
        start = np.empty_like(self._ends[0])
        start[0] = LONGEST_ID
        np.add(self._ends[-1, :-1], 1, out=start[1:])
        return start, self._ends[0]

    def ids(self, column: int) -> Words | None:
        """Return the ids of a column; None if one is longer than 32 bytes."""
        start, end = self.cells(column)
        length = end - start
        longest = int(length.max())
        if longest > LONGEST_ID:
            return None
        return Words(self._rows(start, length, -(-longest // WORD)))

    def texts(self, column: int, lines: Ints) -> list[str]:
        """Return some cells of a column."""
        start, end = (places[lines].tolist() for places in self.cells(column))
        return [self._data[a:b].decode() for a, b in zip(start, end, strict=True)]

    def only_text(self, column: int) -> str | None:
        """Return the text that every cell of a column holds; None if they differ or it is long."""
        ids = self.ids(column)
        if ids is None or np.any(ids.rows[1:] != ids.rows[0]):
            return None
        return self.texts(column, np.array([0]))[0]

    def words_from(self, start: Ints) -> Ints:
        """Return the eight bytes from each place on as one little-endian word: uint64."""
        return self._windows[start].view("<u8").astype(np.uint64, copy=False)

    def _rows(self, start: Ints, length: Ints, words: int) -> Ints:
        """Return the bytes of cells as words, 0 beyond their end: uint64 (cells, words)."""
        if words == 1:
            return (self.words_from(start) & kept_bytes(length))[:, None]
        rows = np.empty((len(start), words), dtype=np.uint64)
        for word in range(words):
            rows[:, word] = self.words_from(start + WORD * word) & kept_bytes(length - WORD * word)
        return rows


def plain_block(block: bytes, columns: int) -> PlainBlock | None:
    """Return the cells of a block of whole lines, or None if there is any doubt."""
    if b"\r" in block:
        if block.count(b"\r") != block.count(b"\r\n"):
            return None
        block = block.replace(b"\r\n", b"\n")
    if not block.isascii() or _DELETE in block:
        return None
    last = b"" if block.endswith(b"\n") else b"\n"
    data = b"".join((_MARGIN, block, last, _MARGIN))
    letters = np.frombuffer(data, np.uint8)
    separator = letters <= _BLANK
    ends = np.flatnonzero(separator)
    # Two side by side would be an empty cell, and so would one at the very beginning.
    if len(ends) % columns or ends[0] == LONGEST_ID or np.any(separator[1:] & separator[:-1]):
        return None
    table = np.ascontiguousarray(ends.reshape(-1, columns).T)
    return PlainBlock(data, table) if _parts_lines(letters, table) else None


def _parts_lines(letters: np.ndarray[tuple[int], np.dtype[np.uint8]], ends: Ints) -> bool:
    """Tell whether the last cell of every line, and no other, ends at a line end, the others at blanks."""
    columns, lines = ends.shape
    blanks = np.count_nonzero(letters == _BLANK)
    if blanks < (columns - 1) * lines:
        blanks += np.count_nonzero(letters == _TAB)
    # All separators are counted, so none of them is another character or stands at another place.
    if blanks != (columns - 1) * lines or np.any(letters[ends[-1]] != _NEWLINE):
        return False
    return int(np.diff(ends[-1], prepend=LONGEST_ID - 1).max(initial=0)) <= LINE_LIMIT
