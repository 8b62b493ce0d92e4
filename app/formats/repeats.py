"""Lines that say again what an earlier line said, and lines that contradict one."""

from __future__ import annotations

from array import array
from hashlib import blake2b
from operator import attrgetter

from app.formats.errors import BadValueError

_KEY_BYTES = 12
_CONTENT_BYTES = 8
_REST_BITS = 32
_REST = (1 << _REST_BITS) - 1
_FIRST_SLOTS = 1 << 10


class Repeats:
    """Remembers of each row which line gave it; `key` and `content` name the attributes to compare.

    Digests in arrays instead of the rows, or of a dictionary: a million of them must not fill the memory. A
    key has its digest in the first slot that was free from where the digest points; a slot without a line is
    free.
    """

    def __init__(self, key: tuple[str, ...], content: tuple[str, ...]) -> None:
        self._key = attrgetter(*key)
        self._content = attrgetter(*content)
        self._used = 0
        self._make(_FIRST_SLOTS)

    def is_new(self, row: object, line: int) -> bool:
        """Return whether no earlier line had this key.

        :raise BadValueError: An earlier line had it with other content; the reason names that line.
        """
        key = self._key(row)
        content = _digest(self._content(row), _CONTENT_BYTES)
        digest = _digest(key, _KEY_BYTES)
        slot = self._slot(digest >> _REST_BITS, digest & _REST)
        # Not by the line: one line of a JSON file has many rows.
        if not self._lines[slot]:
            self._fill(slot, digest >> _REST_BITS, digest & _REST, content, line + 1)
            self._used += 1
            if 4 * self._used > 3 * len(self._lines):
                self._grow()
            return True
        if self._contents[slot] == content:
            return False
        named = [str(part) for part in (key if isinstance(key, tuple) else (key,)) if part is not None]
        raise BadValueError(
            "contradiction",
            " ".join(named),
            "line %(line)s has the same id and other content",
            "Keep one of the two lines.",
            line=self._lines[slot] - 1,
        )

    def _make(self, slots: int) -> None:
        self._heads, self._contents = (array("Q", [0]) * slots for _ in range(2))
        self._rests, self._lines = (array("I", [0]) * slots for _ in range(2))

    def _slot(self, head: int, rest: int) -> int:
        """Return where a key is, or would be."""
        heads, rests, lines = self._heads, self._rests, self._lines
        last = len(lines) - 1
        slot = head & last
        while lines[slot] and (heads[slot] != head or rests[slot] != rest):
            slot = (slot + 1) & last
        return slot

    def _fill(self, slot: int, head: int, rest: int, content: int, line: int) -> None:
        self._heads[slot], self._rests[slot] = head, rest
        self._contents[slot], self._lines[slot] = content, line

    def _grow(self) -> None:
        before = zip(self._heads, self._rests, self._contents, self._lines, strict=True)
        self._make(2 * len(self._lines))
        for head, rest, content, line in before:
            if line:
                self._fill(self._slot(head, rest), head, rest, content, line)


def _digest(value: object, size: int) -> int:
    data = repr(value).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=size).digest(), "big")
