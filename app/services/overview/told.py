"""What is said of the rankers side by side: each against the leader."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.comparison import pair_verdicts
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


@dataclass(frozen=True)
class Told:
    """The sentence over all, and what is said of each ranker with the pair behind it, best first."""

    sentence: str
    said: list[tuple[str | None, str | None, str]]
    pairs: list[PairVerdict | None]
    leads: bool = False


def told_of(basis: Basis, order: list[int], plan: PlanState | None, *, early: bool) -> Told:
    """Return the words, each ranker against the leader."""
    runs = [basis.board.runs[row].run for row in order]
    if early or len(order) < 2:
        sentence = headline_of(runs, [], int(basis.board.common.sum()), _possible(basis))
        said = [_said([], number, early=early) for number in range(len(order))]
        return Told(sentence, said, [None] * len(order))
    pairs = _pairs(basis, order, plan)
    return Told(
        headline_of(runs, pairs, int(basis.board.common.sum()), _possible(basis)),
        [_said(pairs, number, early=False) for number in range(len(order))],
        [pairs[0].pair, *(one.pair for one in pairs)],
        leads=pairs[0].leads,
    )


def _possible(basis: Basis) -> int:
    """Return how many questions that all rankers cover are scored, or could become so."""
    return int((basis.covered.all(axis=0) & basis.possible).sum())


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
