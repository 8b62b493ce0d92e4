"""The rankers side by side: one number each, its doubt, its coverage, and a word that the tests support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison import (
    Basis,
    NextLook,
    PairVerdict,
    PlanState,
    TestedPair,
    basis_of,
    next_look_of,
    state_of,
    tested_pairs,
)
from app.services.evaluation import Scoreboard, best_first
from app.services.overview.changed import changes_of
from app.services.overview.told import told_of

if TYPE_CHECKING:
    from app.scoring.intervals import MeanInterval
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class RankerStanding:
    """One ranker's newest active version.

    Attributes
    ----------
    score
        Mean over the comparison set, 0 to 1; None without scored queries.
    interval
        Student t over the same queries; no ends below 8 of them.
    bounds
        How low and high the score can still come out when everything is rated.
    judged
        judged@k over the same queries.
    verdict, word
        The kind of its word (`wording.KINDS`) and the word as it is shown; None where there is nobody to
        compare with, and for a leader about whom no one word holds against all the others.
    pair
        The leader against this ranker; for the leader, against the second; None below 10 queries.
    change
        Points (score x 100) since the ranker's version before, on the queries that both cover; None
        for a first version.
    """

    run: RunFact
    place: int
    score: float | None
    interval: MeanInterval
    bounds: tuple[float, float] | None
    judged: float | None
    weight_judged: float | None
    scored: int
    no_relevant: int
    unjudged: int
    verdict: str | None
    word: str | None
    sentence: str
    pair: PairVerdict | None
    change: float | None


@dataclass(frozen=True)
class Standing:
    """All rankers, best first, with the sentence that sums them up.

    `provisional` names the tag: ratings are missing that could still move a score. `plan` is the present
    comparison, `next_look` what the plan heads for, `tests` what its last look said about every pair.
    `leads` says whether the first has a lead that shows; never so early.
    """

    sentence: str
    rankers: list[RankerStanding]
    common: int
    early: bool
    provisional: bool
    complete: bool
    board: Scoreboard
    plan: PlanState | None
    next_look: NextLook | None
    tests: list[TestedPair]
    leads: bool


def standing_of(evidence: Evidence, basis: Basis | None = None) -> Standing:
    """Return how the newest active versions stand, on the queries that all of them cover.

    Parameters
    ----------
    basis
        Of the current runs of this evidence, where the caller has it already.
    """
    found = basis or basis_of(evidence)
    board = found.board
    common = int(board.common.sum())
    early = common < LEAST_QUERIES
    order = best_first(board)
    plan = state_of(found)
    told = told_of(found, order, plan, early=early)
    intervals, judged, changes = board.common_intervals, board.common_coverage, changes_of(found)
    bounds = found.bounds_over(board.common)
    rankers = [
        _ranker(
            found,
            row,
            said,
            interval=intervals[row],
            bounds=bounds[row],
            judged=judged[row],
            change=changes[row],
            pair=pair,
        )
        for row, said, pair in zip(order, told.said, told.pairs, strict=True)
    ]
    return Standing(
        sentence=told.sentence,
        rankers=rankers,
        common=common,
        early=early,
        provisional=any(found.provisional),
        complete=found.complete,
        board=board,
        plan=plan,
        next_look=next_look_of(found, plan),
        tests=tested_pairs(evidence, plan.taken[-1]) if plan and plan.taken else [],
        leads=told.leads,
    )


def _ranker(
    basis: Basis,
    row: int,
    said: tuple[str | None, str | None, str],
    *,
    interval: MeanInterval,
    bounds: tuple[float, float] | None,
    judged: float | None,
    change: float | None,
    pair: PairVerdict | None,
) -> RankerStanding:
    """Return one row of the page; `said` is the kind, the word and the sentence of its verdict."""
    board, scored = basis.board, basis.board.runs[row]
    kind, word, sentence = said
    return RankerStanding(
        run=scored.run,
        place=scored.place,
        score=interval.mean,
        interval=interval,
        bounds=bounds,
        judged=judged,
        weight_judged=scored.judged[f"weight-judged@{board.ruler.k}"],
        scored=scored.scored,
        no_relevant=scored.no_relevant,
        unjudged=scored.unjudged,
        verdict=kind,
        word=word,
        sentence=sentence,
        pair=pair,
        change=change,
    )
