"""All questions of a project with their state (EVALUATION.md section 2.6) and how rankers fare on them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Query
from app.scoring.consensus import range_of
from app.scoring.judged import POOLED, RELEVANT, UNKNOWN

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags, Ints
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence

STATES = ("answered", "weak", "none_found", "unknown")
APART = 2


@dataclass(frozen=True)
class QuestionRow:
    """One active query.

    `state`: ``answered`` (something relevant is known), ``weak`` (some gain, below the relevance
    threshold), ``none_found`` (its pool is fully judged, nothing has gain), ``unknown`` (no gain yet,
    something is unjudged). `missed_by` are the rows of the board that fail on an answered query: all of
    their top k is judged, and nothing in it is relevant. `best`, `mean` and `spread` are over the rankers,
    None without a score. `apart` of `twice` answers that several people rated have grades two or more
    steps apart; `distance` sums all such steps.
    """

    query_id: int
    place: int
    external_id: str
    text: str
    tags: tuple[str, ...]
    state: str
    missed_by: tuple[int, ...]
    best: float | None
    mean: float | None
    spread: float | None
    pooled: int
    rated: int
    apart: int
    twice: int
    distance: int


def questions_of(session: Session, evidence: Evidence, board: Scoreboard) -> list[QuestionRow]:
    """Return all active queries in the byte order of their ids."""
    structure, judged = evidence.structure, board.judged
    size = len(structure.query_id)
    rows = session.execute(
        select(Query.id, Query.text, Query.tags).where(Query.project_id == evidence.project_id)
    )
    texts = {row.id: (row.text, tuple(row.tags or ())) for row in rows}
    pooled = np.bincount(structure.query[judged.pooled], minlength=size)
    rated = np.bincount(structure.query[judged.pooled & judged.judged], minlength=size)
    missed = missed_by(evidence, board)
    apart, twice, distance = disputes(evidence, board, size)
    found = []
    for place in np.flatnonzero(evidence.active_queries()):
        values = board.values[board.headline][board.counted[:, place], place]
        text, tags = texts[int(structure.query_id[place])]
        found.append(
            QuestionRow(
                query_id=int(structure.query_id[place]),
                place=int(place),
                external_id=structure.query_name[place],
                text=text,
                tags=tags,
                state=state_of(board, int(place)),
                missed_by=tuple(np.flatnonzero(missed[:, place]).tolist()),
                best=float(values.max()) if len(values) else None,
                mean=float(values.mean()) if len(values) else None,
                spread=float(values.max() - values.min()) if len(values) else None,
                pooled=int(pooled[place]),
                rated=int(rated[place]),
                apart=int(apart[place]),
                twice=int(twice[place]),
                distance=int(distance[place]),
            )
        )
    return found


def state_of(board: Scoreboard, place: int) -> str:
    """Return the state of one query, of `STATES`."""
    if board.judged.relevant_counts[place]:
        return "answered"
    if board.scored[place]:
        return "weak"
    return "none_found" if board.no_relevant[place] else "unknown"


def missed_names(evidence: Evidence, board: Scoreboard, place: int) -> list[str]:
    """Return the names of the rankers that missed one query."""
    rows = np.flatnonzero(missed_by(evidence, board)[:, place])
    return [board.runs[row].run.ranker for row in rows]


def missed_by(evidence: Evidence, board: Scoreboard) -> Flags:
    """Return where a ranker missed what is there to be found: bool (runs, queries).

    Its top k is judged to the last place and holds nothing relevant, though something relevant is known.
    """
    judged = board.judged
    lists = evidence.lists([run.place for run in board.runs], board.ruler.k)
    states = judged.state.take(lists.positions)
    within = np.arange(len(states))[:, None, None] < lists.lengths[None]
    open_places = within & ((states == UNKNOWN) | (states == POOLED))
    if board.ruler.unjudged == "complete":
        open_places[:] = False
    failed = ~open_places.any(axis=0) & ~(states == RELEVANT).any(axis=0)
    return np.asarray(failed & board.counted & judged.answered)


def disputes(evidence: Evidence, board: Scoreboard, size: int) -> tuple[Ints, Ints, Ints]:
    """Return for each query: answers rated two or more steps apart, answers rated twice, and all steps."""
    counts = evidence.counts(only_blind=board.ruler.only_blind)
    query = evidence.structure.query
    twice = counts.sum(axis=1) >= 2
    steps = np.where(twice, range_of(counts), 0)
    return (
        np.bincount(query[steps >= APART], minlength=size),
        np.bincount(query[twice], minlength=size),
        np.bincount(query, weights=steps, minlength=size).astype(np.int64),
    )
