"""Remove what abandoned imports left behind: nobody has ever seen any of it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select

from app.models import (
    AssignmentCandidate,
    Candidate,
    Flag,
    Gold,
    Handling,
    Hearing,
    Judgment,
    JudgmentNote,
    Ranker,
    Referral,
    Run,
    now_utc,
)
from app.services.runs.publishing import drop_run

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

# Longer than any import takes, so that one that is still at work is left alone.
ABANDONED_AFTER = timedelta(hours=6)
USES = (Judgment, AssignmentCandidate, JudgmentNote, Flag, Gold, Referral, Hearing, Handling)


def sweep_unpublished(session: Session, *, older_than: timedelta = ABANDONED_AFTER) -> int:
    """Delete the runs whose import stopped half way, with the candidates they made; return how many."""
    before = now_utc() - older_than
    abandoned = session.scalars(
        select(Run).where(Run.state == "unpublished", Run.registered_at < before)
    ).all()
    for run in abandoned:
        ranker_id, project_id = run.ranker_id, run.project_id
        drop_run(session, run)
        _drop_empty_ranker(session, ranker_id)
        _drop_unused_candidates(session, project_id)
    return len(abandoned)


def _drop_empty_ranker(session: Session, ranker_id: int) -> None:
    has_runs = exists().where(Run.ranker_id == ranker_id)
    session.execute(delete(Ranker).where(Ranker.id == ranker_id, ~has_runs))


def _drop_unused_candidates(session: Session, project_id: int) -> None:
    # While another import is at work, its candidates look just as unused.
    if session.scalar(select(exists().where(Run.project_id == project_id, Run.state == "unpublished"))):
        return
    unused = [~exists().where(use.candidate_id == Candidate.id) for use in USES]
    session.execute(
        delete(Candidate).where(Candidate.project_id == project_id, Candidate.in_pool.is_(False), *unused)
    )
