"""Long work says on the error output how far it is."""

from __future__ import annotations

import sys
import time

import click

EVERY_SECONDS = 0.2
UNSEEN_EVERY_SECONDS = 10.0


class Progress:
    """A line that is written over on a terminal, and a line now and then elsewhere."""

    def __init__(self, what: str) -> None:
        self.what = what
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()
        self._open = False

    def __call__(self, done: int, total: int) -> None:
        """Say how much of the whole is done."""
        now = time.monotonic()
        if now - self._last < (EVERY_SECONDS if self._terminal else UNSEEN_EVERY_SECONDS):
            return
        self._last = now
        line = f"{self.what}: {done:,} of {total:,} rows"
        click.echo(f"\r{line}" if self._terminal else line, err=True, nl=not self._terminal)
        self._open = self._terminal

    def close(self) -> None:
        """End an open line."""
        if self._open:
            click.echo("", err=True)
            self._open = False
