"""A comparison as one sentence, with the numbers that decided it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.scoring.verdict import LEAST_QUERIES
from app.services.file_scores.figures import style_of
from app.services.wording import counted

if TYPE_CHECKING:
    from app.services.file_scores.comparing import Comparison


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
        "sure": f"{winner} is surely better than {loser} in {measure}",
        "probably better": f"{winner} is probably better than {loser} in {measure}",
        "too close to call": f"{first} and {second} are too close to call in {measure}",
        "not sure yet": f"Not sure yet whether {first} or {second} is better in {measure}",
    }[verdict.word]
    return f"{said}: {_numbers(compared, first, second)}{_next_step(compared)}."


def _numbers(compared: Comparison, first: str, second: str) -> str:
    """Return the mean difference with its interval and n."""
    interval = compared.verdict.interval
    queries = counted(interval.n, "query", "queries")
    style = f"+{style_of(compared.means)}"
    ends = f"95% {interval.low:{style}} to {interval.high:{style}}, {queries}"
    return f"{second} minus {first} is {interval.mean:{style}} ({ends})"


def _next_step(compared: Comparison) -> str:
    """Return what would help to tell the two apart; nothing where nothing would, or nothing is needed."""
    verdict = compared.verdict
    if verdict.word in {"sure", "too close to call"}:
        return ""
    if not verdict.sample.finished:
        return f"; the first {verdict.sample.n} in a random order are judged in full and decide"
    if verdict.to_add is None:
        return ""
    shown = f"{compared.target:{style_of([compared.target])}}"
    return f"; about {verdict.to_add} more queries would show {shown}"
