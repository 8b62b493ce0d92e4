"""What every verdict of one moment is computed from: scoreboard, bounds, closed queries, missing ratings.

A rating changes the gains of one query, and the bounds of a query know nothing of the others: only the
queries that a rating touched are bounded again, and the result has the bits of bounding everything.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from sqlalchemy.orm import Session

from app.models.event import EventKind
from app.models.project import Project
from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.bounds import Block, Bounds, difference_bounds, ndcg_bounds, pair_bounds, run_bounds
from app.scoring.bounds_arrays import table_of
from app.scoring.judged import Judged
from app.scoring.verdict import is_provisional
from app.services.cache import Cache
from app.services.current_judgments import COUNTED
from app.services.evidence.columns import DECLINED
from app.services.evidence.passed import PASSED_BY, unratable_now
from app.services.evidence.state import Evidence
from app.services.evidence.structure import pool_bits
from app.services.scores.scoreboard import Scoreboard, score_runs

Pairs = tuple[tuple[int, int], ...]

MOST_KEPT = 4
"""Sets of runs or pairs; each keeps one gain per candidate."""
LARGEST_SHARE = 4
"""If more than one query in this many is touched, all are bounded again."""


@dataclass(frozen=True)
class _CachedBounds:
    """Bounds, and the gains they were made from."""

    gain: Floats
    open_cells: Flags
    levels: Floats
    bounds: Bounds


# By the lists that the bounds were made of.
_cache: Cache[_CachedBounds] = Cache(MOST_KEPT)


def pair_bounds_of(context: ScoringContext, pairs: Sequence[tuple[int, int]]) -> Bounds:
    """Return the exact bounds of the first row's score minus the second's, per query, for some pairs."""
    return _bounds_for(context, tuple(pairs))


def run_bounds_of(context: ScoringContext) -> Bounds:
    """Return the exact bounds of every row's score, per query."""
    return _bounds_for(context, ())


def _bounds_for(context: ScoringContext, pairs: Pairs) -> Bounds:
    lists = context.evidence.structure.positions
    key = (context.board.ruler.fingerprint, tuple(context.places), pairs)
    kept = _cache.get(lists, key)
    touched = None if kept is None else _touched(context, kept)
    if kept is None or touched is None:
        bounds = _all_bounds(context, pairs)
    else:
        bounds = _with_touched(context, pairs, kept.bounds, touched)
    judged = context.board.judged
    _cache.put(lists, key, _CachedBounds(judged.gain, judged.open_cells, judged.levels, bounds))
    return bounds


def _touched(context: ScoringContext, kept: _CachedBounds) -> Ints | None:
    """Return the queries whose gains are others than those kept; None if nothing kept is of use."""
    judged = context.board.judged
    if not np.array_equal(kept.levels, judged.levels):
        return None
    moved = (kept.gain != judged.gain) | (kept.open_cells != judged.open_cells)
    touched = np.unique(judged.query[moved[: judged.absent]])
    return None if len(touched) * LARGEST_SHARE > judged.queries else touched


def _all_bounds(context: ScoringContext, pairs: Pairs) -> Bounds:
    judged, k = context.board.judged, context.board.ruler.k
    lists = context.evidence.lists(context.places, k)
    if not pairs:
        return ndcg_bounds(lists, judged, k)
    first, second = np.array(pairs).T
    return pair_bounds(lists, judged, k, second, first)


def _with_touched(context: ScoringContext, pairs: Pairs, kept: Bounds, touched: Ints) -> Bounds:
    if not len(touched):
        return kept
    block = block_of(context, touched)
    low, high = kept.low.copy(), kept.high.copy()
    if pairs:
        first, second = np.array(pairs).T
        low[:, touched], high[:, touched] = difference_bounds(block, second, first)
    else:
        low[:, touched], high[:, touched] = run_bounds(block)
    return Bounds(low, high)


def block_of(context: ScoringContext, queries: Ints) -> Block:
    """Return what the bounds need of some queries."""
    judged, k = context.board.judged, context.board.ruler.k
    positions = context.evidence.structure.positions[:k, np.array(context.places)[:, None], queries]
    discounts = judged.ruler.discounts(k)
    table = table_of(judged, discounts, queries)
    return Block(positions, judged.gain, judged.open_cells, np.arange(len(queries)), table, discounts)


_closed_cache: Cache[Flags] = Cache(MOST_KEPT)
"""By the grades: an overview asks once for its verdicts, and once for what to rate next."""


def unratable(evidence: Evidence) -> Flags:
    """Return which candidates cannot be rated today, by the ledger alone: bool (candidates,).

    They have no text, or annotators passed on them: two, or the only one that ever rated here. What owners
    decide or rate makes them no annotators.
    """
    structure = evidence.structure
    found = structure.textless
    ledger = evidence.ledger
    if (ledger.grade == DECLINED).any():
        passed = np.flatnonzero(evidence.ratings_now & (ledger.grade == DECLINED))
        passes = np.bincount(evidence.candidate_index[passed], minlength=structure.candidate_count)
        found = found | (passes >= PASSED_BY)
        if len(people := _annotators(evidence)) <= 1:
            alone = passed[np.isin(ledger.annotator[passed], people)] if len(people) else passed
            found[evidence.candidate_index[alone]] = True
    return found


def closed_queries(evidence: Evidence, judged: Judged, runs: list[int], k: int) -> Flags:
    """Return which queries are closed for each run: bool (runs, queries).

    A query is closed for a pair of runs where it is closed for both.

    Parameters
    ----------
    judged
        Today's grades; under grades declared complete every query is closed.
    runs
        Places within `evidence.structure.runs`.
    k
        The cutoff.
    """

    def make() -> Flags:
        return _closed(evidence, judged, runs, k)

    return _closed_cache.get_or_make(judged, (evidence.revision, tuple(runs), k), make)


def _closed(evidence: Evidence, judged: Judged, runs: list[int], k: int) -> Flags:
    waiting = judged.open & ~unratable(evidence)
    table = np.append(waiting, [False, False])
    lists = evidence.lists(runs, k)
    closed = np.ones(lists.positions.shape[1:], dtype=np.bool_)
    for rank in range(len(lists.positions)):
        closed &= ~table.take(lists.positions[rank])
    return closed


def _annotators(evidence: Evidence) -> Ints:
    """Return who rated here: those who do not see rankers, or everybody where there are none."""
    imported = [
        number
        for event in evidence.structure.events
        if event.kind == EventKind.JUDGMENTS_IMPORTED
        for number in event.payload["annotator_ids"]
    ]
    ledger = evidence.ledger
    here = np.isin(ledger.role, COUNTED) & ~np.isin(ledger.annotator, imported)
    blind = here & ledger.blind
    return np.unique(ledger.annotator[blind if blind.any() else here])


Bits = NDArray[np.uint8]

KEPT_AS = "context"

_tops: Cache[Bits] = Cache(MOST_KEPT)


@dataclass(frozen=True)
class ScoringContext:
    """Scores of some runs under the present ruler, with today's judgments.

    Rows are those of the scoreboard, columns the queries of the evidence.

    Attributes
    ----------
    stuck
        bool (candidates,): what nobody here can rate today, where the members make it other than the ledger.
        No verdict depends on it, only what is said about missing ratings.
    """

    evidence: Evidence
    board: Scoreboard
    stuck: Flags | None = field(default=None, repr=False, compare=False)

    def of(self, runs: Sequence[int]) -> ScoringContext:
        """Return the context of other runs, by their places in the evidence, under the same grades."""
        # What is known of the newest grades already is kept: only others are handed on.
        judged = self.board.judged
        newest = judged is self.evidence.judged()
        return replace(self, board=_board_of(self.evidence, runs, None if newest else judged))

    @property
    def unratable(self) -> Flags:
        """Which candidates nobody can rate today: bool (candidates,)."""
        return unratable(self.evidence) if self.stuck is None else self.stuck

    @property
    def values(self) -> Floats:
        """The headline measure: float64 (runs, queries), NaN where a query has no score."""
        return self.board.values[self.board.headline]

    @property
    def complete(self) -> bool:
        """Whether the owner declared the grades complete."""
        return self.board.ruler.unjudged == "complete"

    @property
    def bounded(self) -> bool:
        """Whether the unjudged items leave something open that can be bounded."""
        return self.board.ruler.ideal != "returned"

    @cached_property
    def places(self) -> list[int]:
        """The runs as places in the evidence, by row."""
        return [scored.place for scored in self.board.runs]

    @cached_property
    def rows(self) -> dict[int, int]:
        """The row of every run by its number in the database."""
        return {scored.run.id: row for row, scored in enumerate(self.board.runs)}

    @cached_property
    def covered(self) -> Flags:
        """Which active queries each run covers: bool (runs, queries)."""
        return self.evidence.covered(self.places) & self.evidence.active_queries()

    @cached_property
    def possible(self) -> Flags:
        """The active queries that are scored or could become so by ratings: bool (queries,)."""
        return np.asarray((self.board.scored | self.board.unjudged) & self._has_answers)

    @cached_property
    def expected(self) -> Flags:
        """The active queries that are possible, or would be once something is returned for them."""
        return np.asarray(self.possible | (self.evidence.active_queries() & ~self._has_answers))

    @cached_property
    def _has_answers(self) -> Flags:
        """Which queries have an answer at all: bool (queries,)."""
        structure = self.evidence.structure
        return np.bincount(structure.query, minlength=len(structure.query_id)) > 0

    @cached_property
    def closed(self) -> Flags:
        """Which queries are closed for each run: bool (runs, queries)."""
        return closed_queries(self.evidence, self.board.judged, self.places, self.board.ruler.k)

    @cached_property
    def tops(self) -> Bits:
        """Which candidates each run has in its top k, one bit each: uint8 (runs, bytes)."""
        structure, places, k = self.evidence.structure, self.places, self.board.ruler.k

        def make() -> Bits:
            return pool_bits(self.evidence.lists(places, k).positions, [k], structure.candidate_count)[k]

        return _tops.get_or_make(structure.positions, (tuple(places), k), make)

    @cached_property
    def bounds(self) -> list[tuple[float, float] | None]:
        """How low and how high each row's mean can still come out, over its scored queries."""
        return self.bounds_over(self.board.counted)

    def bounds_over(self, counted: Flags) -> list[tuple[float, float] | None]:
        """Return the same over other queries: bool (queries,) or (runs, queries)."""
        if not self.bounded:
            return [None] * len(self.board.runs)
        if counted.ndim == 1 and (self.board.counted == counted).all():
            return self.bounds  # every run counts these very queries
        return run_bounds_of(self).means(counted)

    @cached_property
    def provisional(self) -> list[bool]:
        """Whether each row's score is provisional: too much of what it rests on is missing."""
        return [self._is_provisional(row) for row in range(len(self.board.runs))]

    def _is_provisional(self, row: int) -> bool:
        weight = self.board.runs[row].judged[f"weight-judged@{self.board.ruler.k}"]
        if weight is None:
            return False
        low, high = self.bounds[row] or (0.0, 0.0)
        return is_provisional(weight, high - low, complete=self.complete)


def scoring_context(evidence: Evidence, runs: Sequence[int] | None = None) -> ScoringContext:
    """Return the context for some runs, by their places in the evidence; the current ones by default.

    That of the current runs is kept until the next revision: every page of an owner rests on it.
    """
    if runs is not None:
        return _made(evidence, runs)
    kept: ScoringContext | None = evidence.memory.kept.get(KEPT_AS)
    if kept is None or kept.evidence is not evidence:
        kept = _made(evidence, evidence.current_runs())
        evidence.memory.kept[KEPT_AS] = kept
    return kept


def context_for_members(session: Session, evidence: Evidence, project: Project) -> ScoringContext:
    """Return the context of the current runs that tells what the members of today can rate: for pages."""
    context, stuck = scoring_context(evidence), unratable_now(session, evidence, project)
    return context if np.array_equal(stuck, context.unratable) else replace(context, stuck=stuck)


def _made(evidence: Evidence, runs: Sequence[int]) -> ScoringContext:
    return ScoringContext(evidence, _board_of(evidence, runs))


def _board_of(evidence: Evidence, runs: Sequence[int], judged: Judged | None = None) -> Scoreboard:
    return score_runs(evidence, runs, measures=f"weight-judged@{evidence.ruler_at().k}", judged=judged)


@dataclass(frozen=True)
class MissingRatings:
    """Unrated answers: how many, how many can be rated today, how many lack a text, and how many texts."""

    answers: int
    ratable: int
    textless: int = 0
    texts: int = 0

    @property
    def unratable(self) -> int:
        """The answers that wait for an owner: without a text, or passed on by annotators."""
        return self.answers - self.ratable

    @property
    def passed(self) -> int:
        """Those of them that have a text: annotators passed on them."""
        return self.unratable - self.textless


def missing_ratings(context: ScoringContext, pairs: Sequence[tuple[int, int]]) -> list[MissingRatings]:
    """Return what nobody has rated in the top k of each pair of rows, over the queries that both cover."""
    first, second = np.array(pairs).T
    unrated = context.board.judged.open
    ratable = unrated & ~context.unratable
    structure = context.evidence.structure
    held, covered = (
        context.tops[first] | context.tops[second],
        context.covered[first] & context.covered[second],
    )
    for pair in np.flatnonzero(~covered.all(axis=1)).tolist():
        held[pair] &= np.packbits(covered[pair].take(structure.query))
    counts = [np.bitwise_count(held & np.packbits(some)).sum(axis=1).tolist() for some in (unrated, ratable)]
    if len(structure.without_text):
        silent = np.flatnonzero(unrated & structure.textless)
        documents = structure.document.take(silent)
        lacking = [documents[_bits_at(row, silent)] for row in held]
        counts += [[len(some) for some in lacking], [len(np.unique(some)) for some in lacking]]
    return [MissingRatings(*numbers) for numbers in zip(*counts, strict=True)]


def _bits_at(packed: Bits, indexes: Ints) -> Flags:
    """Return some of the flags in a packed row: bool (indexes,)."""
    return (packed.take(indexes >> 3) >> (7 - (indexes & 7)) & 1).astype(np.bool_)


def unrated_by_query(context: ScoringContext, rows: Sequence[int]) -> Ints:
    """Return how many answers in the top k of some rows nobody has rated: int (queries,).

    Parameters
    ----------
    rows
        Over the queries that all of them cover.
    """
    structure = context.evidence.structure
    tops = np.bitwise_or.reduce(context.tops[list(rows)], axis=0)
    held = np.unpackbits(tops, count=structure.candidate_count).view(np.bool_) & context.board.judged.open
    covered = np.asarray(context.covered[list(rows)].all(axis=0))
    return np.where(covered, np.bincount(structure.query[held], minlength=len(covered)), 0)
