"""What `make test` leaves to `make test-thorough`, so that it can be run at every change.

A test says so itself, by `@pytest.mark.thorough`: trials that take long, and the same page once more in another
theme or on another screen. What only reads runs on PostgreSQL in the thorough run; what writes always does.
"""

from pathlib import Path

import pytest

SERVICES = Path(__file__).parents[1] / "services"
# Packages of services that write nothing.
READERS = ("annotators", "comparison", "health", "history", "inbox", "next_answers", "overview")


@pytest.hookimpl(tryfirst=True)  # before `-m` chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    missing = [name for name in READERS if not (SERVICES / name).is_dir()]
    assert not missing, f"no such packages of services: {', '.join(missing)}"
    for item in items:
        if item.get_closest_marker("postgresql") and any(
            item.path.is_relative_to(SERVICES / name) for name in READERS
        ):
            item.add_marker(pytest.mark.thorough)
