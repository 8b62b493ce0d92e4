"""What is ready for one person when a batch is assigned, as arrays that `next_batch` chooses from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.scoring.priority import NOT_RETURNED, front_first, random_first
from app.scoring.priority_batches import HELD, NO_REQUEST, RATED, UNTOUCHED, Desk
from app.scoring.seeds import seed_of
from app.services.assignment.requests import requested_first
from app.services.comparison.closed import closed_queries
from app.services.quality import quality_of
from app.services.shelf import Shelf

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Flags, Floats, Ints
    from app.services.assignment.eligibility import Free
    from app.services.evidence import Evidence

DAY = 86_400.0
MOST_KEPT = 8

_places: Shelf[Ints] = Shelf(MOST_KEPT)
_pooled_since: Shelf[Floats] = Shelf(MOST_KEPT)


def dealing_seed(project: Project) -> int:
    """Return the seed of everything that assignment leaves to chance, ties included."""
    return seed_of("dealing", project.shuffle_secret.hex())


def desk_for(session: Session, evidence: Evidence, project: Project, free: Free, now: datetime) -> Desk:
    """Return what is ready for a person."""
    touched = np.where(free.taken > 0, HELD, UNTOUCHED)
    touched[free.ratings > 0] = RATED
    return desk_of(session, evidence, project, now, dealable=free.eligible, touched=touched)


def desk_of(
    session: Session,
    evidence: Evidence,
    project: Project,
    now: datetime,
    *,
    dealable: Flags,
    touched: Ints,
) -> Desk:
    """Return what is ready where these answers may be assigned."""
    structure = evidence.structure
    return Desk(
        query=structure.query,
        key=structure.candidate_id,
        place=priority_of(evidence, project),
        dealable=dealable,
        touched=touched,
        waited=(now.timestamp() - pooled_since(evidence)) / DAY,
        requested=_requested(session, evidence),
        drawn=structure.place_drawn,
        unfinished=unfinished_queries(evidence),
        is_random=quality_of(project).dealing == "random",
    )


def priority_of(evidence: Evidence, project: Project) -> Ints:
    """Return the place of every candidate in the project's order of priority, from 0: int64 (candidates,)."""
    structure, seed, current = evidence.structure, dealing_seed(project), evidence.current_runs()
    if quality_of(project).dealing == "random":
        make = lambda: random_first(structure.candidate_id, seed)  # noqa: E731 - named by what it is kept as
        return _places.kept_or_made(structure.positions, ("random", seed), make)
    depth = evidence.depth_at()
    return _places.kept_or_made(
        structure.positions,
        (tuple(current), depth, seed),
        lambda: front_first(
            best_ranks(evidence, current),
            structure.times_pooled(current, depth),
            structure.candidate_id,
            seed,
        ),
    )


def best_ranks(evidence: Evidence, runs: Sequence[int]) -> Ints:
    """Return the best rank of each candidate in some runs, `NOT_RETURNED` where none has it: (candidates,).

    Evidence holds the lists as deep as they are scored: what is pooled deeper comes right after all that.
    """
    structure = evidence.structure
    positions = structure.positions[:, list(runs), :]
    # One more for places without a candidate, and one for answers that a list returns again.
    ranks = np.full(structure.cells + 2, NOT_RETURNED, dtype=np.int64)
    pooled = structure.times_pooled(runs, evidence.depth_at()) > 0
    ranks[:-2][pooled] = len(positions) + 1
    for rank in range(len(positions) - 1, -1, -1):
        ranks[positions[rank]] = rank + 1
    return ranks[:-2]


def pooled_since(evidence: Evidence) -> Floats:
    """Return since when an active run brings each candidate into the pool, seconds of the epoch.

    Outside the pool it is infinite.
    """
    structure, active, depth = evidence.structure, evidence.active_runs(), evidence.depth_at()

    def make() -> Floats:
        since = np.full(structure.cells, np.inf)
        for place in active:
            mine = structure.pooled_by([place], depth)
            since[mine] = np.minimum(since[mine], structure.runs[place].registered_at.timestamp())
        return since

    return _pooled_since.kept_or_made(structure.positions, (tuple(active), depth), make)


def unfinished_queries(evidence: Evidence) -> Flags:
    """Return which queries are not closed for some current run: bool (queries,).

    A query is open for a pair of runs where it is open for either.
    """
    current = evidence.current_runs()
    if not current:
        return np.zeros(len(evidence.structure.query_id), dtype=np.bool_)
    closed = closed_queries(evidence, evidence.judged(), current, evidence.ruler_at().k)
    return np.asarray(~closed.all(axis=0))


def _requested(session: Session, evidence: Evidence) -> Ints:
    """Return the number of the first request for each candidate: int64 (candidates,)."""
    numbers = np.full(evidence.structure.cells, NO_REQUEST, dtype=np.int64)
    for request, asked in requested_first(session, evidence).items():
        numbers[asked] = np.minimum(numbers[asked], request)
    return numbers
