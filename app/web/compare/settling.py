"""What would settle a comparison: what to rate, and how many questions to add, each where it is true."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.scoring.significance_power import LEAST_TARGET
from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison.wording import minutes_of, points_of
from app.services.wording import counted

if TYPE_CHECKING:
    from app.services.comparison import PairVerdict


@dataclass(frozen=True)
class Step:
    """One thing that would help: `kind` is rate, decide or add."""

    kind: str
    title: str
    text: str


def settling_of(pair: PairVerdict) -> list[Step]:
    """Return what would help to tell a pair apart; nothing where it is told apart or nothing would."""
    word, missing = pair.verdict.word, pair.missing
    if word == "sure":
        return []
    steps = []
    if missing.ratable:
        completes = "It completes this comparison; it may still be unsure."
        if missing.unratable:
            completes = "It does not complete this comparison alone."
        steps.append(
            Step(
                "rate",
                f"Rate {counted(missing.ratable, 'answer')}",
                f"About {minutes_of(missing.ratable).removeprefix('about ')}. {completes}",
            )
        )
    if missing.unratable:
        steps.append(
            Step(
                "decide",
                f"Decide {counted(missing.unratable, 'answer')} that could not be rated",
                "Or retire their questions.",
            )
        )
    adding = _adding(pair, "Then add" if steps else "Add")
    return [*steps, *([adding] if adding else [])]


def _adding(pair: PairVerdict, add: str) -> Step | None:
    if pair.verdict.word == "too close to call":
        return None
    if pair.n < LEAST_QUERIES and not pair.missing.ratable:
        lacking = LEAST_QUERIES - pair.n
        text = f"From {LEAST_QUERIES} scored questions on the two can be compared."
        return Step("add", f"{add} {counted(lacking, 'question')} or more", text)
    if pair.verdict.to_add is None or pair.n < LEAST_QUERIES:
        return None
    shown = points_of(max(abs(pair.mean or 0.0), LEAST_TARGET))
    return Step(
        "add", f"{add} about {pair.verdict.to_add} questions", f"Enough to show a gap of {shown} or more."
    )
