"""All questions of a project with their state and how rankers fare on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.query import Query
from app.scoring.arrays import Flags, Ints
from app.scoring.consensus import range_of
from app.scoring.judged import POOLED, RELEVANT, UNKNOWN
from app.services.evidence.state import Evidence
from app.services.scores.scoreboard import Scoreboard

STATES = ("answered", "weak", "none_found", "unknown", "empty")
COUNTED = ("pooled", "rated", "judged", "good", "apart", "twice")
APART = 2


@dataclass(frozen=True)
class QuestionRow:
    """One query.

    `state`: ``answered`` (something relevant is known), ``weak`` (some gain, below the relevance
    threshold), ``none_found`` (its pool is fully judged, nothing has gain), ``unknown`` (no gain yet,
    something is unjudged), ``empty`` (no answers in its pool, and nothing judged). `missed_by` are the rows
    of the board that fail on an answered query: all of their top k is judged, and nothing in it is
    relevant. `best`, `mean` and `spread` are over the rankers, None without a score. `pooled` counts the
    answers in its pool, `rated` those of them that are judged, `good` those of them that are relevant;
    `judged` counts all judged ones, those outside the pool too.
    `apart` of `twice` answers that several people rated have grades two or more steps apart.
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
    judged: int
    good: int
    apart: int
    twice: int


def questions_of(
    session: Session, evidence: Evidence, board: Scoreboard, *, retired: bool = False
) -> list[QuestionRow]:
    """Return all active queries in the byte order of their ids, or the retired ones instead."""
    structure, judged = evidence.structure, board.judged
    size = len(structure.query_id)
    rows = session.execute(
        select(Query.id, Query.text, Query.tags).where(Query.project_id == evidence.project_id)
    )
    texts = {row.id: (row.text, tuple(row.tags or ())) for row in rows}
    pooled = np.bincount(structure.query[judged.pooled], minlength=size)
    rated = np.bincount(structure.query[judged.pooled & judged.judged], minlength=size)
    seen = np.bincount(structure.query[judged.judged], minlength=size)
    good = np.bincount(
        structure.query[judged.pooled & (judged.state[: judged.absent] == RELEVANT)], minlength=size
    )
    missed = _rows_that_missed(evidence, board)
    apart, twice = disputes(evidence, board, size)
    states, fares = _states(board), _fares(board)
    # As lists: to pick single numbers out of arrays takes several times as long, for thousands of questions.
    numbers = structure.query_id.tolist()
    counts = [column.tolist() for column in (pooled, rated, seen, good, apart, twice)]
    found = []
    for place in np.flatnonzero(evidence.active_queries() != retired).tolist():
        text, tags = texts[numbers[place]]
        best, mean, spread = fares[place]
        found.append(
            QuestionRow(
                query_id=numbers[place],
                place=place,
                external_id=structure.query_name[place],
                text=text,
                tags=tags,
                state=states[place],
                missed_by=missed.get(place, ()),
                best=best,
                mean=mean,
                spread=spread,
                **{name: column[place] for name, column in zip(COUNTED, counts, strict=True)},
            )
        )
    return found


def _fares(board: Scoreboard) -> list[tuple[float | None, float | None, float | None]]:
    """Return the best, the mean and the spread of the rankers' scores of each query, None without a score."""
    values, counted = board.values[board.headline], board.counted
    number = np.count_nonzero(counted, axis=0)
    best = np.where(counted, values, -np.inf).max(axis=0, initial=-np.inf)
    least = np.where(counted, values, np.inf).min(axis=0, initial=np.inf)
    mean = np.where(counted, values, 0.0).sum(axis=0) / np.maximum(number, 1)
    told = zip(number.tolist(), best.tolist(), mean.tolist(), least.tolist(), strict=True)
    return [(high, middle, high - low) if n else (None, None, None) for n, high, middle, low in told]


def _states(board: Scoreboard) -> list[str]:
    """Return the state of every query, as `state_of` does of one."""
    unknown = np.where(board.judged.pooled_counts > 0, 3, 4)
    known = np.where(board.scored, 1, np.where(board.no_relevant, 2, unknown))
    places = np.where(board.judged.relevant_counts > 0, 0, known)
    return [STATES[place] for place in places.tolist()]


def state_of(board: Scoreboard, place: int) -> str:
    """Return the state of one query, of `STATES`."""
    if board.judged.relevant_counts[place]:
        return "answered"
    if board.scored[place]:
        return "weak"
    if board.no_relevant[place]:
        return "none_found"
    return "unknown" if board.judged.pooled_counts[place] else "empty"


def _rows_that_missed(evidence: Evidence, board: Scoreboard) -> dict[int, tuple[int, ...]]:
    """Return the rows of the board that missed a query, by its place, for those that some missed."""
    rows, places = np.nonzero(_missed_by(evidence, board))
    found: dict[int, tuple[int, ...]] = {}
    for row, place in zip(rows.tolist(), places.tolist(), strict=True):
        found[place] = (*found.get(place, ()), row)
    return found


def _missed_by(evidence: Evidence, board: Scoreboard) -> Flags:
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


def disputes(evidence: Evidence, board: Scoreboard, size: int) -> tuple[Ints, Ints]:
    """Return for each query: answers rated two or more steps apart, and answers rated twice."""
    counts = evidence.counts(only_blind=board.ruler.only_blind)
    query = evidence.structure.query
    twice = counts.sum(axis=1) >= 2
    steps = np.where(twice, range_of(counts), 0)
    return (
        np.bincount(query[steps >= APART], minlength=size),
        np.bincount(query[twice], minlength=size),
    )
