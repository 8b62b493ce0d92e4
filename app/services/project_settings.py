"""Change a project after it was made: every change that can move a score or a plan is a ledger event."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from app.models import EventKind, Project, Role, Ruler
from app.services.bulk import lock_project
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import record_event
from app.services.people import find_person
from app.services.pooling import change_depth
from app.services.projects import give_role
from app.services.rulers import get_ruler, set_ruler, values_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Person
    from app.services.pooling import PoolChange

LARGEST_OVERLAP = 50


@dataclass(frozen=True, kw_only=True)
class SettingChanges:
    """What to change about a project; None leaves a value as it is.

    Attributes
    ----------
    ruler
        Some values of the ruler by name: k, gain, discount, threshold, ...
    """

    ruler: dict[str, Any] = field(default_factory=dict)
    pool_depth: int | None = None
    overlap: int | None = None


def change_settings(
    session: Session, project: Project, changes: SettingChanges, *, actor_id: int | None = None
) -> PoolChange | None:
    """Make all changes, and return what another depth did to the pool.

    Raises
    ------
    InvalidError
        A value cannot be right; nothing is changed.
    """
    depth, pool = changes.pool_depth, None
    # The cutoff never reads below the pool: the pool grows before it and shrinks after it.
    if depth is not None and depth > project.pool_depth:
        pool = change_depth(session, project, depth, actor_id=actor_id)
    if changes.ruler:
        change_ruler(session, project, changes.ruler, actor_id=actor_id)
    if depth is not None and depth < project.pool_depth:
        pool = change_depth(session, project, depth, actor_id=actor_id)
    if changes.overlap is not None:
        change_overlap(session, project, changes.overlap, actor_id=actor_id)
    return pool


def change_ruler(
    session: Session, project: Project, changes: dict[str, Any], *, actor_id: int | None = None
) -> Ruler:
    """Change some values of the ruler and return the ruler in force; equal values change nothing.

    Raises
    ------
    InvalidError
        A value cannot be right for this project.
    """
    project = lock_project(session, project.id)
    values = replace(values_of(get_ruler(session, project.id)), **changes)
    return set_ruler(session, project, values, actor_id=actor_id)


def change_overlap(session: Session, project: Project, overlap: int, *, actor_id: int | None = None) -> bool:
    """Set how many ratings each answer wants, and tell whether that is new.

    Raises
    ------
    InvalidError
        It cannot be met.
    """
    if not 1 <= overlap <= LARGEST_OVERLAP:
        raise InvalidError(
            f"An overlap of {overlap} cannot be met: choose 1 to {LARGEST_OVERLAP}.", code="overlap"
        )
    project = lock_project(session, project.id)
    before, project.overlap = project.overlap, overlap
    if before == overlap:
        return False
    payload = {"before": before, "overlap": overlap}
    record_event(session, project.id, EventKind.OVERLAP_CHANGED, payload, actor_id=actor_id)
    return True


def archive_project(session: Session, project: Project, *, actor_id: int | None = None) -> None:
    """Put a project away: nobody rates in it, everything stays readable. It can be restored.

    Raises
    ------
    ConflictError
        It is archived already.
    """
    _change_state(session, project, "archived", actor_id)


def restore_project(session: Session, project: Project, *, actor_id: int | None = None) -> None:
    """Bring an archived project back.

    Raises
    ------
    ConflictError
        It is not archived.
    """
    if project.state != "archived":
        raise ConflictError(f"The project {project.slug} is not archived.", code="not_archived")
    _change_state(session, project, "open", actor_id)


def change_rating(session: Session, project: Project, state: str, *, actor_id: int | None = None) -> None:
    """Let people rate, pause it, or close it.

    While it is paused nothing new is dealt, and what was dealt may be finished; closed takes no rating.

    Raises
    ------
    InvalidError
        It is no such state.
    ConflictError
        It is so already, or the project is archived.
    """
    if state not in {"open", "paused", "closed"}:
        raise InvalidError("Choose open, paused or closed.", code="state")
    if project.state == "archived":
        raise ConflictError(f"The project {project.slug} is archived: restore it first.", code="archived")
    _change_state(session, project, state, actor_id)


def _change_state(session: Session, project: Project, state: str, actor_id: int | None) -> None:
    project = lock_project(session, project.id)
    if project.state == state:
        raise ConflictError(f"The project {project.slug} is {state} already.", code="same_state")
    before, project.state = project.state, state
    payload = {"before": before, "state": state}
    record_event(session, project.id, EventKind.STATE_CHANGED, payload, actor_id=actor_id)


def give_owner(session: Session, project: Project, email: str) -> Person:
    """Make the account with this address an owner of the project, and return it.

    Raises
    ------
    NotFoundError
        There is no such account.
    """
    person = find_person(session, email)
    if person is None:
        raise NotFoundError(
            f"There is no account for {email}: make it with `flask --app app user create`, then try again."
        )
    give_role(session, project.id, person.id, Role.OWNER)
    return person
