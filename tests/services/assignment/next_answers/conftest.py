"""All of this is computed from the evidence, whose reading is tried on both databases: SQLite is enough."""

import pytest


@pytest.fixture
def database_kind():
    """Return the kind of database: the same for all of these tests."""
    return "sqlite"
