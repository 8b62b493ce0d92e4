"""The gap bar of a ranker on the stone: how far it is from the reference, and how sure that is."""

from dataclasses import dataclass

from app.web.charts.axes import Axis, Tick


@dataclass(frozen=True, slots=True)
class GapBar:
    """Percentages along the shared axis; `dot` stands within the bar, and for a ring there is no bar."""

    zero: float
    dot: float
    start: float | None
    width: float | None
    ticks: tuple[Tick, ...]
    label: str

    @property
    def is_reference(self) -> bool:
        """Whether this is the ring of the reference."""
        return self.width is None


def gap_bar(gap: float, low: float, high: float, axis: Axis, label: str) -> GapBar:
    """Return one bar, from the numbers in points; all on a page share the axis."""
    start, end = axis.percent(low), axis.percent(high)
    return GapBar(axis.percent(0), axis.percent(gap), start, round(end - start, 2), tuple(axis.ticks), label)


def reference_ring(axis: Axis, label: str) -> GapBar:
    """Return the ring at zero of the ranker that the others are compared with."""
    return GapBar(axis.percent(0), axis.percent(0), None, None, tuple(axis.ticks), label)
