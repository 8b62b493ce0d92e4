"""A comparison as one sentence, with the numbers that decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.scoring.milestones import ALPHA
from app.scoring.verdict import LEAST_QUERIES
from app.services.file_scores.figures import style_of
from app.services.wording import counted

if TYPE_CHECKING:
    from app.services.file_scores.comparing import Comparison

MOST_QUERIES = 1_000_000
"""Nobody has more: a number beyond says only that no difference will show."""


def sentence_of(compared: Comparison, first: str, second: str) -> str:
    """Return what may be said about two runs, named as given."""
    verdict, measure = compared.verdict, compared.measure
    if verdict.word == "too early":
        n = verdict.interval.n
        there = "there is 1" if n == 1 else f"there are {n or 'none'}"
        needed = f"a verdict needs {LEAST_QUERIES} queries that count for both; {there} so far"
        return f"Too early to compare {first} and {second}: {needed}."
    winner, loser = (second, first) if verdict.ahead > 0 else (first, second)
    said = {
        "sure": f"{winner} is surely ahead of {loser} in {measure}",
        "settled": f"{winner} stays ahead of {loser} in {measure} here, whatever is still unjudged",
        "leaning": f"{winner} is probably ahead of {loser} in {measure}, but not surely",
        "not sure yet": f"Not sure yet whether {first} or {second} is better in {measure}",
    }[verdict.word]
    return f"{said}: {_numbers(compared, first, second)}{_why_not(compared)}."


def _numbers(compared: Comparison, first: str, second: str) -> str:
    """Return the mean difference with its interval, P and n."""
    interval = compared.verdict.interval
    queries = counted(interval.n, "query", "queries")
    style = f"+{style_of(compared.means)}"
    ends = f"95% {interval.low:{style}} to {interval.high:{style}}, P = {compared.adjusted:.4g}, {queries}"
    return f"{second} minus {first} is {interval.mean:{style}} ({ends})"


def _why_not(compared: Comparison) -> str:
    """Return what stands in the way of a sure word, where one does."""
    verdict = compared.verdict
    if verdict.word in {"sure", "settled"}:
        return ""
    low, high = verdict.interval.low or 0.0, verdict.interval.high or 0.0
    if (compared.adjusted or 1.0) <= ALPHA and low * high > 0:
        return ", but the unjudged documents could still turn it round"
    if verdict.outlook is None or verdict.outlook.would_have_shown or verdict.outlook.more > MOST_QUERIES:
        return ""
    return f"; about {verdict.outlook.more} more queries would show {verdict.outlook.target:.2g} or more"
