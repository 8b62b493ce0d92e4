"""Pieces of pages that follow from their values alone: written once for the same values, the newest kept.

After a rating most of an overview is what it was. Only macros that are imported without context may be
kept: what reads the language, the person or the project is another piece for each of them.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from markupsafe import Markup

MOST_KEPT = 1024


@lru_cache(maxsize=MOST_KEPT)
def piece(macro: Callable[..., Markup], *values: Hashable) -> Markup:
    """Return what a macro writes for some values, each of which can be hashed and never changes."""
    return macro(*values)
