"""What a machine lacks is skipped loudly; where CI=true it is a failure."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest

SIGN = "NOT TESTED, "


def lack(what: str, remedy: str) -> NoReturn:
    """Skip the test that asked (or fail it where CI=true), naming what is missing and its remedy."""
    sentence = f"{SIGN}{what} is missing: {remedy}"
    if os.environ.get("CI") == "true":
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    counts: dict[str, int] = {}
    for report in terminalreporter.stats.get("skipped", []):
        reason = str(report.longrepr[2]) if isinstance(report.longrepr, tuple) else ""
        if SIGN in reason:
            sentence = reason[reason.index(SIGN) :]
            counts[sentence] = counts.get(sentence, 0) + 1
    for sentence, count in counts.items():
        terminalreporter.write_line(f"!!! {count} tests {sentence}", red=True, bold=True)
