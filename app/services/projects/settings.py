"""Change a project after it was made: every change that can move a score or a plan is a ledger event."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any

from sqlalchemy import exists, select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.event import Event, EventKind
from app.models.gold import Gold
from app.models.person import Person, Role
from app.models.project import Project
from app.models.ruler import Ruler
from app.scoring.ruler import usual_threshold
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.memberships import give_role
from app.services.accounts.people import find_person
from app.services.bulk import lock_project
from app.services.collection.pool import PoolChange, change_depth
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import record_event
from app.services.projects.projects import GRADE_WORDS, check_overlap, is_scale_frozen, range_of_scale
from app.services.scoring_settings import get_ruler, set_ruler, settings_of

ALREADY = {
    "open": message("The project %(slug)s is open already."),
    "paused": message("The project %(slug)s is paused already."),
    "closed": message("The project %(slug)s is closed already."),
    "archived": message("The project %(slug)s is archived already."),
}


@dataclass(frozen=True, kw_only=True)
class SettingChanges:
    """What to change about a project; None leaves a value as it is.

    Attributes
    ----------
    ruler
        Some values of the ruler by name: k, gain, discount, threshold, ...
    scale
        ``0-3`` or ``1-5``, while nothing is judged. It brings a threshold of its own.
    """

    name: str | None = None
    headline: str | None = None
    ruler: dict[str, Any] = field(default_factory=dict)
    scale: str | None = None
    pool_depth: int | None = None
    overlap: int | None = None


def change_settings(
    session: Session, project: Project, changes: SettingChanges, *, actor_id: int | None = None
) -> PoolChange | None:
    """Make all changes, and return what another depth did to the pool.

    :raise InvalidError: A value cannot be right; nothing is changed.
    :raise ConflictError: The scale is fixed; nothing is changed.
    """
    depth, pool = changes.pool_depth, None
    ruler = dict(changes.ruler)
    before = _values_of(session, project)
    for name in ("name", "headline"):
        if (words := getattr(changes, name)) is not None:
            setattr(project, name, words.strip())
    session.flush()
    if changes.scale is not None and change_scale(session, project, changes.scale, actor_id=actor_id):
        # It was chosen on the other scale.
        ruler.pop("threshold", None)
    # The cutoff never reads below the pool: the pool grows before it and shrinks after it.
    if depth is not None and depth > project.pool_depth:
        pool = change_depth(session, project, depth, actor_id=actor_id)
    if ruler:
        change_ruler(session, project, ruler, actor_id=actor_id)
    if depth is not None and depth < project.pool_depth:
        pool = change_depth(session, project, depth, actor_id=actor_id)
    if changes.overlap is not None:
        change_overlap(session, project, changes.overlap, actor_id=actor_id)
    after = _values_of(session, project)
    if what := [name for name, value in after.items() if before[name] != value]:
        record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=what)
    return pool


def _values_of(session: Session, project: Project) -> dict[str, Any]:
    session.refresh(project)
    ruler = asdict(settings_of(get_ruler(session, project.id)))
    named = {"name": project.name, "headline": project.headline}
    return ruler | {"pool depth": project.pool_depth, "overlap": project.overlap} | named


def change_scale(session: Session, project: Project, scale: str, *, actor_id: int | None = None) -> bool:
    """Give a project that nobody has rated in another scale, and return whether it is new.

    The words of the grades become the scale's own, and the practice question goes: it shows grades of
    the other one.

    :raise InvalidError: It is no scale.
    :raise ConflictError: Something is judged (`scale_frozen`), or declared gold (`gold_declared`).
    """
    low, high = range_of_scale(scale)
    project = lock_project(session, project.id)
    before = f"{project.scale_low}-{project.scale_high}"
    if before == scale:
        return False
    if is_scale_frozen(session, project.id):
        raise ConflictError(
            message(
                "The stars are fixed at %(before)s since the first rating: "
                "create a new project for %(scale)s.",
                before=before,
                scale=scale,
            ),
            code="scale_frozen",
            field="scale",
            value=scale,
            remedy=f"Leave it out, or make a new project for {scale}.",
        )
    if session.scalar(select(exists().where(Gold.project_id == project.id))):
        raise ConflictError(
            message("There are gold answers with grades of %(before)s: remove them first.", before=before),
            code="gold_declared",
            field="scale",
            value=scale,
            remedy="Remove the gold answers first.",
        )
    project.scale_low, project.scale_high = low, high
    project.grade_words = GRADE_WORDS[scale]
    project.options = {name: value for name, value in project.options.items() if name != "practice"}
    payload = {"before": before, "scale": scale}
    record_event(session, project.id, EventKind.SCALE_CHANGED, payload, actor_id=actor_id)
    values = replace(
        settings_of(get_ruler(session, project.id)),
        scale_low=low,
        scale_high=high,
        threshold=usual_threshold(low, high),
    )
    set_ruler(session, project, values, actor_id=actor_id)
    return True


def change_ruler(
    session: Session, project: Project, changes: dict[str, Any], *, actor_id: int | None = None
) -> Ruler:
    """Change some values of the ruler and return the current ruler; equal values change nothing.

    :raise InvalidError: A value cannot be right for this project.
    """
    project = lock_project(session, project.id)
    values = replace(settings_of(get_ruler(session, project.id)), **changes)
    return set_ruler(session, project, values, actor_id=actor_id)


def change_overlap(session: Session, project: Project, overlap: int, *, actor_id: int | None = None) -> bool:
    """Set how many ratings each answer wants, and return whether that is new.

    :raise InvalidError: It cannot be met.
    """
    check_overlap(overlap)
    project = lock_project(session, project.id)
    before, project.overlap = project.overlap, overlap
    if before == overlap:
        return False
    payload = {"before": before, "overlap": overlap}
    record_event(session, project.id, EventKind.OVERLAP_CHANGED, payload, actor_id=actor_id)
    return True


def archive_project(session: Session, project: Project, *, actor_id: int | None = None) -> None:
    """Put a project away: nobody rates in it, everything stays readable. It can be restored.

    :raise ConflictError: It is archived already.
    """
    _change_state(session, project, "archived", actor_id)


def restore_project(session: Session, project: Project, *, actor_id: int | None = None) -> None:
    """Bring an archived project back, open, paused or closed as it was.

    :raise ConflictError: It is not archived.
    """
    if project.state != "archived":
        raise ConflictError(
            message("The project %(slug)s is not archived.", slug=project.slug), code="not_archived"
        )
    _change_state(session, project, _state_before(session, project), actor_id)


def _state_before(session: Session, project: Project) -> str:
    """Return what an archived project was before; open where nothing tells."""
    payload = session.scalar(
        select(Event.payload)
        .where(Event.project_id == project.id, Event.kind == EventKind.STATE_CHANGED.value)
        .order_by(Event.revision.desc())
        .limit(1)
    )
    return str(payload["before"]) if payload and payload["state"] == "archived" else "open"


def change_rating(session: Session, project: Project, state: str, *, actor_id: int | None = None) -> None:
    """Let people rate, pause it, or close it.

    While it is paused nothing new is assigned, and what was assigned may be finished; closed takes no rating.

    :raise InvalidError: It is no such state.
    :raise ConflictError: It is so already, or the project is archived.
    """
    if state not in {"open", "paused", "closed"}:
        raise InvalidError("Choose open, paused or closed.", code="state")
    if project.state == "archived":
        raise ConflictError(
            message("The project %(slug)s is archived: restore it first.", slug=project.slug), code="archived"
        )
    _change_state(session, project, state, actor_id)


def _change_state(session: Session, project: Project, state: str, actor_id: int | None) -> None:
    project = lock_project(session, project.id)
    if project.state == state:
        raise ConflictError(message(ALREADY[state], slug=project.slug), code="same_state")
    before, project.state = project.state, state
    payload = {"before": before, "state": state}
    record_event(session, project.id, EventKind.STATE_CHANGED, payload, actor_id=actor_id)
    told = "restored" if before == "archived" else state
    record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=[f"state: {told}"])


def give_owner(session: Session, project: Project, email: str) -> Person:
    """Create the account with this address an owner of the project, and return it.

    :raise NotFoundError: There is no such account.
    """
    person = find_person(session, email)
    if person is None:
        raise NotFoundError(
            f"There is no account for {email}: create it with `flask --app app user create`, then try again."
        )
    give_role(session, project.id, person.id, Role.OWNER)
    return person
