"""Lines that say again what an earlier line said, and lines that contradict one."""

from __future__ import annotations

from array import array
from hashlib import blake2b
from operator import attrgetter

from app.formats.errors import BadValueError
from app.formats.slots import Slots
from app.sentences import Message, message

_KEY_BYTES = 12
_CONTENT_BYTES = 8
_REST_BYTES = 4
_OTHER_CONTENT = message("%(line)s has the same id and other content")


class Repeats:
    """Remembers of each row which line gave it; `key` and `content` name the attributes to compare.

    `reason` says of a line what an earlier one, `%(line)s`, has against it.
    Digests in arrays instead of the rows, or of a dictionary: a million of them must not fill the memory.
    """

    def __init__(
        self, key: tuple[str, ...], content: tuple[str, ...], reason: Message = _OTHER_CONTENT
    ) -> None:
        self._key = attrgetter(*key)
        self._content = attrgetter(*content)
        self._reason = reason
        self._slots = Slots()
        self._rests, self._lines, self._contents = array("I"), array("I"), array("Q")

    def is_new(self, row: object, line: int) -> bool:
        """Return whether no earlier line had this key.

        :raise BadValueError: An earlier line had it with other content; the reason names that line.
        """
        key = self._key(row)
        content = int.from_bytes(_digest(self._content(row), _CONTENT_BYTES), "big")
        digest = _digest(key, _KEY_BYTES)
        head = int.from_bytes(digest[_REST_BYTES:], "big", signed=True)
        rest = int.from_bytes(digest[:_REST_BYTES], "big")
        same = next((each for each in self._slots.with_hash(head) if self._rests[each] == rest), None)
        if same is None:
            self._slots.add(head)
            self._rests.append(rest)
            self._lines.append(line)
            self._contents.append(content)
            return True
        if self._contents[same] == content:
            return False
        named = [str(part) for part in (key if isinstance(key, tuple) else (key,)) if part is not None]
        raise BadValueError(
            "contradiction",
            " ".join(named),
            self._reason,
            "Keep one of the two lines.",
            line=self._lines[same],
        )


def _digest(value: object, size: int) -> bytes:
    return blake2b(repr(value).encode("utf-8", "surrogatepass"), digest_size=size).digest()
