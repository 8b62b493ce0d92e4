"""Numbers with their nouns, for sentences that services say."""

from __future__ import annotations


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun in the right number."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"
