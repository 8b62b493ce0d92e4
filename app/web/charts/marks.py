"""The shapes of rankers as SVG paths: colour never stands alone."""

SHAPES = {
    1: "M{x} {y}m-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0z",
    2: "M{x} {y}m-4.5-4.5h9v9h-9z",
    3: "M{x} {y}m0-6l5.8 10h-11.6z",
    4: "M{x} {y}m0-6l6 6l-6 6l-6-6z",
    0: "M{x} {y}m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0z",
}


def tone_of(mark: int) -> int:
    """Return the class number of a mark: itself from 1 to 8, 0 (grey) for every other."""
    return mark if 1 <= mark <= 8 else 0


def shape_at(mark: int, x: float, y: float) -> str:
    """Return the path of a mark centred at a place; 5 to 8 repeat the shapes of 1 to 4, drawn as outlines."""
    tone = tone_of(mark)
    shape = (tone - 1) % 4 + 1 if tone else 0
    return SHAPES[shape].format(x=f"{x:g}", y=f"{y:g}")
