"""Remove what abandoned imports left behind: nobody has ever seen any of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select

from app.models import Candidate, Run, now_utc
from app.services.pooling.candidates import is_used
from app.services.runs.publishing import drop_run
from app.services.runs.rankers import drop_empty_ranker

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# Longer than any import takes, so that one that is still at work is left alone.
ABANDONED_AFTER = timedelta(hours=6)


def sweep_unpublished(session: Session, *, older_than: timedelta = ABANDONED_AFTER) -> int:
    """Delete the runs whose import stopped half way, with the candidates they made; return how many."""
    before = now_utc() - older_than
    abandoned = session.scalars(
        select(Run).where(Run.state == "unpublished", Run.registered_at < before)
    ).all()
    for run in abandoned:
        ranker_id, project_id = run.ranker_id, run.project_id
        drop_run(session, run)
        drop_empty_ranker(session, ranker_id)
        _drop_unused_candidates(session, project_id)
    return len(abandoned)


def _drop_unused_candidates(session: Session, project_id: int) -> None:
    # While another import is at work, its candidates look just as unused.
    if session.scalar(select(exists().where(Run.project_id == project_id, Run.state == "unpublished"))):
        return
    session.execute(
        delete(Candidate).where(Candidate.project_id == project_id, Candidate.in_pool.is_(False), ~is_used())
    )
