"""A pair's verdict as sentences, the same on its page, in the gate and in a report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.scoring.verdict import LEAST_QUERIES

if TYPE_CHECKING:
    from app.services.comparison.pairs import PairVerdict
    from app.services.evidence.structure import RunFact


def names_of(first: RunFact, second: RunFact, *, versions: bool = False) -> tuple[str, str]:
    """Return what two runs are called beside each other: their rankers, with versions where needed."""
    if versions or first.ranker == second.ranker:
        return f"{first.ranker} {first.version}", f"{second.ranker} {second.version}"
    return first.ranker, second.ranker


def title_of(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the verdict on a pair as one sentence without a full stop."""
    first, second = names
    winner, loser = (first, second) if pair.verdict.ahead > 0 else (second, first)
    return {
        "too early": f"Too early to compare {first} and {second}",
        "sure": f"{winner} is surely better than {loser}",
        "settled": f"{winner} stays ahead of {loser} on these questions, whatever is still unjudged",
        "leaning": f"{winner} is probably better than {loser}, but not surely",
        "not sure yet": f"Not sure yet whether {first} or {second} is better",
    }[pair.verdict.word]


def mean_sentence(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return who scores how many points more on average, over how many questions."""
    if pair.mean is None:
        return "There is no question yet that both can be scored on."
    over = f"over the {pair.n:,} scored questions that both cover"
    if pair.n == 1:
        over = "on the one scored question that both cover"
    if pair.mean == 0:
        return f"On average both score the same {over}."
    higher, lower = names if pair.mean > 0 else (names[1], names[0])
    return f"On average {higher} scores {points_of(pair.mean)} more than {lower}, {over}."


def points_of(difference: float) -> str:
    """Return the size of a difference of scores in points, in words."""
    whole = int(abs(difference) * 100 + 0.5)
    if whole == 0:
        return "less than 1 point"
    return "1 point" if whole == 1 else f"{whole} points"


def chance_sentence(p: float) -> str:
    """Return in words how often chance alone would make a gap this big, one pair looked at alone."""
    return f"If both were equally good, a gap this big would still turn up {_times(p)}."


def early_sentence(pair: PairVerdict) -> str:
    """Return what a comparison still needs before any word can be said."""
    there = "there is 1" if pair.n == 1 else f"there are {pair.n or 'none'}"
    return f"A verdict needs {LEAST_QUERIES} scored questions that both cover; {there} so far."


def _times(p: float) -> str:
    times = int(p * 100 + 0.5)
    if times == 0:
        return "less than 1 time in 200"
    return "about 1 time in 100" if times == 1 else f"about {times} times in 100"
