"""Texts as words, in the two ways the demo's rankers read them."""

from __future__ import annotations

import re
from functools import cache

_WORD = re.compile(r"[a-z0-9]+(?:[-'’][a-z0-9]+)*")
_JOINT = re.compile(r"[-'’]")
_ENDINGS = {"sses": "ss", "ies": "y", "ing": "", "edly": "", "ed": "", "ly": "", "es": "e", "s": ""}
_DOUBLED = "bdgmnprt"
_SHORTEST_STEM = 3


@cache
def plain_words(text: str) -> tuple[str, ...]:
    """Return the words of a text in lower case; a hyphenated word is one word."""
    return tuple(_WORD.findall(text.lower()))


@cache
def stemmed_words(text: str) -> tuple[str, ...]:
    """Return the words without their endings; a hyphenated word also counts as each of its parts."""
    stems: list[str] = []
    for word in plain_words(text):
        parts = _JOINT.split(word)
        stems += [stem_of(part) for part in parts]
        if len(parts) > 1:
            stems.append(word)
    return tuple(stems)


def stem_of(word: str) -> str:
    """Return a word without its ending, then without a doubled last letter or a final e.

    "truing" and "true" both become "tru", "stopped" and "stops" become "stop".
    """
    stem = _without_ending(word)
    if len(stem) <= _SHORTEST_STEM:
        return stem
    doubled = stem[-1] == stem[-2] and stem[-1] in _DOUBLED
    return stem[:-1] if doubled or stem.endswith("e") else stem


def _without_ending(word: str) -> str:
    if word.endswith("ss"):
        return word
    for ending, replacement in _ENDINGS.items():
        stem = word.removesuffix(ending) + replacement
        if word.endswith(ending) and len(stem) >= _SHORTEST_STEM:
            return stem
    return word
