"""Withdraw, restore and delete versions.

Withdrawing and restoring are ledger events that re-form the pool and take no judgment away. A version that
came in by mistake can be deleted while nothing rests on it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from sqlalchemy import delete, func, or_, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.event import Event, EventKind
from app.models.project import Project
from app.models.ranker import Ranker
from app.models.request import Request
from app.models.run import Ranking, Run
from app.scoring.arrays import Ints
from app.sentences import message, number_message, together
from app.services.bulk import batches, lock_project
from app.services.collection.files import refuse_archived
from app.services.collection.pool import (
    PoolChange,
    form_pool,
    is_used,
    places_of_run,
    stored_candidates,
    union_of,
    with_merged,
)
from app.services.collection.rankers import drop_empty_ranker, marked_run
from app.services.errors import ConflictError


class StateChange(NamedTuple):
    """From one state to another, and the event that says so."""

    before: str
    after: str
    kind: EventKind


WITHDRAW = StateChange("published", "withdrawn", EventKind.RUN_WITHDRAWN)
RESTORE = StateChange("withdrawn", "published", EventKind.RUN_RESTORED)


def withdraw_run(session: Session, run: Run, *, actor_id: int | None = None) -> PoolChange:
    """Take a run out of the pool and out of today's scores; it can be restored.

    :raise ConflictError: It is not published, or the project is archived.
    """
    return _turn(session, run, WITHDRAW, actor_id)


def restore_run(session: Session, run: Run, *, actor_id: int | None = None) -> PoolChange:
    """Bring a withdrawn run back.

    :raise ConflictError: It is not withdrawn, or the project is archived.
    """
    return _turn(session, run, RESTORE, actor_id)


def _turn(session: Session, run: Run, turn: StateChange, actor_id: int | None) -> PoolChange:
    project = lock_project(session, run.project_id)
    refuse_archived(project)
    session.refresh(run)
    if run.state != turn.before:
        raise ConflictError(f"This run is {run.state}, not {turn.before}.", code="run_state")
    run.state = turn.after
    session.flush()
    return form_pool(session, project, turn.kind, {"run_id": run.id}, actor_id=actor_id)[1]


def obstacle_to_deleting(session: Session, run: Run) -> str:
    """Return why a version cannot be deleted, as a sentence with its remedy; nothing where it can be."""
    project = session.get_one(Project, run.project_id)
    return _obstacle(session, project, run, _own_candidates(session, project, run))


def delete_run(session: Session, run: Run, *, actor_id: int | None = None) -> None:
    """Delete a version with the answers that only it returned; its ranker goes with its last version.

    :raise ConflictError: Something rests on it, or the project is archived.
    """
    project = lock_project(session, run.project_id)
    refuse_archived(project)
    session.refresh(run)
    own = _own_candidates(session, project, run)
    if obstacle := _obstacle(session, project, run, own):
        raise ConflictError(obstacle, code="in_use")
    ranker = session.get_one(Ranker, run.ranker_id)
    payload = {"run_id": run.id, "ranker": ranker.name, "version": run.version}
    asked = or_(Request.first_run_id == run.id, Request.second_run_id == run.id)
    session.execute(delete(Request).where(asked))
    session.execute(delete(Ranking).where(Ranking.run_id == run.id))
    session.delete(run)
    session.flush()
    form_pool(session, project, EventKind.RUN_DELETED, payload, actor_id=actor_id)
    for some in batches(own.tolist()):
        session.execute(delete(Candidate).where(Candidate.id.in_(some)))
    drop_empty_ranker(session, ranker.id)
    session.expire_all()


def _obstacle(session: Session, project: Project, run: Run, own: Ints) -> str:
    if session.get_one(Ranker, run.ranker_id).kind != "system":
        return message(
            "These answers were added by people, and are no version of a ranker: withdraw them instead."
        )
    used = sum(
        session.scalar(select(func.count()).where(Candidate.id.in_(some), is_used())) or 0
        for some in batches(own.tolist())
    )
    if used:
        why = number_message(
            "%(num)s answer that only this version returns was rated or assigned already.",
            "%(num)s answers that only this version returns were rated or assigned already.",
            used,
        )
        is_withdrawn = run.state == RESTORE.before
        return why if is_withdrawn else together(why, message("Withdraw the version instead."))
    if marked_run(session, project.id) == run.id:
        return message("This version is marked in production: remove that mark first.")
    return ""


def _own_candidates(session: Session, project: Project, run: Run) -> Ints:
    """Return the candidates that no other version returns, withdrawn ones included.

    Lists are read as deep as the pool ever was. Merged documents count as themselves and as the one that
    represents them.
    """
    depth = _deepest(session, project)
    others = session.scalars(
        select(Run.id).where(Run.project_id == project.id, Run.id != run.id).order_by(Run.id)
    ).all()
    mine = places_of_run(session, run.id, depth)
    theirs = union_of(places_of_run(session, number, depth) for number in others)
    merged = [with_merged(session, project.id, places).key for places in (mine, theirs)]
    own = np.setdiff1d(np.union1d(mine.key, merged[0]), np.union1d(theirs.key, merged[1]))
    stored = stored_candidates(session, project.id)
    at = stored.find(own)
    return stored.id[at[at >= 0]]


def _deepest(session: Session, project: Project) -> int:
    """Return the deepest that the pool ever was."""
    changes = session.scalars(
        select(Event.payload).where(
            Event.project_id == project.id, Event.kind == EventKind.DEPTH_CHANGED.value
        )
    )
    return max(
        [project.pool_depth, *(int(change[name]) for change in changes for name in ("before", "depth"))]
    )
