"""What a person has rated day by day, in all projects: their own doing, for themselves alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from functools import cache

from sqlalchemy import Select, bindparam, exists, select
from sqlalchemy.orm import Session

from app.models.judgment import CurrentJudgment, Judgment, Origin
from app.models.project import Project
from app.services.assignment.wanted import PERSON
from app.services.current_judgments import in_ledger, settles
from app.services.prepared import Prepared

DAYS = 14
AT_ONCE = 200
# Of one project; whoever rates more in two weeks is told of the newest.
MOST = 20_000


@dataclass
class RatedDay:
    """One day: how many answers were rated or passed on, and the time that it took, pauses cut."""

    day: date
    answers: int = 0
    active_ms: int = 0

    @property
    def minutes(self) -> int:
        """The minutes that it took, as the devices measured them."""
        return round(self.active_ms / 60_000)


def rated_days(
    session: Session, person_id: int, now: datetime, zone: tzinfo, *, days: int = DAYS
) -> list[RatedDay]:
    """Return the last days of a person, today first, those without a rating as well.

    An answer counts on the day on which its current rating arrived.

    Parameters
    ----------
    zone
        Where the person is: their days begin at midnight there.
    """
    today = now.astimezone(zone).date()
    found = [RatedDay(today - timedelta(days=ago)) for ago in range(days)]
    begins = datetime.combine(found[-1].day, time.min, tzinfo=zone)
    for (at, active_ms), answers in _rated_since(session, person_id, begins).items():
        ago = (today - at.astimezone(zone).date()).days
        # A clock that was set back leaves nothing out.
        one = found[max(ago, 0)]
        one.answers += answers
        one.active_ms += active_ms * answers
    return found


def _rated_since(session: Session, person_id: int, begins: datetime) -> Counter[tuple[datetime, int]]:
    """Return how many current ratings since a moment arrived together and took the same time.

    The copy of a project holds its ratings once more: what both hold counts once.
    """
    found: Counter[tuple[datetime, int]] = Counter()
    for project_id in _projects.scalars(session, {"person": person_id}):
        found |= Counter(_rated_in(session, project_id, person_id, begins))
    return found


def _rated_in(
    session: Session, project_id: int, person_id: int, begins: datetime
) -> Iterator[tuple[datetime, int]]:
    """Yield when each current rating since a moment arrived, and the time it took, newest first."""
    # They come newest first: the first one that is older ends it.
    with session.connection().execute(_newest(), {"person": person_id, "project": project_id}) as rows:
        for at, active_ms in rows:
            if at < begins:
                break
            yield at, active_ms


@Prepared
def _projects() -> Select[int]:
    # Administrators rate without being members, and work counts in projects that somebody has left.
    of_project = exists().where(
        CurrentJudgment.annotator_id == PERSON, CurrentJudgment.project_id == Project.id
    )
    return select(Project.id).where(of_project)


@cache
def _newest() -> Select[datetime, int]:
    # Built once: putting it together takes longer than running it.
    return (
        select(Judgment.received_at, Judgment.active_ms)
        .select_from(CurrentJudgment)
        .join(Judgment, in_ledger(CurrentJudgment, Judgment))
        .where(
            CurrentJudgment.annotator_id == PERSON,
            CurrentJudgment.project_id == bindparam("project"),
            CurrentJudgment.kind != Origin.ADJUDICATION,
            settles(CurrentJudgment),
        )
        .order_by(CurrentJudgment.revision.desc())
        .limit(MOST)
        .execution_options(yield_per=AT_ONCE)
    )
