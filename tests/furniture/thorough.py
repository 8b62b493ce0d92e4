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


def share(variants: Sequence[Any], place: int, number: int) -> Sequence[Any]:
    """Return one of `number` shares of the variants: what the route at a place tries.

    Guards stand before all routes. So each route tries some variants, and the routes together try all of them.
    """
    return variants[place % number :: number]


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(BROWSER):
            item.add_marker(pytest.mark.browser)
        special = item.get_closest_marker("browser") or item.get_closest_marker("postgresql")
        if special and not item.get_closest_marker("everyday"):
            item.add_marker(pytest.mark.thorough)
