"""How deep JSON is nested, told before it is parsed.

A parser that goes down to the interpreter's own limit leaves no room for what the interpreter does meanwhile:
what the garbage collector ends there fails, whosever it is.
"""

from __future__ import annotations

import re

DEEPEST_PARSED = 200
# A text counts as one sign, whatever it holds.
_SIGNS = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[\]{}]', re.DOTALL)


def refuse_deep(text: str) -> None:
    """Refuse a value that a parser should not even try.

    :raise RecursionError: It is nested more than 200 deep.
    """
    if text.count("{") + text.count("[") <= DEEPEST_PARSED:
        return
    depth = 0
    for found in _SIGNS.finditer(text):
        sign = found[0]
        if sign in {"{", "["}:
            depth += 1
        elif sign in {"}", "]"}:
            depth -= 1
        if depth > DEEPEST_PARSED:
            raise RecursionError
