"""Another pool depth: a ledger event that re-forms the pool and takes no judgment away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.models import EventKind
from app.services.bulk import batches, lock_project
from app.services.errors import InvalidError
from app.services.import_file import Step
from app.services.ledger import record_event
from app.services.pooling.candidates import add_candidates, stored_candidates
from app.services.pooling.merged import with_merged
from app.services.pooling.places import pool_places
from app.services.pooling.projection import PoolChange, apply_change, change_of_pool
from app.services.rulers import get_ruler

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints


DEEPEST_POOL = 100


def check_depth(depth: int) -> None:
    """Refuse a pool depth that nobody could rate.

    Raises
    ------
    InvalidError
        It is below 1 or above 100.
    """
    if not 1 <= depth <= DEEPEST_POOL:
        raise InvalidError(
            f"A pool depth of {depth} is not possible: choose 1 to {DEEPEST_POOL}.", code="depth"
        )


def prepare_depth(session: Session, project: Project, depth: int) -> Iterator[Step]:
    """Yield the steps that make a deeper pool's candidates, so that `change_depth` is short afterwards.

    They can be left out, or abandoned: a candidate outside the pool is dealt to nobody.
    """
    places = with_merged(session, project.id, pool_places(session, project.id, depth))
    new = places.only(stored_candidates(session, project.id).find(places.key) < 0)
    project_id = project.id
    for some in batches(range(len(new))):
        part = slice(some[0], some[-1] + 1)
        yield _step(project_id, new.query[part], new.document[part])


def _step(project_id: int, query: Ints, document: Ints) -> Step:
    return Step(len(query), lambda session: add_candidates(session, project_id, query, document))


def change_depth(
    session: Session, project: Project, depth: int, *, actor_id: int | None = None
) -> PoolChange | None:
    """Set the pool depth, re-form the pool, and return what changed; None if it is the depth already.

    Raises
    ------
    InvalidError
        Nobody could rate so deep a pool, or the ruler's cutoff reads deeper.
    """
    check_depth(depth)
    project = lock_project(session, project.id)
    before = project.pool_depth
    if depth == before:
        return None
    k = get_ruler(session, project.id).k
    if depth < k:
        raise InvalidError(
            f"A pool {depth} deep is too small for the cutoff {k}: set --k {depth} or less first.",
            code="k_above_depth",
        )
    project.pool_depth = depth
    session.flush()
    change = change_of_pool(session, project, pool_places(session, project.id, depth))
    payload = {"before": before, "depth": depth, "new_candidates": len(change.joins)}
    event = record_event(session, project.id, EventKind.DEPTH_CHANGED, payload, actor_id=actor_id)
    apply_change(session, change, event.revision)
    return change
