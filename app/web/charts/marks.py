"""The shapes of rankers as SVG paths: colour never stands alone. And who has one, where there are many."""

from collections.abc import Collection, Mapping, Sequence

COLOURED = 8
"""Shapes with a hue that people can tell apart; every other ranker is grey and goes by its name."""
SHAPES = {
    1: "M{x} {y}m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    2: "M{x} {y}m-4.5-4.5h9v9h-9z",
    3: "M{x} {y}m0-6l5.8 10h-11.6z",
    4: "M{x} {y}m0-6l6 6l-6 6l-6-6z",
    0: "M{x} {y}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
}


def tone_of(mark: int) -> int:
    """Return the class number of a mark: itself from 1 to 8, 0 (grey) for every other."""
    return mark if 1 <= mark <= COLOURED else 0


def hue_of(tone: int) -> int:
    """Return which of the four hues a tone has: 5 to 8 repeat those of 1 to 4, and grey has none (0)."""
    return (tone - 1) % 4 + 1 if tone else 0


def shape_at(mark: int, x: float, y: float) -> str:
    """Return the path of a mark centred at a place; 5 to 8 repeat the shapes of 1 to 4, drawn as outlines."""
    return SHAPES[hue_of(tone_of(mark))].format(x=f"{x:g}", y=f"{y:g}")


def tones_among(
    best_first: Sequence[int], marks: Mapping[int, int], chosen: Collection[int] = ()
) -> dict[int, int]:
    """Return the tone of each ranker: 1 to 8, or 0 for grey.

    Up to eight rankers keep the marks they arrived with. Of more, the best eight have a colour, and chosen
    ones before all others: each takes the place of the last that is not chosen, so that nobody else changes.

    Parameters
    ----------
    best_first
        All rankers by number.
    marks
        Of each: 1, 2, 3, ... in the order of their arrival.
    """
    if all(marks[ranker] <= COLOURED for ranker in best_first):
        return {ranker: marks[ranker] for ranker in best_first}
    tones = _shared_out(best_first[:COLOURED], marks)
    for ranker in [one for one in best_first if one in chosen and one not in tones]:
        giving = [one for one in tones if one not in chosen]
        if giving:
            tones[ranker] = tones.pop(giving[-1])
    return {ranker: tones.get(ranker, 0) for ranker in best_first}


def _shared_out(rankers: Sequence[int], marks: Mapping[int, int]) -> dict[int, int]:
    """Return a tone for each of at most eight: its own mark where that is one, else one that is left."""
    own = {tone_of(marks[ranker]) for ranker in rankers}
    left = iter(tone for tone in range(1, COLOURED + 1) if tone not in own)
    return {ranker: tone_of(marks[ranker]) or next(left) for ranker in rankers}
