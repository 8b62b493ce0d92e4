"""Lines that say again what an earlier line said, and lines that contradict one."""

from __future__ import annotations

from hashlib import blake2b
from operator import attrgetter

from app.formats.errors import BadValueError

_KEY_BYTES = 16
_CONTENT_BYTES = 8


class Repeats:
    """Remembers of each row which line gave it; `key` and `content` name the attributes to compare.

    Digests as numbers instead of the rows: a million of them must not fill the memory.
    """

    def __init__(self, key: tuple[str, ...], content: tuple[str, ...]) -> None:
        self._key = attrgetter(*key)
        self._content = attrgetter(*content)
        self._seen: dict[int, int] = {}

    def is_new(self, row: object, line: int) -> bool:
        """Return whether no earlier line had this key.

        :raise BadValueError: An earlier line had it with other content; the reason names that line.
        """
        key = self._key(row)
        content = _digest(self._content(row), _CONTENT_BYTES)
        digest, known = _digest(key, _KEY_BYTES), len(self._seen)
        seen = self._seen.setdefault(digest, content | line << 8 * _CONTENT_BYTES)
        # Not by the line: one line of a JSON file has many rows.
        if len(self._seen) > known:
            return True
        first = seen >> 8 * _CONTENT_BYTES
        if seen & ((1 << 8 * _CONTENT_BYTES) - 1) == content:
            return False
        named = [str(part) for part in (key if isinstance(key, tuple) else (key,)) if part is not None]
        raise BadValueError(
            "contradiction",
            " ".join(named),
            "line %(line)s has the same id and other content",
            "Keep one of the two lines.",
            line=first,
        )


def _digest(value: object, size: int) -> int:
    data = repr(value).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=size).digest(), "big")
