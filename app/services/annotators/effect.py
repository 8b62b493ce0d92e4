"""What some ratings move: the scores of today beside those that would stand without them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.tau import kendall_tau
from app.services.comparison import Basis, pair_verdicts
from app.services.comparison.wording import verdict_word
from app.services.evaluation import common_means, score_runs
from app.services.evidence.state import counts_under

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Floats
    from app.services.annotators.given import Given
    from app.services.comparison import PairVerdict
    from app.services.evidence.structure import RunFact

_SAME = 1e-9


@dataclass(frozen=True)
class Moved:
    """One ranker: its score with all ratings, and without some; None without a scored query."""

    run: RunFact
    score: float | None
    without: float | None

    @property
    def change(self) -> float | None:
        """How many points (score x 100) it gains when they are left out."""
        if self.score is None or self.without is None:
            return None
        return (self.without - self.score) * 100


@dataclass(frozen=True)
class VerdictChange:
    """A pair of rankers about which another word would be said; `ahead` and `behind` as things stand."""

    ahead: RunFact
    behind: RunFact
    before: str
    after: str


@dataclass(frozen=True)
class Effect:
    """What leaving some ratings out does to today's standing.

    Attributes
    ----------
    ratings
        How many are left out.
    rankers
        Best first, as things stand.
    tau
        Kendall's tau between both orders; None where there is no pair to order.
    scored, scored_without
        Questions that every ranker is scored on.
    """

    ratings: int
    rankers: tuple[Moved, ...]
    tau: float | None
    scored: int
    scored_without: int

    @property
    def largest(self) -> Moved | None:
        """The ranker whose score moves most, None where none moves."""
        moved = [one for one in self.rankers if one.change is not None and abs(one.change) > _SAME]
        return max(moved, key=lambda one: abs(one.change or 0.0), default=None)

    @property
    def leads_without(self) -> RunFact | None:
        """Who would lead, where that is somebody else."""
        known = [one for one in self.rankers if one.without is not None]
        if not known or self.rankers[0].score is None:
            return None
        best = max(known, key=lambda one: one.without or 0.0)
        first = self.rankers[0].without
        leads = first is not None and (best.without or 0.0) <= first + _SAME
        return None if leads else best.run


def effect_of(basis: Basis, given: Given, left_out: Flags) -> tuple[Effect, Basis]:
    """Return what leaving some grades out does, and the basis without them.

    Parameters
    ----------
    basis
        Of today's rankers, with everything that counts.
    given
        What annotators say.
    left_out
        bool (n,): which of it. What an adjudicator decided stands.
    """
    counted = left_out & given.graded & _counts(basis, given)
    without = _basis_without(basis, given, counted)
    before, after = common_means(basis.board), common_means(without.board)
    order = sorted(range(len(before)), key=lambda row: (-(before[row] or 0.0), row))
    runs = basis.board.runs
    effect = Effect(
        ratings=int(counted.sum()),
        rankers=tuple(Moved(runs[row].run, before[row], after[row]) for row in order),
        tau=_tau(before, after),
        scored=int(basis.board.common.sum()),
        scored_without=int(without.board.common.sum()),
    )
    return effect, without


def verdict_changes(basis: Basis, without: Basis) -> list[VerdictChange]:
    """Return the pairs with today's leader about which another word would be said."""
    means = common_means(basis.board)
    known = [row for row, mean in enumerate(means) if mean is not None]
    if len(known) < 2:
        return []
    leader = max(known, key=lambda row: (means[row] or 0.0, -row))
    pairs = [(leader, row) for row in known if row != leader]
    both = zip(pair_verdicts(basis, pairs), pair_verdicts(without, pairs), strict=True)
    return [
        VerdictChange(now.first, now.second, _said(now), _said(then))
        for now, then in both
        if (now.verdict.word, now.verdict.ahead) != (then.verdict.word, then.verdict.ahead)
    ]


def _said(pair: PairVerdict) -> str:
    """Return the word about the first of a pair."""
    return verdict_word(pair)


def _counts(basis: Basis, given: Given) -> Flags:
    """Return which rows the ruler counts."""
    if not basis.board.ruler.only_blind:
        return np.ones(len(given), dtype=np.bool_)
    return np.asarray(basis.evidence.ledger.blind[given.last])


def _basis_without(basis: Basis, given: Given, rows: Flags) -> Basis:
    evidence, ruler = basis.evidence, basis.board.ruler
    counts = counts_under(evidence, ruler).copy()
    np.subtract.at(counts, (given.cell[rows], given.column[rows]), 1)
    judged = evidence.judged_from(counts, ruler)
    return Basis(
        evidence,
        score_runs(evidence, basis.places, measures=f"weight-judged@{ruler.k}", ruler=ruler, judged=judged),
    )


def _tau(before: Sequence[float | None], after: Sequence[float | None]) -> float | None:
    rows = [row for row, pair in enumerate(zip(before, after, strict=True)) if None not in pair]
    return kendall_tau(_chosen(before, rows), _chosen(after, rows))


def _chosen(values: Sequence[float | None], rows: list[int]) -> Floats:
    return np.array([values[row] for row in rows], dtype=np.float64)
