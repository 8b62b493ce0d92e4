"""The measures: what they are (registry), how they are asked for (names), how they are computed."""

from app.scoring.measures.measure import Asked, Measure
from app.scoring.measures.names import UnknownMeasureError, parse_measure, parse_measures
from app.scoring.measures.registry import MEASURES

__all__ = ["MEASURES", "Asked", "Measure", "UnknownMeasureError", "parse_measure", "parse_measures"]
