"""An export: its lines, and what has to be said about them before they are written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

DEMO_NOTE = "Demo data: made for demonstration, its ratings are simulated."


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


def demo_cell(*, is_demo: bool) -> str:
    """Return what a table says of every row in its column `demo`."""
    return "yes" if is_demo else "no"
