"""Scores: every number with its coverage, its ruler and its revision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from app.formats.writing import write_table
from app.services.evaluation import score_runs
from app.services.exports.lines import Export, demo_cell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.services.evaluation import RunScore, Scoreboard
    from app.services.evidence import Evidence

    Table = Literal["csv", "tsv", "jsonl"]
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
    format: Table = "csv",
    spreadsheet: bool = False,
) -> Export:
    """Return the means of every ranker (query_id "all") and its values for each scored query.

    Each row says whether it is demo data.

    Raises
    ------
    UnknownMeasureError
        A measure is not known.
    """
    runs = evidence.active_runs() if all_versions else evidence.current_runs()
    board = score_runs(evidence, runs, measures=measures, session=session)
    notes = (
        f"Scores at revision {board.revision}.",
        f"Scoring settings: {board.ruler.name}, {board.ruler.fingerprint}.",
    )
    return Export(
        write_table(
            SCORE_COLUMNS, _score_rows(board, demo_cell(is_demo=is_demo)), format, spreadsheet=spreadsheet
        ),
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
