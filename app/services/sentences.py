"""Sentences that services say, with values that a page can say in another language.

Services speak English. A constant sentence is its own key in the catalogue; one with values is made by
`message`, so that the page still knows the sentence without them. Nothing here knows of languages.
"""

from __future__ import annotations

import math
from typing import Any

# What a rating takes before anybody has given one; every estimate that an owner reads uses it.
SECONDS_EACH = 20
# Values of sentences that are counts: not every number is one, a year for instance.
COUNTS = ("num", "n", "of")


class Message(str):
    """An English sentence that remembers its pattern and its values.

    Where a number decides between two patterns, `many` is that of several things; else it is empty.
    """

    __slots__ = ("many", "pattern", "values")

    pattern: str
    many: str
    values: dict[str, Any]


def message(pattern: str, **values: Any) -> Message:
    """Return a sentence; `%(name)s` in the pattern is replaced by a value. A constant one is marked by it."""
    said = {
        name: f"{value:,}" if name in COUNTS and isinstance(value, int) else value
        for name, value in values.items()
    }
    sentence = Message(pattern % said if values else pattern)
    sentence.pattern, sentence.many, sentence.values = pattern, "", values
    return sentence


def number_message(one: str, many: str, num: int, **values: Any) -> Message:
    """Return a sentence about `%(num)s` things, said otherwise of one than of several."""
    sentence = Message(message(one if num == 1 else many, num=num, **values))
    sentence.pattern, sentence.many, sentence.values = one, many, {"num": num, **values}
    return sentence


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital at its beginning; names and nouns in it keep theirs."""
    return sentence[:1].upper() + sentence[1:]


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun in the right number."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def time_to_rate(ratings: float) -> Message:
    """Return in words how long some ratings take one person, at 20 seconds each."""
    if not ratings:
        return message("no time")
    minutes = math.ceil(ratings * SECONDS_EACH / 60)
    if minutes == 1:
        return message("about 1 minute")
    if minutes < 90:
        return message("about %(num)s minutes", num=minutes)
    return message("about %(num)s hours", num=round(minutes / 60))
