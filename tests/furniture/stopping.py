"""A test run that is told to stop still puts away what it started: browsers, servers, databases."""

from __future__ import annotations

import signal
from typing import NoReturn

import pytest


def stop(number: int, _frame: object) -> NoReturn:
    """End the session as Ctrl+C would: fixtures are torn down first."""
    # A second signal ends it at once.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    pytest.exit("told to stop", returncode=128 + number)


def pytest_configure() -> None:
    signal.signal(signal.SIGTERM, stop)
