"""The answer to "may I ship it?": one sentence about one pair, how sure it is, and what helps next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison.wording import (
    concentration_of,
    names_of,
    next_step_sentence,
    range_sentence,
    title_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.comparison import Basis, PairVerdict
    from app.services.comparison.wording import Concentration
    from app.services.overview.leaderboard import Entry

Action = Literal["rate", "decide", "import", "production", "compare"]


@dataclass(frozen=True)
class Answer:
    """What a page says first.

    Attributes
    ----------
    sentence
        The answer, with its full stop.
    lines
        What stands below it: what to do, the interval in words, and what would help.
    concentration
        The question that makes up much of the lead, where one does.
    action
        The one thing to do next: rate, decide what could not be rated, import, mark the version as in
        production, or compare.
    """

    sentence: str
    lines: list[str]
    concentration: Concentration | None
    action: Action


def answer_of(basis: Basis, entries: Sequence[Entry], pair: PairVerdict | None) -> Answer:
    """Return the answer about the entries, best first.

    Parameters
    ----------
    basis
        Of the entries.
    pair
        The challenger against the reference; None with fewer than two entries.
    """
    if not entries:
        return Answer("No ranker has been imported yet.", [], None, "import")
    if pair is None:
        name = entries[0].run.ranker
        return Answer(
            f"{name} is the only ranker: nothing to compare it with yet.",
            ["Import the results of another ranker, or the next version of this one."],
            None,
            "import",
        )
    production = any(entry.in_production for entry in entries)
    rankers = [entry.run.ranker_id for entry in entries]
    twice = any(rankers.count(run.ranker_id) > 1 for run in (pair.first, pair.second))
    names = names_of(pair.first, pair.second, versions=twice)
    return Answer(
        _sentence(pair, names, production=production),
        _lines(basis, pair, names, production=production),
        concentration_of(basis, pair),
        _action(basis, pair, production=production),
    )


def _sentence(pair: PairVerdict, names: tuple[str, str], *, production: bool) -> str:
    word, leads = pair.verdict.word, pair.verdict.leads
    if word == "too early" or not production:
        return f"{title_of(pair, names)}."
    if leads < 0 and word != "too close to call":
        return f"Nothing beats {names[1]} yet."
    return f"{'Yes: ' if word == 'sure' else ''}{title_of(pair, names)}."


def _lines(basis: Basis, pair: PairVerdict, names: tuple[str, str], *, production: bool) -> list[str]:
    word = pair.verdict.word
    if word == "too early":
        return [_until_enough(basis, pair)]
    keep = f"Keep {names[1]} in production for now. " if production and word != "sure" else ""
    said = [f"{keep}{range_sentence(pair, names)}".strip(), next_step_sentence(pair)]
    return [line for line in said if line]


def _until_enough(basis: Basis, pair: PairVerdict) -> str:
    """Return what leads to ten scored questions; a version takes no part in questions added after it."""
    possible = _possible(basis, pair)
    lacking = LEAST_QUERIES - pair.n
    scored = "A question is scored once an answer is rated above the lowest grade."
    if possible >= LEAST_QUERIES:
        return f"{scored} Rate for {lacking} more."
    more = LEAST_QUERIES - possible
    return f"{scored} Add at least {more} question{'s' * (more > 1)}, with new results of each ranker."


def _possible(basis: Basis, pair: PairVerdict) -> int:
    """Return how many questions both can be scored on once everything is rated."""
    covered = basis.covered[list(pair.rows)].all(axis=0)
    return int((covered & basis.possible).sum())


def _action(basis: Basis, pair: PairVerdict, *, production: bool) -> Action:
    word = pair.verdict.word
    if word == "too early" and _possible(basis, pair) < LEAST_QUERIES:
        return "import"
    if word == "sure":
        return "production" if production and pair.verdict.ahead > 0 else "compare"
    if pair.missing.ratable:
        return "rate"
    if pair.missing.unratable:
        return "decide"
    if word == "too close to call" or pair.verdict.leads < 0:
        return "compare"
    return "import"
