"""How long a rating takes in a project: measured, or 20 seconds where too little was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Judgment, Person, PersonKind
from app.services.ledger import head_of
from app.services.wording import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

SECONDS_EACH = 20
# A mean of fewer times is no pace.
LEAST_TIMED = 50
LOOKED_AT = 500
# Revisions: in a ledger full of imported grades the search for times ends here.
LOOKED_BACK = 20_000


@dataclass(frozen=True)
class Pace:
    """Seconds per rating.

    Attributes
    ----------
    timed
        How many timed ratings it is the mean of; 0 where it is assumed.
    """

    seconds: float
    timed: int

    @property
    def is_measured(self) -> bool:
        """Whether it was measured in this project."""
        return self.timed > 0

    @property
    def words(self) -> str:
        """Where it comes from, to stand after a time."""
        if not self.is_measured:
            return f"at {SECONDS_EACH} s each, as long as fewer than {LEAST_TIMED} ratings here were timed"
        return f"at {self.seconds:.0f} s each, the mean of the last {self.timed:,} timed ratings here"

    def time(self, ratings: float) -> str:
        """Return in words how long so many ratings take one person."""
        minutes = ratings * self.seconds / 60
        if not ratings:
            return "no time"
        if minutes < 90:
            return f"about {counted(max(round(minutes), 1), 'minute')}"
        return f"about {counted(round(minutes / 60), 'hour')}"


def pace_of(session: Session, project_id: int) -> Pace:
    """Return the mean active time of the last timed ratings by people, as their devices measured it.

    The mean, not the median: it is what many ratings add up to.
    """
    last = session.scalars(
        select(Judgment.active_ms)
        .join(Person, Person.id == Judgment.annotator_id)
        .where(
            Judgment.project_id == project_id,
            Judgment.revision > head_of(session, project_id) - LOOKED_BACK,
            Judgment.active_ms > 0,
            Judgment.grade.is_not(None),
            Person.kind == PersonKind.PERSON.value,
        )
        .order_by(Judgment.revision.desc())
        .limit(LOOKED_AT)
    ).all()
    if len(last) < LEAST_TIMED:
        return Pace(float(SECONDS_EACH), 0)
    return Pace(sum(last) / len(last) / 1000, len(last))
