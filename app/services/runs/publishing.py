"""The last, short transaction of an import: revision, event, pool and visibility at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import delete, exists, select

from app.models import Event, EventKind, Ranker, Ranking, Run
from app.services.bulk import lock_project
from app.services.errors import ConflictError
from app.services.ledger import record_event
from app.services.pooling.projection import apply_change, extension_of_pool
from app.services.runs.checks import check_names, find_registered, next_version, taken_versions
from app.services.runs.options import RunImported

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.runs.planning import RunPlan

REMOVALS = (EventKind.QUERIES_REMOVED.value, EventKind.DOCUMENTS_REMOVED.value)


def publish_run(
    session: Session, plan: RunPlan, run_id: int, document: Ints, *, actor_id: int | None = None
) -> RunImported:
    """Make a written run visible and pool its answers; return what was done.

    Raises
    ------
    ConflictError
        What the run names was removed meanwhile, or its label was taken.
    """
    project = lock_project(session, plan.project_id)
    refuse_if_removed(session, project, plan.revision)
    run = session.get_one(Run, run_id)
    ranker = session.get_one(Ranker, run.ranker_id)
    if known := find_registered(session, project, ranker.name, run.file_hash):
        drop_run(session, run)  # the same file was quicker through another door
        return known
    # The ranker may have been renamed since the check.
    check_names(session, project, replace(plan.options, ranker=ranker.name))
    change = extension_of_pool(session, project, plan.places(document, project.pool_depth))
    run.version = plan.options.version or next_version(taken_versions(session, project, ranker.name))
    run.stats = plan.report.stats | {"new_candidates": len(change.joins)}
    payload = {"run_id": run.id, "new_candidates": len(change.joins)}
    event = record_event(session, project.id, EventKind.RUN_PUBLISHED, payload, actor_id=actor_id)
    run.state, run.revision, run.registered_at = "published", event.revision, event.at
    session.flush()
    apply_change(session, change, event.revision)
    return RunImported(
        run_id=run.id,
        ranker=ranker.name,
        version=run.version,
        revision=event.revision,
        new_candidates=len(change.joins),
        report=plan.report,
    )


def refuse_if_removed(session: Session, project: Project, revision: int) -> None:
    """Refuse to go on with a plan that may name queries or documents removed since its revision.

    Raises
    ------
    ConflictError
        Some were removed.
    """
    removed = exists().where(
        Event.project_id == project.id, Event.revision > revision, Event.kind.in_(REMOVALS)
    )
    if session.scalar(select(removed)):
        raise ConflictError(
            "Queries or documents of the project were removed during this import: start it again.",
            code="changed_meanwhile",
        )


def drop_run(session: Session, run: Run) -> None:
    """Delete a run that was never published."""
    assert run.state == "unpublished"
    session.execute(delete(Ranking).where(Ranking.run_id == run.id))
    session.delete(run)
    session.flush()
