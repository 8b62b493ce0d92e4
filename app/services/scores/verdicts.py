"""The verdict on a pair of runs: samples, families, tests, and one of five words."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations

import numpy as np

from app.scoring.arrays import Flags
from app.scoring.bounds import settled
from app.scoring.seeds import seed_of
from app.scoring.significance import FLIPS, FamilyTests, compare_pairs
from app.scoring.verdict import LEAST_QUERIES, Verdict, may_be_final, pair_queries, samples_of, verdicts_of
from app.services.cache import Cache
from app.services.evidence.structure import RunFact
from app.services.scores.context import MissingRatings, ScoringContext, missing_ratings, pair_bounds_of


def finished_pairs(context: ScoringContext, pairs: Sequence[tuple[int, int]]) -> Flags:
    """Return which pairs are finished, of many pairs: bool (pairs,)."""
    if not len(pairs):
        return np.zeros(0, dtype=np.bool_)
    first, second = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    covered = context.covered.astype(np.float32)
    done = (context.covered & context.closed).astype(np.float32)
    both = covered @ covered.T == done @ done.T
    return np.asarray(both[first, second])


MANY_PAIRS, FLIPS_OF_MANY = 200, 1_999
MOST_KEPT = 64

_cache: Cache[FamilyTests] = Cache(MOST_KEPT)


@dataclass(frozen=True)
class Family:
    """The pairs of rows that are asked about together.

    Where there is a reference every other row is compared with it; else every two rows are a pair.
    """

    pairs: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.pairs)


def family_of(rows: Sequence[int], reference: int | None = None) -> Family:
    """Return the family of some rows: all pairs of them, or each against a reference."""
    if reference is None:
        return Family(tuple(combinations(rows, 2)))
    return Family(tuple((row, reference) for row in rows if row != reference))


def final_tests(context: ScoringContext, family: Family) -> dict[tuple[int, int], float]:
    """Return the adjusted P of every finished pair of a family, by its rows in either order."""
    ready = _ready(context, family.pairs)
    if not ready:
        return {}
    # A pair alone has the test that it also has by itself (`single_tests`).
    names = _names(context, ready) if len(family.pairs) > 1 else ()
    tests = _tested(context, ready, names=names)
    return _by_rows(ready, tests.adjusted.tolist())


def single_tests(context: ScoringContext, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Return the P of every finished pair that is asked about alone, by its rows in either order.

    The patterns of signs depend on the number of queries alone, not on the runs: hundreds of versions are
    tested against the version before them in one pass, and each gets the P that it has by itself.
    """
    found: dict[tuple[int, int], float] = {}
    groups: dict[bytes, list[tuple[int, int]]] = {}
    counted = context.board.counted
    for a, b in _ready(context, pairs):
        groups.setdefault((counted[a] & counted[b]).tobytes(), []).append((a, b))
    for group in groups.values():
        found |= _by_rows(group, _tested(context, group, names=()).raw.tolist())
    return found


@dataclass(frozen=True)
class UnadjustedTest:
    """The sign-flip test of one pair by itself, on all its scored queries, finished or not.

    Attributes
    ----------
    p
        Not adjusted for anything.
    resamples
        The patterns of signs compared: all of them where `exact`, else drawn from `seed`.
    """

    p: float
    resamples: int
    exact: bool
    seed: int


def unadjusted_test(context: ScoringContext, rows: tuple[int, int]) -> UnadjustedTest | None:
    """Return the sign-flip test of a pair by itself, for experts; None without a query.

    The final test of a pair that is asked about alone is this one, once the pair is finished.
    """
    counted = context.board.counted
    n = int(np.count_nonzero(counted[rows[0]] & counted[rows[1]]))
    if not n:
        return None
    tests = _tested(context, [rows], names=())
    seed = seed_of(context.board.ruler.fingerprint, n)
    return UnadjustedTest(float(tests.raw[0]), tests.resamples, tests.exact, seed)


def _ready(context: ScoringContext, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs that take part in a final test."""
    finished = [pair for pair, done in zip(pairs, finished_pairs(context, pairs), strict=True) if done]
    if not finished:
        return []
    counted = context.board.counted.astype(np.float64)
    judged = context.board.values[f"judged@{context.board.ruler.k}"]
    numbers = counted @ counted.T
    # The mean judged@k of each row, over the queries that it shares with each other row.
    shares = np.where(context.board.counted, judged, 0.0) @ counted.T / np.maximum(numbers, 1.0)
    return [
        (a, b)
        for a, b in finished
        if may_be_final(
            int(numbers[a, b]),
            (float(shares[a, b]), float(shares[b, a])),
            finished=True,
            complete=context.complete,
        )
    ]


def _names(context: ScoringContext, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(sorted({context.board.runs[row].run.id for pair in pairs for row in pair}))


def _tested(context: ScoringContext, pairs: list[tuple[int, int]], *, names: tuple[int, ...]) -> FamilyTests:
    """Return the tests of some pairs, kept by everything that goes into them."""
    rows = sorted({row for pair in pairs for row in pair})
    at = {row: place for place, row in enumerate(rows)}
    counted = context.board.counted[rows]
    scores = np.where(counted, context.values[rows], 0.0)
    numbers = np.array([(at[a], at[b]) for a, b in pairs])
    n = int(np.count_nonzero(counted.sum(axis=0) > 1))
    seed = seed_of(context.board.ruler.fingerprint, *names, n)
    flips = FLIPS if len(pairs) <= MANY_PAIRS or not names else FLIPS_OF_MANY
    content = hashlib.sha256(b"".join(part.tobytes() for part in (scores, counted, numbers))).digest()
    key = (seed, flips, content)
    # Everything that goes in is in the key, so the tests hold as long as the function itself.
    return _cache.get_or_make(
        compare_pairs, key, lambda: compare_pairs(scores, counted, numbers, seed=seed, flips=flips)
    )


def _by_rows(pairs: Sequence[tuple[int, int]], p: list[float]) -> dict[tuple[int, int], float]:
    found = dict(zip(pairs, p, strict=True))
    return found | {(b, a): value for (a, b), value in found.items()}


Ends = tuple[float, float] | None


@dataclass(frozen=True)
class BoundSums:
    """One entry per pair; d = score of the first row minus score of the second.

    Attributes
    ----------
    means
        The mean of the exact pair bounds over the comparison set; None where nothing can be bounded.
    safe_leader
        Who stays ahead however missing ratings turn out, by the sum over scored and undecided queries
        (EVALUATION.md section 1.4): 1, -1, or 0 for nobody, or where nothing is missing.
    """

    means: list[Ends]
    safe_leader: list[int]


def bound_sums(context: ScoringContext, pairs: Sequence[tuple[int, int]], compared: Flags) -> BoundSums:
    """Return what missing ratings could do to some pairs of rows.

    Parameters
    ----------
    compared
        bool (pairs, queries): the comparison sets.
    """
    if not context.bounded:
        return BoundSums([None] * len(pairs), [0] * len(pairs))
    first, second = np.array(pairs).T
    bounds = pair_bounds_of(context, pairs)
    decisive = context.covered[first] & context.covered[second] & context.possible
    missing = decisive @ context.board.judged.open_counts
    safe_leader = np.where(missing > 0, settled(bounds, decisive), 0).tolist()
    return BoundSums(list(bounds.means(compared)), safe_leader)


@dataclass(frozen=True)
class PairVerdict:
    """What may be said about two runs; d = score of `first` minus score of `second`.

    Attributes
    ----------
    rows
        Of the context: first and second.
    verdict
        The word, who is better (1: `first`, -1: `second`, 0: nobody is named), and its numbers.
    queries
        bool (queries,): the comparison set.
    bounds
        The mean of the exact pair bounds over it; None where nothing can be bounded.
    safe_leader
        Who stays ahead however the missing ratings turn out: 1, -1, or 0 for nobody, or where nothing is
        missing.
    missing
        The unrated answers in the top k of both.
    provisional, complete
        Whether either score is provisional; whether grades are declared complete.
    possible
        How many questions both can be scored on once everything is rated.
    lacking
        How many questions could be scored if both had results for them.
    lacked_by
        For how many of these the first has no results, and the second.
    """

    rows: tuple[int, int]
    first: RunFact
    second: RunFact
    verdict: Verdict
    queries: Flags = field(repr=False)
    bounds: tuple[float, float] | None
    safe_leader: int
    missing: MissingRatings
    provisional: bool
    complete: bool
    possible: int = 0
    lacking: int = 0
    lacked_by: tuple[int, int] = (0, 0)

    @property
    def n(self) -> int:
        """The number of queries in the comparison set."""
        return self.verdict.interval.n

    @property
    def needs_questions(self) -> bool:
        """Whether it is too early, and ratings of answers to a few more questions are what is needed."""
        return self.verdict.word == "too early" and self.possible >= LEAST_QUERIES

    @property
    def mean(self) -> float | None:
        """The mean difference, None without a query."""
        return self.verdict.interval.mean

    def turned(self) -> PairVerdict:
        """Return the same pair with its two runs exchanged."""
        bounds = None if self.bounds is None else (-self.bounds[1], -self.bounds[0])
        return replace(
            self,
            rows=(self.rows[1], self.rows[0]),
            first=self.second,
            second=self.first,
            verdict=self.verdict.turned(),
            bounds=bounds,
            safe_leader=-self.safe_leader,
            lacked_by=(self.lacked_by[1], self.lacked_by[0]),
        )


def pair_verdicts(
    context: ScoringContext, pairs: Sequence[tuple[int, int]], family: Family | None = None
) -> list[PairVerdict]:
    """Return the verdict on each pair of rows.

    Parameters
    ----------
    pairs
        (first, second) rows of the context.
    family
        The pairs that are asked about together, these among them; by default each pair is asked about alone.
    """
    if not pairs:
        return []
    first, second = np.array(pairs).T
    board = context.board
    drawn = context.evidence.structure.place_drawn
    queries = pair_queries(board.counted, context.covered, context.closed, pairs, drawn)
    final = single_tests(context, pairs) if family is None else final_tests(context, family)
    bounds = bound_sums(context, pairs, queries.compared)
    missing = missing_ratings(context, pairs)
    both = context.covered[first] & context.covered[second]
    # Declared finished, every question waits for its first good rating.
    possible = np.count_nonzero(both if context.complete else both & context.possible, axis=1)
    lacking = context.expected & ~both
    lacked_by = [np.count_nonzero(lacking & ~context.covered[rows], axis=1) for rows in (first, second)]
    differences = context.values[first] - context.values[second]
    verdicts = verdicts_of(
        differences,
        queries.compared,
        samples_of(
            differences,
            queries.sampled,
            queries.finished.tolist(),
            _judged_shares(context, pairs, queries.sampled),
        ),
        family=1 if family is None else len(family),
        final=[final.get(pair) for pair in pairs],
    )
    return [
        PairVerdict(
            rows=(a, b),
            first=board.runs[a].run,
            second=board.runs[b].run,
            verdict=verdict,
            queries=queries.compared[number],
            bounds=bounds.means[number],
            safe_leader=bounds.safe_leader[number],
            missing=missing[number],
            provisional=context.provisional[a] or context.provisional[b],
            complete=context.complete,
            possible=int(possible[number]),
            lacking=int(lacking[number].sum()),
            lacked_by=(int(lacked_by[0][number]), int(lacked_by[1][number])),
        )
        for number, ((a, b), verdict) in enumerate(zip(pairs, verdicts, strict=True))
    ]


def of_one_ranker(first: RunFact, second: RunFact) -> bool:
    """Return whether both are versions of one ranker."""
    return first.ranker_id == second.ranker_id


def _judged_shares(context: ScoringContext, pairs: Sequence[tuple[int, int]], sampled: Flags) -> list[float]:
    """Return the lower mean judged@k of both runs of each pair on its sample; 1 where grades are complete."""
    if context.complete:
        return [1.0] * len(pairs)
    judged = context.board.values[f"judged@{context.board.ruler.k}"]
    numbers = np.maximum(np.count_nonzero(sampled, axis=1), 1)
    sides = (
        np.where(sampled, judged[list(rows)], 0.0).sum(axis=1) / numbers for rows in zip(*pairs, strict=True)
    )
    shares: list[float] = np.minimum(*sides).tolist()
    return shares
