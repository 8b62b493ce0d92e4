"""Long lists by pages: which rows a page holds. The one rule for lists of the services and of the web."""

from __future__ import annotations

from typing import NamedTuple


class Page(NamedTuple):
    """One page of a list: its number, how many pages there are, how many rows on all, and its own rows."""

    number: int
    pages: int
    total: int
    rows: slice


def page_of(total: int, number: int, each: int) -> Page:
    """Return a page of a list of `total` rows, `each` on a page; a number beyond the ends is the nearest."""
    pages = max(1, -(-total // each))
    number = min(max(number, 1), pages)
    return Page(number, pages, total, slice((number - 1) * each, number * each))
