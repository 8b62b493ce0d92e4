"""An export: its lines, and what has to be said about them before they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True)
class Export:
    """Lines that are made while they are read, so the session must stay open until the last one.

    Attributes
    ----------
    notes
        What the file does not hold, or holds in a way worth knowing, as sentences.
    """

    lines: Iterator[str]
    notes: tuple[str, ...]
