"""Geometry of every chart: plain numbers in, positions out; `templates/macros/charts.html` draws them.

Nothing here knows a request, a database or a colour. A chart is drawn on the server as SVG whose
places and lengths are geometry attributes, because the content security policy refuses inline styles.
`mark` is a ranker's shape and hue: 1 to 8, anything else is drawn in grey (`app/web/tones.py`).
"""

from app.web.charts.axes import Axis, Tick, gap_axis
from app.web.charts.bars import (
    BarChart,
    Difference,
    ShareBar,
    difference_bars,
    difference_outlines,
    share_bar,
)
from app.web.charts.coverage import CoverageGrid, coverage_grid
from app.web.charts.gap_bars import GapBar, gap_bar, reference_ring
from app.web.charts.gaps import GapChart, gap_chart
from app.web.charts.lines import LineChart, line_chart
from app.web.charts.series import Event, Point, Series
from app.web.charts.sparks import Spark, spark
from app.web.charts.timeline import TimeChart, time_chart

__all__ = [
    "Axis",
    "BarChart",
    "CoverageGrid",
    "Difference",
    "Event",
    "GapBar",
    "GapChart",
    "LineChart",
    "Point",
    "Series",
    "ShareBar",
    "Spark",
    "Tick",
    "TimeChart",
    "coverage_grid",
    "difference_bars",
    "difference_outlines",
    "gap_axis",
    "gap_bar",
    "gap_chart",
    "line_chart",
    "reference_ring",
    "share_bar",
    "spark",
    "time_chart",
]
