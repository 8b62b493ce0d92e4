"""What `make test` leaves to `make test-all`, so that it can be run at every change.

`make test` runs everything on SQLite but what takes a second or more (`@pytest.mark.thorough`); of the tests that need
Chromium or PostgreSQL it runs those marked `@pytest.mark.everyday`: what matters most in a browser, and what
differs on PostgreSQL (schema, sessions, locks, bulk writing, recording). All the others count as thorough.
Property tests run in both, in `make test-all` with more examples (see properties.py).
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

BROWSER = Path(__file__).parents[1] / "browser"


def turns(number: int) -> list[Any]:
    """Return the parameters 0 to `number` - 1: `make test` takes the first, `make test-all` the others.

    For tests that try every variant on every route: in each turn `share` gives every route some of the variants,
    and the routes together have all of them.
    """
    return [0, *(pytest.param(turn, marks=pytest.mark.thorough) for turn in range(1, number))]


def share(variants: Sequence[Any], place: int, turn: int, number: int) -> Sequence[Any]:
    """Return the variants that the route at a place tries in a turn, of `number` turns."""
    return variants[(place + turn) % number :: number]


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(BROWSER):
            item.add_marker(pytest.mark.browser)
        special = item.get_closest_marker("browser") or item.get_closest_marker("postgresql")
        if special and not item.get_closest_marker("everyday"):
            item.add_marker(pytest.mark.thorough)
