"""A pair's verdict as sentences: the same on every page, in the gate, on the command line and in a report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.significance_power import LEAST_TARGET
from app.scoring.verdict import LEAST_QUERIES
from app.services.wording import counted

if TYPE_CHECKING:
    from app.services.comparison.basis import Basis
    from app.services.comparison.pairs import PairVerdict
    from app.services.evidence.structure import RunFact

CONCENTRATED, CONCENTRATED_UNSURE = 0.25, 0.5
LEAST_GAP = 3
"""Points from which on the concentration of an unsure lead is worth a note."""
SECONDS_EACH = 20


@dataclass(frozen=True)
class Concentration:
    """One question that makes up much of a lead: the sentence, and the place of the question."""

    text: str
    place: int


def names_of(first: RunFact, second: RunFact, *, versions: bool = False) -> tuple[str, str]:
    """Return what two runs are called beside each other: their rankers, with versions where needed."""
    if first.ranker == second.ranker:
        return f"{first.ranker} {first.version}", second.version
    if versions:
        return f"{first.ranker} {first.version}", f"{second.ranker} {second.version}"
    return first.ranker, second.ranker


def verdict_word(pair: PairVerdict) -> str:
    """Return the word about the first of a pair, as it is shown: one of the five, or its turned form."""
    word, behind = pair.verdict.word, pair.verdict.ahead < 0
    turned = {"sure": "Surely worse", "probably better": "Probably worse"}
    return turned[word] if behind else word.capitalize()


def title_of(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return the verdict on a pair as one sentence, without a full stop."""
    word, leads = pair.verdict.word, pair.verdict.leads
    ahead, behind = names if leads >= 0 else (names[1], names[0])
    if word == "too early":
        return f"Too early to compare: {pair.n} of {LEAST_QUERIES} questions scored"
    if word == "sure":
        return f"{ahead} is better than {behind}, by {points_of(pair.mean or 0.0)}"
    if word == "probably better":
        return f"{ahead} is probably better than {behind}, by {points_of(pair.mean or 0.0)}"
    if word == "too close to call":
        return f"{names[0]} and {names[1]} are too close to call: any gap is under 5 points"
    if not leads:
        return f"{names[0]} and {names[1]} are level, but that is not sure yet"
    return f"{ahead} leads {behind} by {points_of(pair.mean or 0.0)}, but that is not sure yet"


def range_sentence(pair: PairVerdict, names: tuple[str, str]) -> str:
    """Return in words how far the gap may lie for other questions like these; nothing without an interval."""
    low, high = pair.verdict.interval.low, pair.verdict.interval.high
    if low is None or high is None:
        return ""
    first, second = names
    if pair.verdict.leads < 0:
        first, second, low, high = second, first, -high, -low
    return range_of(low, high, first, f"{first} and {second}", ("behind", "ahead"))


def range_of(low: float, high: float, name: str, both: str, sides: tuple[str, str]) -> str:
    """Return an interval of a difference in words.

    Parameters
    ----------
    name, both
        Whom the sentence is about, and both together.
    sides
        The word for a difference below 0, and above.
    """
    least, most = gap_of(low), gap_of(high)
    if least < 0 < most:
        worse = points_in_words(-least)
        return f"With other questions {name} could be from {worse} {sides[0]} to {most} {sides[1]}."
    near, far = sorted((abs(least), abs(most)))
    side = sides[low + high >= 0]
    if not far:
        return f"With other questions {both} are likely level."
    if not near:
        return f"With other questions {name} is likely level or up to {points_in_words(far)} {side}."
    reach = points_in_words(far) if near == far else f"{near} to {points_in_words(far)}"
    return f"With other questions {name} is likely {reach} {side}."


def next_step_sentence(pair: PairVerdict) -> str:
    """Return what would help to tell the two apart; nothing where nothing would."""
    if pair.verdict.word == "sure":
        return ""
    if pair.missing.ratable:
        return _rate(pair)
    if pair.missing.unratable:
        answers = counted(pair.missing.unratable, "answer")
        return f"{answers} could not be rated: decide them, or retire their questions."
    return _add(pair)


def _rate(pair: PairVerdict) -> str:
    answers = counted(pair.missing.ratable, "more answer")
    step = f"Rate {answers} ({minutes_of(pair.missing.ratable)}) to complete this comparison."
    if pair.verdict.word == "too early" or pair.verdict.to_add is None:
        return step
    return f"{step} If still unsure, add about {pair.verdict.to_add} questions."


def _add(pair: PairVerdict) -> str:
    if pair.verdict.word == "too early":
        return f"Add {counted(LEAST_QUERIES - pair.n, 'question')} or more."
    if pair.verdict.to_add is None or pair.verdict.word == "too close to call":
        return ""
    shown = points_of(max(abs(pair.mean or 0.0), LEAST_TARGET))
    return f"Add about {pair.verdict.to_add} questions: enough to show a gap of {shown}."


def note_of(pair: PairVerdict) -> str:
    """Return the one note below the word; nothing where there is none to make."""
    if pair.complete:
        return "Unrated answers count as not relevant"
    # Beside "not sure yet" it would sound surer than the word.
    if pair.verdict.ahead and pair.kept == pair.verdict.ahead:
        return "Missing ratings cannot change this order"
    if not pair.missing.answers or pair.verdict.word == "too early":
        return ""
    low, high = pair.verdict.interval.low or 0.0, pair.verdict.interval.high or 0.0
    if not pair.verdict.ahead and low * high > 0:
        # The interval is over all scored questions, the word over complete ones: say why they differ.
        return f"Only {pair.verdict.sample.n} of {counted(pair.n, 'question')} complete"
    waiting = counted(pair.missing.answers, "unrated answer")
    return f"Provisional: {waiting}" if pair.provisional else waiting


def concentration_of(basis: Basis, pair: PairVerdict) -> Concentration | None:
    """Return the question that makes up much of a lead; None where none does, or nobody leads."""
    share, word = pair.verdict.concentration, pair.verdict.word
    if share is None or not pair.verdict.leads:
        return None
    if word in {"sure", "probably better"}:
        told = share >= CONCENTRATED
    else:
        enough = abs(gap_of(pair.mean)) >= LEAST_GAP
        told = word == "not sure yet" and share >= CONCENTRATED_UNSURE and enough
    if not told:
        return None
    first, second = pair.rows
    places = np.flatnonzero(pair.queries)
    sides = (basis.values[first, places] - basis.values[second, places]) * pair.verdict.leads
    part = "All" if share >= 1 else f"{int(share * 100 + 0.5)} %"
    return Concentration(f"{part} of this lead comes from one question", int(places[sides.argmax()]))


def gap_of(mean: float | None) -> int:
    """Return a mean difference in whole points, halves away from 0: everywhere the same number."""
    size = int(abs(mean or 0.0) * 100 + 0.5)
    return -size if (mean or 0.0) < 0 else size


def printed_score(score: float | None, decimals: int = 0) -> str:
    """Return a score from 0 to 100 as it is printed, halves away from 0 as gaps are; a dash without one."""
    if score is None:
        return "–"
    size = 10**decimals
    return f"{int(score * 100 * size + 0.5) / size:.{decimals}f}"


def signed_gap(mean: float | None) -> str:
    """Return a gap with its sign, such as "+4" or "−11"; a dash without one."""
    if mean is None:
        return "–"
    gap = gap_of(mean)
    return f"{'−' if gap < 0 else '+'}{abs(gap)}" if gap else "0"


def points_in_words(number: int) -> str:
    """Return a whole number of points in words."""
    return "1 point" if number == 1 else f"{number} points"


def points_of(difference: float) -> str:
    """Return the size of a difference of scores in points, in words."""
    whole = abs(gap_of(difference))
    return points_in_words(whole) if whole else "less than 1 point"


def minutes_of(answers: int) -> str:
    """Return in words how long one person takes to rate some answers."""
    minutes = max(1, -(-answers * SECONDS_EACH // 60))
    return counted(minutes, "minute") if minutes < 90 else f"about {round(minutes / 60)} hours"
