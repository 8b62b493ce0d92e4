"""How the two of a comparison look: as everywhere else, and never alike."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from app.web.compare.page import fills_of, sides_of


@pytest.mark.parametrize(
    ("rankers", "tones", "marks", "fills"),
    [
        ((7, 9), {7: 1, 9: 2}, (1, 2), (1, 2)),
        ((7, 9), {7: 6, 9: 3}, (6, 3), (2, 3)),
        # One hue: the bars are filled and outlined, as the marks are.
        ((7, 9), {7: 1, 9: 5}, (1, 5), (1, 5)),
        # Two versions of one ranker have one mark everywhere else, and need two here.
        ((7, 7), {7: 4}, (4, 1), (4, 1)),
        ((7, 7), {7: 5}, (5, 2), (1, 2)),
    ],
)
def test_both_keep_their_marks_and_can_be_told_apart(
    rankers: tuple[int, int], tones: dict[int, int], marks: tuple[int, int], fills: tuple[int, int]
) -> None:
    first, second = (SimpleNamespace(ranker_id=number) for number in rankers)
    pair: Any = SimpleNamespace(first=first, second=second)

    sides = sides_of(pair, ("One", "Other"), tones)

    assert (sides[0].tone, sides[1].tone) == marks
    assert fills_of(sides) == fills
