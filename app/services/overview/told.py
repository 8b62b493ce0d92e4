"""What is said of the rankers side by side: against the declared baseline, else against the leader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.comparison import baseline_ranker, pair_verdicts
from app.services.overview.against_baseline import headline_against, said_against, said_of_baseline
from app.services.overview.wording import (
    Against,
    gap_of,
    headline_of,
    leader_sentence,
    leaders_kind,
    row_sentence,
    shown_word,
    word_of,
)

if TYPE_CHECKING:
    from app.services.comparison import Basis, PairVerdict, PlanState
    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class Told:
    """The sentence over all, and what is said of each ranker with the pair behind it, best first."""

    sentence: str
    said: list[tuple[str | None, str | None, str]]
    pairs: list[PairVerdict | None]
    baseline: RunFact | None = None
    leads: bool = False


def told_of(basis: Basis, order: list[int], plan: PlanState | None, *, early: bool) -> Told:
    """Return the words: against the baseline where one is declared, else against the leader."""
    runs = [basis.board.runs[row].run for row in order]
    base = _baseline_row(basis)
    run = None if base is None else basis.board.runs[base].run
    if early or len(order) < 2:
        sentence = headline_of(runs, [], int(basis.board.common.sum()), _possible(basis))
        said = [_said([], number, early=early) for number in range(len(order))]
        return Told(sentence, said, [None] * len(order), run)
    if base is not None:
        return _told_against(basis, order, base, plan)
    pairs = _pairs(basis, order, plan)
    return Told(
        headline_of(runs, pairs, int(basis.board.common.sum()), _possible(basis)),
        [_said(pairs, number, early=False) for number in range(len(order))],
        [pairs[0].pair, *(one.pair for one in pairs)],
        leads=pairs[0].leads,
    )


def _told_against(basis: Basis, order: list[int], base: int, plan: PlanState | None) -> Told:
    others = [row for row in order if row != base]
    found = pair_verdicts(basis, [(row, base) for row in others], state=plan, queries=basis.board.common)
    pair_of = dict(zip(others, found, strict=True))
    return Told(
        headline_against(found),
        [said_of_baseline() if row == base else said_against(pair_of[row]) for row in order],
        [pair_of.get(row) for row in order],
        basis.board.runs[base].run,
    )


def _possible(basis: Basis) -> int:
    """Return how many questions that all rankers cover are scored, or could become so."""
    return int((basis.covered.all(axis=0) & basis.possible).sum())


def _baseline_row(basis: Basis) -> int | None:
    """Return the row of the declared baseline, None without one among the current runs."""
    ranker = baseline_ranker(basis.evidence)
    rows = (row for row, scored in enumerate(basis.board.runs) if scored.run.ranker_id == ranker)
    return next(rows, None)


def _pairs(basis: Basis, order: list[int], plan: PlanState | None) -> list[Against]:
    """Return the leader against every other, best first."""
    wanted = [(order[0], row) for row in order[1:]]
    found = pair_verdicts(basis, wanted, state=plan, queries=basis.board.common)
    return [Against(pair, gap_of(pair.mean)) for pair in found]


def _said(pairs: list[Against], number: int, *, early: bool) -> tuple[str | None, str | None, str]:
    """Return the kind, the word and the sentence of the ranker at a place of the order."""
    if early:
        return "too_early", "Too early", ""
    if not pairs:
        return None, None, ""
    if number:
        one = pairs[number - 1]
        return one.kind, word_of(one), row_sentence(one)
    kind = leaders_kind(pairs)
    return kind, kind and shown_word(kind, "ahead"), leader_sentence(pairs[0])
