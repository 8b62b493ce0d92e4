"""The streak of a ranker on the stone: where its score lies and how sure we are."""

from dataclasses import dataclass

from app.web.charts.axes import Axis, Tick


@dataclass(frozen=True, slots=True)
class Streak:
    """Percentages along the shared axis; without an interval `width` is None and only the dot is drawn."""

    dot: float
    start: float | None
    width: float | None
    ticks: tuple[Tick, ...]
    label: str


def streak(score: float, low: float | None, high: float | None, axis: Axis) -> Streak:
    """Return one ranker's streak; all on a page share the axis, or their places could not be compared.

    Scores and bounds are 0 to 100. Below 8 scored questions there is no interval: pass None for both bounds.
    """
    ticks = tuple(axis.ticks)
    if low is None or high is None:
        label = f"Score {score:.0f}, too few questions to say how sure"
        return Streak(axis.percent(score), None, None, ticks, label)
    start, end = axis.percent(low), axis.percent(high)
    label = f"Score {score:.0f}, likely between {low:.0f} and {high:.0f}"
    return Streak(axis.percent(score), start, round(end - start, 2), ticks, label)
