"""What finishing costs at any depth and overlap: answers and ratings still wanted, from the pooled places."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy.orm import Session

from app.models.project import Project
from app.scoring.arrays import Floats, Ints
from app.sentences import Message, time_to_rate
from app.services.assignment.wanted import ratings_expected, spread_of, wanted_of
from app.services.cache import Cache
from app.services.collection.pool import NO_PLACES, Places, pool_places, stored_candidates, with_merged
from app.services.collection.pool_rated import without_text
from app.services.evidence.passed import CurrentGrades, passed_indexes, raters_of
from app.services.evidence.state import Evidence

PRICED_DEPTH = 50
PRICED_OVERLAP = 10
MOST_KEPT = 8


@dataclass(frozen=True)
class PricedPool:
    """The pool of the active runs at the deepest depth that is priced; arrays have shape (answers,).

    Attributes
    ----------
    rank
        The best place of each answer.
    candidate_index
        Its place among the candidates, -1 where it is none yet.
    query, document
        The place of its query, and the number of its document.
    """

    rank: Ints
    candidate_index: Ints
    query: Ints
    document: Ints


_cache: Cache[PricedPool] = Cache(MOST_KEPT)


@dataclass(frozen=True)
class FinishPrice:
    """One depth and overlap: answers in the pool, those without a rating, and the ratings still wanted.

    `textless` are answers without a rating that have no text: nobody can rate them, so no other number
    counts them. `missing_texts` is how many texts these lack. `passed` are answers without a rating that wait
    in Review, because nobody here could judge them: they wait for no rating. The ratings are an `is_estimate`
    while it is not drawn which answers are rated twice.
    """

    depth: int
    overlap: int
    answers: int
    unrated: int
    ratings: int
    textless: int = 0
    missing_texts: int = 0
    passed: int = 0
    is_estimate: bool = False

    @property
    def time(self) -> Message:
        """How long the ratings take one person, in words."""
        return time_to_rate(self.ratings)


@dataclass(frozen=True)
class Finishing:
    """What finishing costs at every depth and overlap that is priced.

    Attributes
    ----------
    answers, unrated
        integers (depths,): in the pool at depth 1, 2, ..., and those of them that wait for a first rating.
    ratings
        integers (depths, overlaps): still wanted. Which new answers belong to the share that is rated twice
        is not drawn yet: of those it counts what may be expected, to the nearest whole number.
    textless, missing_texts
        integers (depths,): without a rating, and without a text; and how many texts these lack.
    passed
        integers (depths,): without a rating, and waiting in Review.
    undrawn
        integers (depths,): of which it is not drawn yet whether they belong to that share.
    reached
        How deep the deepest list is, as far as it is priced.
    """

    answers: Ints
    unrated: Ints
    ratings: Ints
    textless: Ints
    missing_texts: Ints
    passed: Ints
    undrawn: Ints
    reached: int

    @property
    def deepest(self) -> int:
        """The deepest depth that is priced."""
        return len(self.answers)

    @property
    def most(self) -> int:
        """The largest overlap that is priced."""
        return int(self.ratings.shape[1])

    def at(self, depth: int, overlap: int) -> FinishPrice:
        """Return the price of one choice, held within what is priced."""
        depth, overlap = max(1, min(depth, self.deepest)), max(1, min(overlap, self.most))
        place = depth - 1
        return FinishPrice(
            depth,
            overlap,
            int(self.answers[place]),
            int(self.unrated[place]),
            int(self.ratings[place, overlap - 1]),
            int(self.textless[place]),
            int(self.missing_texts[place]),
            int(self.passed[place]),
            is_estimate=overlap < 2 and bool(self.undrawn[place]),
        )


def finishing_of(
    session: Session, evidence: Evidence, project: Project, *, coming: Places | None = None
) -> Finishing:
    """Return what finishing costs, with the ratings of the evidence.

    `coming` are the places of a run that is not published yet.
    """
    pool = _pool_of(session, evidence, project, coming)
    active, empty = evidence.active_queries()[pool.query], without_text(session, project.id, pool.document)
    kept = active & ~empty
    rank, candidate_index = pool.rank[kept], pool.candidate_index[kept]
    ratings, spread = _rated(evidence, candidate_index)
    decided = np.append(evidence.decided, False)[candidate_index]
    passed = np.isin(candidate_index, _passed(session, evidence, project))
    silent = active & empty & (_rated(evidence, pool.candidate_index)[0] == 0)
    reached = int(pool.rank.max(initial=1))
    depths = max(reached, project.pool_depth)
    overlaps = max(PRICED_OVERLAP, project.overlap)
    table = np.empty((depths, overlaps))
    for overlap in range(1, overlaps + 1):
        wanted = _wanted(project, evidence, candidate_index, spread, overlap)
        table[:, overlap - 1] = _by_depth(
            rank, np.maximum(0.0, wanted - ratings) * ~passed * ~decided, depths
        )
    return Finishing(
        answers=_counts(rank, depths),
        unrated=_counts(rank[(ratings == 0) & ~passed & ~decided], depths),
        ratings=np.rint(table).astype(np.int64),
        textless=_counts(pool.rank[silent], depths),
        missing_texts=_counts(_highest(pool.rank[silent], pool.document[silent]), depths),
        passed=_counts(rank[passed], depths),
        undrawn=_counts(rank[(candidate_index < 0) & (0 < project.share_twice < 1)], depths),
        reached=reached,
    )


def _pool_of(session: Session, evidence: Evidence, project: Project, coming: Places | None) -> PricedPool:
    """Return the pool at the deepest depth, kept as long as runs and candidates stand still."""
    depth = max(PRICED_DEPTH, project.pool_depth)
    if coming is not None:
        return _read(session, evidence, depth, coming.only(coming.rank <= depth))
    key = (depth, tuple(evidence.active_runs()))
    return _cache.get_or_make(evidence.structure.positions, key, lambda: _read(session, evidence, depth))


def _read(session: Session, evidence: Evidence, depth: int, coming: Places = NO_PLACES) -> PricedPool:
    structure = evidence.structure
    places = pool_places(session, evidence.project_id, depth)
    # As the import will pool it; what is pooled already has a candidate, which tells what represents it.
    places = places.joined(with_merged(session, evidence.project_id, coming))
    stored = stored_candidates(session, evidence.project_id)
    at = stored.find(places.key)
    candidate_index = np.full(len(places), -1, dtype=np.int64)
    candidate_index[at >= 0] = structure.indexes_of(stored.id[at[at >= 0]])
    order = np.argsort(structure.query_id, kind="stable")
    found = np.searchsorted(structure.query_id, places.query, sorter=order)
    query = order[np.minimum(found, len(order) - 1)] if len(order) else np.zeros(0, dtype=np.int64)
    # Of merged documents one represents all, at the best place of any.
    first = np.lexsort((places.rank, candidate_index))
    again = np.zeros(len(places), dtype=np.bool_)
    again[first[1:]] = (candidate_index[first[1:]] >= 0) & (
        candidate_index[first[1:]] == candidate_index[first[:-1]]
    )
    document = np.where(
        candidate_index >= 0, np.append(structure.document, 0)[candidate_index], places.document
    )
    return PricedPool(
        *(part[~again] for part in (places.rank.astype(np.int64), candidate_index, query, document))
    )


def _rated(evidence: Evidence, candidate_index: Ints) -> tuple[Ints, Ints]:
    """Return how many ratings each answer has, and how far they lie apart."""
    counts = evidence.counts_for_assignment
    counts = np.vstack((counts, np.zeros((1, counts.shape[1]), dtype=np.int32)))[candidate_index]
    return counts.sum(axis=1), spread_of(counts)


def _passed(session: Session, evidence: Evidence, project: Project) -> list[int]:
    return passed_indexes(evidence, raters_of(session, project), CurrentGrades(evidence))


def _wanted(
    project: Project, evidence: Evidence, candidate_index: Ints, spread: Ints, overlap: int
) -> Floats:
    """Return the ratings that each answer gets at an overlap: float64."""
    numbers = np.append(evidence.structure.candidate_id, 0)[candidate_index]
    wanted = wanted_of(project, numbers, spread, overlap=overlap).astype(np.float64)
    wanted[candidate_index < 0] = ratings_expected(project, overlap)
    return wanted


def _by_depth(rank: Ints, weight: Floats, depths: int) -> Floats:
    """Return the sum of the weights of the answers that stand at each depth or above it: (depths,)."""
    return np.cumsum(np.bincount(rank, weight, minlength=depths + 1)[1 : depths + 1])


def _highest(rank: Ints, document: Ints) -> Ints:
    """Return the best place of each document among some answers: (documents,)."""
    order = np.lexsort((rank, document))
    first = np.unique(document[order], return_index=True)[1]
    return rank[order][first]


def _counts(rank: Ints, depths: int) -> Ints:
    """Return how many answers stand at each depth or above it: (depths,)."""
    return _by_depth(rank, np.ones(len(rank)), depths).astype(np.int64)
