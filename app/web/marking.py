"""Words of a question, found again in its answers."""

from __future__ import annotations

import re
from functools import lru_cache

from markupsafe import Markup, escape

SHORTEST = 3
# Words that nearly every text holds say nothing about a text.
COMMON = frozenset(
    word
    for line in (
        "about and any are but can cannot did does for from had has have how into its not off our",
        "out should than that the their them then there these they this was were what when where which who",
        "why will with would you your",
        "aber als auch auf aus bei bin bis das dem den der des die ein eine einem einen einer für hat ich",
        "ihr ist kann man mein mit nach nicht oder sich sie sind und vom von vor wann war warum was wenn wer",
        "wie wir wird zum zur",
    )
    for word in line.split()
)


def words_to_mark(query: str) -> tuple[str, ...]:
    """Return the words of a question that are worth finding in an answer, each once."""
    found = (word.casefold() for word in re.findall(r"\w+", query))
    return tuple(dict.fromkeys(word for word in found if len(word) >= SHORTEST and word not in COMMON))


def marked(text: str, words: tuple[str, ...]) -> Markup:
    """Return a text escaped, with a mark around each of the words, whatever their case."""
    if not words:
        return escape(text)
    parts = _pattern(words).split(text)
    # Every second part is a word that was looked for.
    return Markup("").join(
        Markup("<mark>{}</mark>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


@lru_cache(maxsize=64)
def _pattern(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)
