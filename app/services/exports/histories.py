"""A history as a table: every point with its version, coverage, ruler and revision."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.formats.writing import write_table
from app.services.exports.lines import Export, demo_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from app.formats.writing import Cell
    from app.services.history import History

HISTORY_COLUMNS = (
    "ranker",
    "version",
    "moment",
    "label",
    "revision",
    "score",
    "low",
    "high",
    "band",
    "judged",
    "scored_queries",
    "fingerprint",
    "demo",
)
BANDS = {"today": "95% interval", "then": "95% interval", "growth": "exact bounds"}


def export_history(history: History, *, is_demo: bool = False) -> Export:
    """Return every point of a history as a CSV safe in a spreadsheet; each says whether it is demo data."""
    notes = (f"low and high are {BANDS[history.mode]}s of the score; judged is judged@k.",)
    return Export(
        write_table(
            HISTORY_COLUMNS, _history_rows(history, demo_cell(is_demo=is_demo)), "csv", spreadsheet=True
        ),
        notes,
    )


def _history_rows(history: History, demo: str) -> Iterator[tuple[Cell, ...]]:
    for points in history.points.values():
        for point in points:
            yield (
                point.run.ranker,
                point.run.version,
                None if point.moment.label else point.moment.at,
                point.moment.label,
                point.moment.revision,
                point.score,
                point.low,
                point.high,
                BANDS[history.mode],
                point.judged,
                point.scored,
                point.fingerprint,
                demo,
            )
