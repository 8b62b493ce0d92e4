"""Scores and histories as tables."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.errors import visible
from app.formats.exported import form_of
from app.formats.writing import Cell, write_table
from app.models.document import Document
from app.models.query import Query
from app.services.errors import InvalidError
from app.services.evidence.state import Evidence
from app.services.scores.history import History
from app.services.scores.scoreboard import RunScore, Scoreboard, score_runs

DEMO_NOTE = "Demo data: made for demonstration, its ratings are simulated."


@dataclass(frozen=True)
class Export:
    """Lines that are made while they are read, so the session must stay open until the last one.

    Attributes
    ----------
    notes
        What the file does not hold, or holds in a way worth knowing, as sentences.
    """

    lines: Iterator[str]
    notes: tuple[str, ...]


def refuse_blanks_in_ids(session: Session, project_id: int) -> None:
    """Refuse to write a TREC file, before its first line, of ids that it cannot hold.

    :raise InvalidError: An id of the project contains a space.
    """
    for model, what in ((Query, "query"), (Document, "document")):
        blank = model.external_id.contains(" ")
        found = session.scalar(
            select(model.external_id).where(model.project_id == project_id, blank).limit(1)
        )
        if found is not None:
            raise InvalidError(
                f"TREC files separate columns by spaces, and the {what} id {visible(found)!r} contains one: "
                "choose another format.",
                code="cannot_hold",
                field=f"{what}_id",
                value=visible(found),
                remedy="Read the JSON lists instead.",
            )


def demo_cell(*, is_demo: bool) -> str:
    """Return what a table says of every row in its column `demo`."""
    return "yes" if is_demo else "no"


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
        write_table(HISTORY_COLUMNS, _history_rows(history, demo_cell(is_demo=is_demo)), "csv"),
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


Row = tuple[str, str, str, str, float | None, float | None, int, str, str, str]

SCORE_COLUMNS = (
    "ranker",
    "version",
    "query_id",
    "measure",
    "value",
    "judged",
    "revision",
    "scoring_settings",
    "fingerprint",
    "demo",
)
ALL = "all"


def export_scores(
    session: Session,
    evidence: Evidence,
    *,
    measures: str = "",
    all_versions: bool = False,
    is_demo: bool = False,
    format: str = "csv",
    data: bool = False,
) -> Export:
    """Return the means of every ranker (query_id "all") and its values for each scored query.

    Each row says whether it is demo data.

    :raise UnknownMeasureError: A measure is not known.
    """
    runs = evidence.active_runs() if all_versions else evidence.current_runs()
    board = score_runs(evidence, runs, measures=measures, session=session)
    rows = _score_rows(board, demo_cell(is_demo=is_demo))
    notes = (
        f"Scores at revision {board.revision}.",
        f"Scoring settings: {board.ruler.name}, {board.ruler.fingerprint}.",
    )
    return Export(
        write_table(SCORE_COLUMNS, rows, form_of("scores", format).format, data=data),
        notes,
    )


def _score_rows(board: Scoreboard, demo: str) -> Iterator[Row]:
    ruler = board.ruler
    same = (board.revision, f"{ruler.gain}, {ruler.discount}", ruler.fingerprint, demo)
    for place, score in enumerate(board.runs):
        run = (score.run.ranker, score.run.version)
        coverage = {measure: _coverage_of(measure, score) for measure in score.measures}
        for measure, value in score.measures.items():
            yield (*run, ALL, measure, value, score.judged[coverage[measure]], *same)
        for query in np.flatnonzero(board.counted[place]).tolist():
            for measure, judged in coverage.items():
                value, share = (float(board.values[name][place, query]) for name in (measure, judged))
                yield (*run, board.query_name[query], measure, value, share, *same)


def _coverage_of(measure: str, score: RunScore) -> str:
    """Return the coverage that belongs to a measure: that of its own cutoff, else of the deepest asked."""
    label = f"judged@{measure.partition('@')[2]}"
    return label if label in score.judged else list(score.judged)[-1]
