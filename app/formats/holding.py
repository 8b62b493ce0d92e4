"""What a format cannot hold, said before anything is written."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from app.formats.errors import PROBLEMS_KEPT, BadValueError, FormatError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from app.formats.errors import Problem
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


def cannot_hold(format: Format, values: Iterable[str], name: str = "export") -> list[Problem]:
    """Return a problem for each of the first 100 ids or texts that would not come back from this format."""
    unfit, problems = _UNFIT[format], []
    for value in values:
        if unfit.search(value):
            problems.append(_error(format, value).at(name, None))
            if len(problems) == PROBLEMS_KEPT:
                break
    return problems


def held(format: Format, value: str) -> str:
    """Return the value, which this format can hold.

    Raises
    ------
    FormatError
        It would not come back when read again.
    """
    if _UNFIT[format].search(value):
        raise FormatError([_error(format, value).at("export", None)])
    return value


def _error(format: Format, value: str) -> BadValueError:
    return BadValueError("cannot-hold", value, _WHY[format], "Choose JSON Lines for this export.")
