"""What was worked out about a project's past. No later event changes it, so later evidence keeps it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from datetime import date

MOST_SCORES = 100_000


class PastScore(NamedTuple):
    """One run's score at one revision, with what belongs to it.

    `low` and `high` are Student's interval; `least` and `most` the exact bounds, where they were asked for.
    """

    score: float | None
    low: float | None
    high: float | None
    scored: int
    judged: float | None
    least: float | None = None
    most: float | None = None


@dataclass
class Memory:
    """Scores by (revision, number of the run, with bounds); the last revision of every UTC day, known so far.

    Attributes
    ----------
    days
        The last revision of each day on which ratings arrived, in order.
    days_until
        The revision up to which the days are known.
    kept
        What other services keep from one revision to the next, each under a name of its own.
    """

    scores: dict[tuple[int, int, bool], PastScore] = field(default_factory=dict)
    days: dict[date, int] = field(default_factory=dict)
    days_until: int = 0
    kept: dict[str, Any] = field(default_factory=dict)

    def keep(self, found: dict[tuple[int, int, bool], PastScore]) -> None:
        """Remember scores; when there are too many, the older ones are worked out again when needed."""
        if len(self.scores) + len(found) > MOST_SCORES:
            self.scores = {}
        self.scores.update(found)
