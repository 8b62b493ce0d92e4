"""Ids in little memory: millions of texts and a dictionary of them would need several times as much."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import overload

from app.formats.slots import Slots


class Ids(Sequence[str]):
    """Every id once, in order of appearance; its place is its number."""

    def __init__(self) -> None:
        self._letters, self._ends, self._slots = bytearray(), array("q", [0]), Slots()

    def __len__(self) -> int:
        return len(self._slots)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Ids) and (self._letters, self._ends) == (other._letters, other._ends)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Ids({list(self)})"

    def __contains__(self, text: object) -> bool:
        return isinstance(text, str) and self.find(text) is not None

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> list[str]: ...
    def __getitem__(self, at: int | slice) -> str | list[str]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        return self.encoded(range(len(self))[at]).decode("utf-8", "surrogatepass")

    def encoded(self, number: int) -> bytes:
        """Return an id as UTF-8."""
        return bytes(self._letters[self._ends[number] : self._ends[number + 1]])

    def find(self, text: str) -> int | None:
        """Return the number of an id, None where it is not among these."""
        return self._find(text.encode("utf-8", "surrogatepass"))

    def add(self, text: str) -> int:
        """Return the number of an id, which is added if it is new."""
        return self.add_encoded(text.encode("utf-8", "surrogatepass"))

    def add_encoded(self, letters: bytes) -> int:
        """Return the number of an id in UTF-8, as `add` does."""
        number = self._find(letters)
        if number is not None:
            return number
        self._letters += letters
        self._ends.append(len(self._letters))
        return self._slots.add(hash(letters))

    def _find(self, letters: bytes) -> int | None:
        for number in self._slots.with_hash(hash(letters)):
            if self._letters[self._ends[number] : self._ends[number + 1]] == letters:
                return number
        return None
