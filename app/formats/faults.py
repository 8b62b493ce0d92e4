"""Everything that is wrong with one line, so that its author corrects it once."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from app.formats.errors import BadValueError

Value = TypeVar("Value")


class BadLineError(Exception):
    """A line that cannot be right, with all its bad values."""

    def __init__(self, faults: list[BadValueError]) -> None:
        super().__init__(faults)
        self.faults = faults


class Faults:
    """Reads the values of one line, and remembers what is wrong with each."""

    def __init__(self) -> None:
        self.found: list[BadValueError] = []

    def taken(self, read: Callable[..., Value], *of: object, **how: object) -> Value | None:
        """Return what `read` makes of a value, None if the value is bad."""
        try:
            return read(*of, **how)
        except BadValueError as fault:
            self.found.append(fault)
            return None

    def add(self, code: str, value: object, reason: str, remedy: str) -> None:
        """Remember a fault that no single value has."""
        self.found.append(BadValueError(code, value, reason, remedy))

    def raise_if_any(self) -> None:
        """Raise `BadLineError` with everything found, if anything was."""
        if self.found:
            raise BadLineError(self.found)
