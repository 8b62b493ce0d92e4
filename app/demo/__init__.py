"""The demo project: a fictional workshop's help centre, rankers really run on it, and simulated annotators.

Everything here is written for this product. `plan.build_plan` works out eight weeks of it as plain
data; `writing` puts them into a database through the services, `loading` opens the transactions.
"""

from __future__ import annotations

from app.database import Database

__all__ = ["load_demo", "remove_demo", "reset_demo"]


def load_demo(database: Database) -> None:
    """Load the demo project; `loading.load_demo` says what is refused."""
    from app.demo.loading import load_demo as load

    load(database)


def remove_demo(database: Database) -> None:
    """Purge the demo project; `loading.remove_demo` says what is refused."""
    from app.demo.loading import remove_demo as remove

    remove(database)


def reset_demo(database: Database) -> None:
    """Purge the demo project if there is one, and load it."""
    from app.demo.loading import reset_demo as reset

    reset(database)
