"""All questions of a project with their state (EVALUATION.md section 2.6) and how rankers fare on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Query
from app.scoring.judged import RELEVANT

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence

STATES = ("answered", "weak", "none_found", "unknown")


@dataclass(frozen=True)
class QuestionRow:
    """One active query.

    `state`: ``answered`` (something relevant is known), ``weak`` (some gain, below the relevance
    threshold), ``none_found`` (its pool is fully judged, nothing has gain), ``unknown`` (no gain yet,
    something is unjudged). `best`, `mean` and `spread` are over the rankers, None without a score.
    """

    query_id: int
    external_id: str
    text: str
    tags: tuple[str, ...]
    state: str
    best: float | None
    mean: float | None
    spread: float | None
    pooled: int
    rated: int


def questions_of(session: Session, evidence: Evidence, board: Scoreboard) -> list[QuestionRow]:
    """Return all active queries in the byte order of their ids."""
    structure, judged = evidence.structure, board.judged
    size = len(structure.query_id)
    rows = session.execute(
        select(Query.id, Query.text, Query.tags).where(Query.project_id == evidence.project_id)
    )
    texts = {row.id: (row.text, tuple(row.tags or ())) for row in rows}
    cells = judged.state[: judged.absent]
    relevant = np.bincount(structure.query[cells == RELEVANT], minlength=size)
    pooled = np.bincount(structure.query[judged.pooled], minlength=size)
    rated = np.bincount(structure.query[judged.pooled & judged.judged], minlength=size)
    found = []
    for place in np.flatnonzero(evidence.active_queries()):
        values = board.values[board.headline][board.counted[:, place], place]
        text, tags = texts[int(structure.query_id[place])]
        state = "answered" if relevant[place] else "weak" if board.scored[place] else ""
        found.append(
            QuestionRow(
                query_id=int(structure.query_id[place]),
                external_id=structure.query_name[place],
                text=text,
                tags=tags,
                state=state or ("none_found" if board.no_relevant[place] else "unknown"),
                best=float(values.max()) if len(values) else None,
                mean=float(values.mean()) if len(values) else None,
                spread=float(values.max() - values.min()) if len(values) else None,
                pooled=int(pooled[place]),
                rated=int(rated[place]),
            )
        )
    return found
