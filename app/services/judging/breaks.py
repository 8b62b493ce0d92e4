"""When a break would do good: how long somebody has rated without one, worked out from their ratings."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import Judgment

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy.orm import Session

# So long without a rating is a break.
BREAK = timedelta(minutes=10)
MOST_RATINGS = 600
HINT_AFTER = 45
# The hint goes away by itself after so many minutes: it is said once per stretch, not on every page.
HINT_FOR = 4


def minutes_since_break(session: Session, project_id: int, person_id: int, now: datetime) -> int:
    """Return a person's active minutes in a project since their last break."""
    rows = session.execute(
        select(Judgment.received_at, Judgment.active_ms)
        .where(Judgment.project_id == project_id, Judgment.annotator_id == person_id)
        .order_by(Judgment.revision.desc())
        .limit(MOST_RATINGS)
    )
    spent, later = 0, now
    for at, active_ms in rows:
        if later - at > BREAK:
            break
        spent, later = spent + active_ms, at
    return spent // 60_000


def break_hint(session: Session, project_id: int, person_id: int, now: datetime) -> int | None:
    """Return the active minutes to be told beside a soft hint to rest, or None while none is due."""
    minutes = minutes_since_break(session, project_id, person_id, now)
    return minutes if minutes >= HINT_AFTER and minutes % HINT_AFTER < HINT_FOR else None


def has_rated(session: Session, project_id: int, person_id: int) -> bool:
    """Tell whether a person has ever rated in a project."""
    mine = select(Judgment.revision).where(
        Judgment.annotator_id == person_id, Judgment.project_id == project_id
    )
    return session.scalar(mine.limit(1)) is not None
