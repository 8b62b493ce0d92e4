"""The shapes of rankers as SVG paths: colour never stands alone. And who has one, where there are many."""

from collections.abc import Collection, Mapping, Sequence

COLOURED = 8
"""Shapes with a hue that people can tell apart; every other ranker is grey and goes by its name."""
BEST = 4
"""Where more rankers than that are compared, so many of the best have a colour."""
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

    Up to eight rankers keep the marks they arrived with. Of more, the best four have a colour and those that
    somebody chose, the best of these where they are many.

    Parameters
    ----------
    best_first
        All rankers by number.
    marks
        Of each: 1, 2, 3, ... in the order of their arrival.
    """
    if all(marks[ranker] <= COLOURED for ranker in best_first):
        return {ranker: marks[ranker] for ranker in best_first}
    wanted = [one for one in best_first if one in chosen][:COLOURED]
    others = [one for one in best_first[:BEST] if one not in wanted][: COLOURED - len(wanted)]
    best = [one for one in best_first[:BEST] if one in wanted or one in others]
    wanted = [one for one in wanted if one not in best]
    tones: dict[int, int] = {}
    # The best keep theirs, whoever else is chosen.
    for group in (best, wanted):
        _share_out(tones, group, marks)
    return {ranker: tones.get(ranker, 0) for ranker in best_first}


def _share_out(tones: dict[int, int], rankers: Sequence[int], marks: Mapping[int, int]) -> None:
    """Give each ranker a tone: its own mark where that is free, else one that is left."""
    for ranker in rankers:
        if tone_of(marks[ranker]) not in {0, *tones.values()}:
            tones[ranker] = marks[ranker]
    left = [tone for tone in range(1, COLOURED + 1) if tone not in tones.values()]
    tones.update(zip([ranker for ranker in rankers if ranker not in tones], left, strict=False))
