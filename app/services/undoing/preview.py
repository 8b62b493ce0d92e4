"""What undoing an import would do, in words and numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class UndoPreview:
    """What undoing one import takes away and what it leaves.

    Attributes
    ----------
    revision
        The import.
    sentence
        What is lost and what stays, for the person who decides.
    count
        How many things go; 0 means that there is nothing to undo.
    """

    revision: int
    sentence: str
    count: int
