"""Sentences that readers of files and services say, with values that a page can say in another language.

They speak English. A constant sentence is its own key in the catalogue; one with values is made by
`message`, so that the page still knows the sentence without them. Nothing here knows of languages.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

# What a rating takes before anybody has given one; every estimate that an owner reads uses it.
SECONDS_EACH = 20
# Values of sentences that are counts: not every number is one, a year for instance.
COUNTS = ("num", "n", "of")
COLUMNS_NAMED = 20
_TOGETHER = "%(before)s %(after)s"


class Message(str):
    """An English sentence that remembers its pattern and its values.

    Where a number decides between two patterns, `many` is that of several things; else it is empty.
    """

    __slots__ = ("many", "pattern", "values")

    pattern: str
    many: str
    values: dict[str, Any]


def message(pattern: str, **values: Any) -> Message:
    """Return a sentence; `%(name)s` in the pattern is replaced by a value. A constant one is marked by it.

    A value may be a message itself, or a list: of its items each is said by itself, separated by commas.
    One whose name begins with a capital is said with one. A finished message is returned as it is.
    """
    if isinstance(pattern, Message) and (pattern.values or "%(" not in pattern):
        return pattern
    said = {name: _english(name, value) for name, value in values.items()}
    sentence = Message(pattern % said if values else pattern)
    sentence.pattern, sentence.many, sentence.values = pattern, "", values
    return sentence


def _english(name: str, value: object) -> object:
    if isinstance(value, list):
        return ", ".join(value)
    if name in COUNTS and isinstance(value, int):
        return f"{value:,}"
    return capitalised(str(value)) if name[0].isupper() else value


def number_message(one: str, many: str, num: int, **values: Any) -> Message:
    """Return a sentence about `%(num)s` things, said otherwise of one than of several."""
    sentence = Message(message(one if num == 1 else many, num=num, **values))
    sentence.pattern, sentence.many, sentence.values = one, many, {"num": num, **values}
    return sentence


def either(choices: Sequence[str]) -> str:
    """Return choices as they are written in a sentence: "a, b or c"."""
    *first, last = choices
    return message("%(first)s or %(last)s", first=first, last=last) if first else last


def together(*sentences: str) -> Message:
    """Return several sentences as one; empty ones are left out."""
    first, *others = filter(None, sentences)
    said = message(first)
    for sentence in others:
        said = message(_TOGETHER, before=said, after=sentence)
    return said


def packed(value: Any) -> Any:
    """Return a value for JSON with every message in it as its pattern and its values."""
    if isinstance(value, Message):
        return {"pattern": value.pattern, "many": value.many, "values": packed(value.values)}
    if isinstance(value, dict):
        return {name: packed(each) for name, each in value.items()}
    return [packed(each) for each in value] if isinstance(value, (list, tuple)) else value


def unpacked(value: Any) -> Any:
    """Return what `packed` was given."""
    if isinstance(value, list):
        return [unpacked(each) for each in value]
    if not isinstance(value, dict):
        return value
    found = {name: unpacked(each) for name, each in value.items()}
    if found.keys() != {"pattern", "many", "values"}:
        return found
    pattern, many, values = (found[name] for name in ("pattern", "many", "values"))
    return number_message(pattern, many, **values) if many else message(pattern, **values)


def capitalised(sentence: str) -> str:
    """Return a sentence with a capital at its beginning; names and nouns in it keep theirs."""
    return sentence[:1].upper() + sentence[1:]


def columns_left_out(names: Sequence[str]) -> str:
    """Return the names of columns that an import does not keep: the first, and how many more there are."""
    more = len(names) - COLUMNS_NAMED
    return ", ".join(names[:COLUMNS_NAMED]) + (f" (+ {more:,})" if more > 0 else "")


def counted(count: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun in the right number."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def not_rated_message(num: int) -> Message:
    """Return how many answers annotators could not judge, and what an owner can do about it."""
    return number_message(
        "%(num)s answer could not be rated: decide it in Review, or retire its question.",
        "%(num)s answers could not be rated: decide them in Review, or retire their questions.",
        num,
    )


def no_text_message(num: int, texts: int) -> Message:
    """Return how many answers lack a text, and how many texts they lack: one text can answer many questions.

    What to do about it is said after it. Pages say the same.
    """
    missing = number_message("%(num)s text is missing", "%(num)s texts are missing", texts)
    if num > texts:
        return message(
            "%(missing)s, so %(num)s answers cannot be rated yet (one text can answer several questions).",
            missing=missing,
            num=num,
        )
    return number_message(
        "%(missing)s, so %(num)s answer cannot be rated yet.",
        "%(missing)s, so %(num)s answers cannot be rated yet.",
        num,
        missing=missing,
    )


def import_texts_message(texts: int) -> Message:
    """Return what to do about missing texts."""
    return message("Import the text.") if texts == 1 else message("Import the texts.")


def time_to_rate(ratings: float) -> Message:
    """Return in words how long some ratings take one person, at 20 seconds each, to the number shown."""
    if not round(ratings):
        return message("0 minutes")
    minutes = math.ceil(round(ratings) * SECONDS_EACH / 60)
    if minutes == 1:
        return message("about 1 minute")
    if minutes < 90:
        return message("about %(num)s minutes", num=minutes)
    return message("about %(num)s hours", num=round(minutes / 60))
