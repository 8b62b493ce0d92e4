"""What a format cannot hold, said before anything is written."""

from __future__ import annotations

import re

from app.formats.errors import BadValueError, FormatError
from app.formats.schema import Format

_NEVER = "\x00\ud800-\udfff"
_UNFIT: dict[Format, re.Pattern[str]] = {
    "trec": re.compile(f"[\\s\x00-\x1f\x7f-\x9f\ufeff{_NEVER}]|^$"),
    "tsv": re.compile(f"[\t\r\n{_NEVER}]"),
    "csv": re.compile(f"[{_NEVER}]"),
    "jsonl": re.compile(f"[{_NEVER}]"),
}
_WHY: dict[Format, str] = {
    "trec": "TREC files separate columns by spaces, so an id cannot be empty or contain a space",
    "tsv": "TSV separates cells by tabs and lines by line ends, so a cell cannot contain either",
    "csv": "a text with NUL or half a character cannot be read back",
    "jsonl": "a text with NUL or half a character cannot be read back",
}


def held(format: Format, value: str) -> str:
    """Return the value, which this format can hold.

    :raise FormatError: It would not come back when read again.
    """
    if _UNFIT[format].search(value):
        error = BadValueError("cannot-hold", value, _WHY[format], "Choose JSON Lines for this export.")
        raise FormatError([error.at("export", None)])
    return value
