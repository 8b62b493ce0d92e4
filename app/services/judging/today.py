"""What a person has rated day by day, in all projects: their own doing, for themselves alone."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, tzinfo
from typing import Any

from sqlalchemy import Select, bindparam, exists, func, select
from sqlalchemy.orm import Session

from app.models.base import UtcTime
from app.models.judgment import CurrentJudgment, Judgment, Origin
from app.models.project import Project
from app.services.assignment.wanted import PERSON
from app.services.current_judgments import in_ledger, settles
from app.services.prepared import Prepared

DAYS = 14
# Of one project; whoever rates more in two weeks is told of the newest.
MOST = 20_000


@dataclass
class RatedDay:
    """One day: how many answers were rated or passed on."""

    day: date
    answers: int = 0


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
    values = [
        {"person": person_id, "project": project_id, "begins": begins}
        for project_id in _projects.scalars(session, {"person": person_id})
    ]
    if days == 1:
        # As every rating page asks. A day's ratings are nearly always of one project: nothing counts twice.
        sums = [rated for each in values for rated in _sum.scalars(session, each) if rated]
        if len(sums) <= 1:
            return [RatedDay(today, *sums)]
    for at, answers in _rated_since(session, values).items():
        ago = (today - at.astimezone(zone).date()).days
        # A clock that was set back leaves nothing out.
        found[max(ago, 0)].answers += answers
    return found


def _rated_since(session: Session, values: list[dict[str, Any]]) -> Counter[datetime]:
    """Return how many current ratings since a moment arrived together.

    The copy of a project holds its ratings once more: what both hold counts once.
    """
    found: Counter[datetime] = Counter()
    for of_project in values:
        found |= Counter(_newest.scalars(session, of_project))
    return found


@Prepared
def _projects() -> Select[int]:
    # Administrators rate without being members, and work counts in projects that somebody has left.
    of_project = exists().where(
        CurrentJudgment.annotator_id == PERSON, CurrentJudgment.project_id == Project.id
    )
    return select(Project.id).where(of_project, Project.is_complete())


@Prepared
def _sum() -> Select[int]:
    return select(func.count()).select_from(_newest.build().subquery())


@Prepared
def _newest() -> Select[datetime]:
    # The database goes back from the newest to the first one that is older, and reads none before it.
    older = (
        _own(CurrentJudgment.revision)
        .where(Judgment.received_at < bindparam("begins", type_=UtcTime))
        .order_by(CurrentJudgment.revision.desc())
        .limit(1)
        .scalar_subquery()
    )
    return (
        _own(Judgment.received_at)
        .where(CurrentJudgment.revision > func.coalesce(older, 0))
        .order_by(CurrentJudgment.revision.desc())
        .limit(MOST)
    )


def _own(*columns: Any) -> Select[Any]:
    own = select(*columns).select_from(CurrentJudgment).join(Judgment, in_ledger(CurrentJudgment, Judgment))
    return own.where(
        CurrentJudgment.annotator_id == PERSON,
        CurrentJudgment.project_id == bindparam("project"),
        CurrentJudgment.kind != Origin.ADJUDICATION,
        settles(CurrentJudgment),
    ).correlate(None)
