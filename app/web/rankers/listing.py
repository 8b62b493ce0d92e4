"""The versions of a project as they are listed: state, coverage, ties, and the score of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Ranker, Run
from app.services.evaluation import score_runs
from app.web.tones import tones_of

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.services.evaluation import RunScore, Scoreboard
    from app.services.evidence import Evidence


@dataclass(frozen=True)
class RunRow:
    """One run.

    Attributes
    ----------
    covered
        Questions with results and questions of the project at its import, None for a run without counts.
    tied
        Lines that share their score.
    tone
        The colour of its ranker.
    score, judged
        0 to 1: its mean and how much of its top is rated; None without scored questions, or withdrawn.
    """

    id: int
    ranker_id: int
    ranker: str
    kind: str
    tone: int
    version: str
    note: str
    is_withdrawn: bool
    in_production: bool
    at: datetime
    covered: tuple[int, int] | None
    tied: int | None
    score: float | None
    judged: float | None
    scored: int


def run_rows(session: Session, project: Project, evidence: Evidence) -> tuple[list[RunRow], str]:
    """Return the versions, ranker by ranker and newest first, and the name of their score."""
    board = score_runs(evidence, evidence.active_runs())
    scores = {scored.run.id: scored for scored in board.runs}
    found = session.execute(
        select(Run, Ranker.name, Ranker.kind)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project.id, Run.state != "unpublished")
        .order_by(Ranker.kind.desc(), Ranker.mark, Ranker.id, Run.revision.desc())
    )
    tones = tones_of(evidence)
    place = evidence.production_run()
    marked = None if place is None else evidence.structure.runs[place].id
    rows = [
        _row(
            run,
            (name, kind),
            tones.get(run.ranker_id, 0),
            scores.get(run.id),
            board,
            in_production=run.id == marked,
        )
        for run, name, kind in found
    ]
    return rows, board.headline


def _row(
    run: Run,
    ranker: tuple[str, str],
    tone: int,
    scored: RunScore | None,
    board: Scoreboard,
    *,
    in_production: bool,
) -> RunRow:
    stats = run.stats
    covered = (stats["queries"], stats["queries"] + stats["missing_queries"]) if "queries" in stats else None
    return RunRow(
        id=run.id,
        ranker_id=run.ranker_id,
        ranker=ranker[0],
        kind=ranker[1],
        tone=tone,
        version=run.version,
        note=run.note,
        is_withdrawn=run.state == "withdrawn",
        in_production=in_production,
        at=run.registered_at,
        covered=covered,
        tied=stats.get("tied_lines"),
        score=scored.measures[board.headline] if scored else None,
        judged=scored.judged[f"judged@{board.ruler.k}"] if scored else None,
        scored=scored.scored if scored else 0,
    )
