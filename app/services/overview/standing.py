"""The rankers side by side: one number each, its doubt, its coverage, and a word that the tests support."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.intervals import mean_intervals
from app.scoring.means import means_of
from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison import (
    Basis,
    NextLook,
    PairVerdict,
    PlanState,
    TestedPair,
    basis_of,
    next_look_of,
    pair_verdicts,
    state_of,
    tested_pairs,
)
from app.services.evaluation import Scoreboard, common_means, score_runs
from app.services.overview.against_baseline import headline_against, said_against, said_of_baseline
from app.services.overview.wording import (
    Against,
    headline_of,
    leader_sentence,
    row_sentence,
    shown,
    word_of,
)

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
        The kind of its word (`wording.KINDS`, and ``ahead`` for the leader) and the word as it is shown;
        None where there is nobody to compare with.
    pair
        The leader against this ranker; for the leader, against the second; with a baseline this ranker
        against it; None below 10 queries.
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
    comparison, `baseline` the ranker that the words hold the others against, `next_look` what the plan
    heads for, `tests` what its last look said about every pair.
    """

    sentence: str
    rankers: list[RankerStanding]
    common: int
    early: bool
    provisional: bool
    complete: bool
    board: Scoreboard
    baseline: RunFact | None
    plan: PlanState | None
    next_look: NextLook | None
    tests: list[TestedPair]


def standing_of(evidence: Evidence, basis: Basis | None = None) -> Standing:
    """Return how the newest active versions stand, on the queries that all of them cover.

    Parameters
    ----------
    basis
        Of the current runs of this evidence, where the caller has it already.
    """
    found = basis or basis_of(evidence)
    board = found.board
    means = common_means(board)
    common = int(board.common.sum())
    early = common < LEAST_QUERIES
    order = sorted(range(len(means)), key=lambda row: (-(means[row] or 0.0), board.runs[row].run.mark))
    plan = state_of(found)
    told = _told(found, means, order, plan, early=early)
    intervals, changes = mean_intervals(found.values, board.common), _changes(found)
    bounds = found.bounds_over(board.common)
    judged = means_of(board.values[f"judged@{board.ruler.k}"], board.common)
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
        baseline=told.baseline,
        plan=plan,
        next_look=next_look_of(found, plan),
        tests=tested_pairs(evidence, plan.taken[-1]) if plan and plan.taken else [],
    )


@dataclass(frozen=True)
class _Told:
    """The sentence over all, and what is said of each ranker with the pair behind it, best first."""

    sentence: str
    said: list[tuple[str | None, str | None, str]]
    pairs: list[PairVerdict | None]
    baseline: RunFact | None = None


def _told(
    basis: Basis, means: list[float | None], order: list[int], plan: PlanState | None, *, early: bool
) -> _Told:
    """Return the words: against the baseline where one is declared, else against the leader."""
    runs = [basis.board.runs[row].run for row in order]
    base = _baseline_row(basis)
    run = None if base is None else basis.board.runs[base].run
    if early or len(order) < 2:
        sentence = headline_of(runs, [], int(basis.board.common.sum()))
        said = [_said([], number, early=early) for number in range(len(order))]
        return _Told(sentence, said, [None] * len(order), run)
    if base is not None:
        return _told_against(basis, means, order, base, plan)
    pairs = _pairs(basis, means, order, plan)
    return _Told(
        headline_of(runs, pairs, int(basis.board.common.sum())),
        [_said(pairs, number, early=False) for number in range(len(order))],
        [pairs[0].pair, *(one.pair for one in pairs)],
    )


def _told_against(
    basis: Basis, means: list[float | None], order: list[int], base: int, plan: PlanState | None
) -> _Told:
    others = [row for row in order if row != base]
    found = pair_verdicts(basis, [(row, base) for row in others], state=plan, queries=basis.board.common)
    pair_of = dict(zip(others, found, strict=True))
    return _Told(
        headline_against(found),
        [
            said_of_baseline() if row == base else said_against(pair_of[row], means[row], means[base])
            for row in order
        ],
        [pair_of.get(row) for row in order],
        basis.board.runs[base].run,
    )


def _baseline_row(basis: Basis) -> int | None:
    """Return the row of the declared baseline, None without one among the current runs."""
    ranker = basis.evidence.baseline_at()
    rows = (row for row, scored in enumerate(basis.board.runs) if scored.run.ranker_id == ranker)
    return next(rows, None)


def _pairs(
    basis: Basis, means: list[float | None], order: list[int], plan: PlanState | None
) -> list[Against]:
    """Return the leader against every other, best first."""
    wanted = [(order[0], row) for row in order[1:]]
    found = pair_verdicts(basis, wanted, state=plan, queries=basis.board.common)
    best = shown(means[order[0]])
    return [Against(pair, best - shown(means[row])) for pair, row in zip(found, order[1:], strict=True)]


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


def _said(pairs: list[Against], number: int, *, early: bool) -> tuple[str | None, str | None, str]:
    """Return the kind, the word and the sentence of the ranker at a place of the order."""
    if early:
        return "too_early", "Too early", ""
    if not pairs:
        return None, None, ""
    if number:
        one = pairs[number - 1]
        return one.kind, word_of(one), row_sentence(one)
    if pairs[0].leads:
        return "ahead", "Ahead so far", leader_sentence(pairs[0])
    return "not_sure", "Not sure yet", leader_sentence(pairs[0])


def _changes(basis: Basis) -> list[float | None]:
    """Return each row's points against the version before it, on the queries that both cover."""
    before = _versions_before(basis)
    changes: list[float | None] = [None] * len(basis.board.runs)
    if not before:
        return changes
    rows = list(before)
    board = score_runs(basis.evidence, list(before.values()))
    shared = board.counted & basis.board.counted[rows]
    then, now = means_of(board.values[board.headline], shared), means_of(basis.values[rows], shared)
    for row, old, new in zip(rows, then, now, strict=True):
        if old is not None and new is not None:
            changes[row] = (new - old) * 100
    return changes


def _versions_before(basis: Basis) -> dict[int, int]:
    """Return the place of the active version before that of each row that has one."""
    runs, newest = basis.evidence.structure.runs, {place: row for row, place in enumerate(basis.places)}
    last: dict[int, int] = {}
    before = {}
    for place in basis.evidence.active_runs():
        ranker = runs[place].ranker_id
        if place in newest and ranker in last:
            before[newest[place]] = last[ranker]
        last[ranker] = place
    return before
