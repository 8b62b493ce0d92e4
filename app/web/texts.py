"""Answers as text on a page: what is shown at once, what is folded away, how long it takes to read."""

from __future__ import annotations

import re
from typing import NamedTuple

SHOWN_AT_ONCE = 900
# A fold that would hide less than this hides nothing.
WORTH_FOLDING = 300
WORDS_PER_MINUTE = 220
END_OF_SENTENCE = re.compile(r"[.!?…。！？]['\"’”)]*\s+")


class Folded(NamedTuple):
    """A text in two parts: the first is read at once, the rest on demand."""

    shown: str
    rest: str


def folded(text: str) -> Folded:
    """Return a text folded after a sentence, or after a word where no sentence ends in time."""
    text = text.strip()
    if len(text) <= SHOWN_AT_ONCE + WORTH_FOLDING:
        return Folded(text, "")
    ends = [match.end() for match in END_OF_SENTENCE.finditer(text, 0, SHOWN_AT_ONCE)]
    cut = ends[-1] if ends and ends[-1] > SHOWN_AT_ONCE // 2 else text.rfind(" ", 0, SHOWN_AT_ONCE) + 1
    cut = cut or SHOWN_AT_ONCE
    return Folded(text[:cut].rstrip(), text[cut:].lstrip())


def minutes_to_read(text: str) -> int:
    """Return how many minutes a text takes to read; 0 for one that is read at a glance."""
    return round(len(text.split()) / WORDS_PER_MINUTE)
