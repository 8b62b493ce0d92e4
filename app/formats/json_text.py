"""A whole file that is one JSON value, gone through place by place, so that problems have lines."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from app.formats.errors import BadValueError
from app.formats.jsonl import DECODER, check_value
from app.formats.source import Source

_BLANKS = re.compile(r"[ \t\r\n]*")


class JsonText:
    """The text of a file and a place in it. Whoever iterates over members or items must read each value."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._text = source.text()
        self._at = self._counted = 0
        source.line = 1

    @property
    def line(self) -> int:
        """Return the line of the present place."""
        self._source.line += self._text.count("\n", self._counted, self._at)
        self._counted = self._at
        return self._source.line

    def begins(self) -> str:
        """Return the sign with which the next value begins, empty at the end of the file."""
        self._at = self._next(self._at)
        return self._text[self._at : self._at + 1]

    def value(self) -> Any:
        """Read the next value whole."""
        start = self._next(self._at)
        try:
            value, self._at = DECODER.raw_decode(self._text, start)
        except RecursionError:
            raise BadValueError("json-depth", "", "the file is too deep", "Use fewer levels.") from None
        except ValueError as error:
            self._at = getattr(error, "pos", start)
            raise self._broken() from None
        check_value(value, self._text[start : start + 200])
        return value

    def members(self) -> Iterator[str]:
        """Yield the name of each member of an object, before its value is read."""
        seen: set[str] = set()
        for _ in self._parts("{", "}"):
            name = self.value()
            if not isinstance(name, str) or self.begins() != ":":
                raise self._broken()
            self._at += 1
            if name in seen:
                raise BadValueError("json-key", name, "an object has this key twice", "Keep one of them.")
            seen.add(name)
            yield name

    def items(self) -> Iterator[None]:
        """Yield before each item of an array."""
        return self._parts("[", "]")

    def end(self) -> None:
        """Refuse anything behind the value."""
        if self.begins():
            raise self._broken()

    def _parts(self, opens: str, closes: str) -> Iterator[None]:
        if self.begins() != opens:
            raise self._broken()
        self._at += 1
        if self.begins() == closes:
            self._at += 1
            return
        while True:
            yield
            sign = self.begins()
            self._at += 1
            if sign == closes:
                return
            if sign != ",":
                self._at -= 1
                raise self._broken()

    def _next(self, at: int) -> int:
        match = _BLANKS.match(self._text, at)
        return match.end() if match else at

    def _broken(self) -> BadValueError:
        near = self._text[max(self._at - 20, 0) : self._at + 20].strip()
        return BadValueError(
            "json",
            near,
            "the file is not the JSON that it begins as (near character %(n)s)",
            "Write the file again with the program that made it.",
            n=self._at + 1,
        )
