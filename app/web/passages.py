"""Which passages of a long text hold the words of a question: what is read of it at once."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import log
from typing import NamedTuple

# A line that follows keeps its indentation.
END_OF_SENTENCE = re.compile(r"[.!?…。！？]['\"’”)]*(?:\s*\n|[^\S\n]+)")
_END = re.compile(rf"{END_OF_SENTENCE.pattern}|\n+")
LONGEST_PIECE = 400
# The beginning says what a text is about.
LEAD = 160
# A word that has been seen once says less the next time.
AGAIN = 0.25


class Piece(NamedTuple):
    """A sentence or a block of a text: its length, and the words of the question in it."""

    length: int
    words: frozenset[str]


@lru_cache(maxsize=64)
def pattern_of(words: tuple[str, ...]) -> re.Pattern[str]:
    """Return what finds these words, whole and whatever their case."""
    return re.compile(rf"(?<!\w)({'|'.join(map(re.escape, words))})(?!\w)", re.IGNORECASE)


def chosen_pieces(pieces: Sequence[Piece], most: int) -> list[int]:
    """Return the places of the pieces to show, in order; none where the beginning of the text does as well.

    A rare word counts more than one that the text repeats. The first pieces always belong to them.
    """
    if not any(piece.words for piece in pieces):
        return []
    lead = _first(pieces, LEAD) or [0]
    begun = _first(pieces, most)
    seen = frozenset().union(*(pieces[place].words for place in lead))
    room = most - sum(pieces[place].length for place in lead)
    spread = {
        word: log(1 + len(pieces) / sum(word in piece.words for piece in pieces))
        for word in frozenset().union(*(piece.words for piece in pieces))
    }
    chosen = list(lead)

    def gain(place: int) -> float:
        return sum(spread[word] * (AGAIN if word in seen else 1) for word in pieces[place].words)

    while True:
        fitting = [
            place
            for place, piece in enumerate(pieces)
            if place not in chosen and piece.words and piece.length <= room
        ]
        if not fitting:
            break
        best = max(fitting, key=lambda place: (gain(place), -place))
        chosen.append(best)
        seen |= pieces[best].words
        room -= pieces[best].length
    before = frozenset().union(*(pieces[place].words for place in begun))
    return sorted(chosen) if seen - before else []


def passages(text: str, words: tuple[str, ...], most: int) -> list[str]:
    """Return the passages that hold some words, in the order of the text; none as in `chosen_pieces`."""
    if not words:
        return []
    spans = list(_spans(text))
    pieces = [
        Piece(end - start, frozenset(map(str.casefold, pattern_of(words).findall(text, start, end))))
        for start, end in spans
    ]
    joined: list[tuple[int, int]] = []
    for start, end in (spans[place] for place in chosen_pieces(pieces, most)):
        follows = bool(joined) and joined[-1][1] == start
        joined.append((joined.pop()[0] if follows else start, end))
    return [text[start:end].strip("\n").rstrip() for start, end in joined]


def _first(pieces: Sequence[Piece], most: int) -> list[int]:
    length, places = 0, []
    for place, piece in enumerate(pieces):
        length += piece.length
        if length > most:
            break
        places.append(place)
    return places


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield where the sentences and lines of a text begin and end; a very long one is cut between words."""
    start = 0
    for end in (*(match.end() for match in _END.finditer(text)), len(text)):
        while end - start > LONGEST_PIECE:
            cut = text.rfind(" ", start + 1, start + LONGEST_PIECE) + 1 or start + LONGEST_PIECE
            yield start, cut
            start = cut
        if end > start:
            yield start, end
        start = end
