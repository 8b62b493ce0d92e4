"""What the standard output cannot write: its encoding is the terminal's choice, ids have any letters."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO


def escape_unknown_letters() -> None:
    """Let text go out with escapes for the letters that the encoding of the output lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper) and sys.stdout.errors == "strict":
        sys.stdout.reconfigure(errors="backslashreplace")


@contextmanager
def output_in_utf8() -> Iterator[TextIO]:
    """Give the standard output for what programs read: UTF-8 with its line ends, as files have it."""
    if not hasattr(sys.stdout, "buffer"):
        yield sys.stdout
        return
    sys.stdout.flush()
    # It must be let go again: closing it would close the output.
    file = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="", write_through=True)
    try:
        yield file
    finally:
        file.detach()
