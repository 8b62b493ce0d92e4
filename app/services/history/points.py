"""What a history is made of: moments, and one point per ranker and moment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from app.services.evidence.structure import RunFact


@dataclass(frozen=True)
class Moment:
    """A revision to look back at: a day, an event, or a labelled week of a replay."""

    revision: int
    at: datetime
    label: str | None = None
    several: bool = False
    """Whether others of its day stand beside it: its time of day tells them apart."""
    before: bool = False
    """Whether it is what was shown until something changed at its time."""


@dataclass(frozen=True)
class HistoryPoint:
    """One ranker at one moment.

    Attributes
    ----------
    score
        None where there was no scored query yet.
    low, high
        The band around it: Student's interval, or the exact bounds where a history is of evidence.
    scored
        The queries that the score is a mean of.
    judged
        judged@k over the same queries.
    fingerprint
        Of the ruler: points of different rulers are never joined.
    """

    moment: Moment
    run: RunFact
    score: float | None
    low: float | None
    high: float | None
    scored: int
    judged: float | None
    fingerprint: str


@dataclass(frozen=True)
class History:
    """Points per ranker in order of time, and the size of the comparison set where there is one.

    Where no scored query is covered by all, `apart` is the version that covers fewest, with their number.
    """

    mode: str
    points: dict[int, list[HistoryPoint]]
    common: int | None
    apart: tuple[RunFact, int] | None = None
