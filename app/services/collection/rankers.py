"""Rankers and the names of their versions; the mark "in production".

At most one version of a project is in production, and newer ones do not inherit the mark. A new name is an
event that holds both names. No score of the past changes by a name; a version that was moved counts as its
new ranker's at every revision.
"""

from __future__ import annotations

from sqlalchemy import ColumnElement, delete, exists, func, select
from sqlalchemy.orm import Session

from app.models.event import Event, EventKind
from app.models.project import Project
from app.models.ranker import Ranker
from app.models.run import Run
from app.sentences import message
from app.services.bulk import lock_project
from app.services.collection.run_files import check_label, next_version, taken_versions
from app.services.errors import ConflictError, NotFoundError
from app.services.ledger import record_event


def find_ranker(session: Session, project_id: int, name: str) -> Ranker | None:
    """Return the ranker of this name, or None."""
    return session.scalar(select(Ranker).where(Ranker.project_id == project_id, Ranker.name == name))


def get_ranker(session: Session, project: Project, name: str) -> Ranker:
    """Return the ranker of this name.

    :raise NotFoundError: There is none.
    """
    found = find_ranker(session, project.id, name)
    if found is None:
        known = session.scalars(
            select(Ranker.name)
            .where(Ranker.project_id == project.id, Ranker.kind == "system")
            .order_by(Ranker.mark)
        ).all()
        raise NotFoundError(
            message(
                "There is no ranker %(name)s: there is %(known)s.", name=repr(name), known=", ".join(known)
            )
            if known
            else message("There is no ranker %(name)s: there is none yet.", name=repr(name))
        )
    return found


def find_or_add_ranker(session: Session, project_id: int, name: str, kind: str = "system") -> Ranker:
    """Return the ranker of this name; a new one takes the next mark, but for a manual one, which needs none.

    :raise ConflictError: The name belongs to a ranker of the other kind.
    """
    lock_project(session, project_id)
    ranker = find_ranker(session, project_id, name)
    if ranker is None:
        last = session.scalar(select(func.max(Ranker.mark)).where(Ranker.project_id == project_id))
        ranker = Ranker(
            project_id=project_id, name=name, kind=kind, mark=(last or 0) + 1 if kind == "system" else 0
        )
        session.add(ranker)
        session.flush()
    if ranker.kind != kind:
        raise ConflictError(
            message(
                "The name %(name)s is reserved for answers added by people: choose another.", name=repr(name)
            )
            if ranker.kind == "manual"
            else message("There is a ranker called %(name)s already.", name=repr(name)),
            code="name_taken",
        )
    return ranker


def drop_empty_ranker(session: Session, ranker_id: int) -> None:
    """Delete a ranker without versions: its name is free again."""
    has_runs = exists().where(Run.ranker_id == ranker_id)
    session.execute(delete(Ranker).where(Ranker.id == ranker_id, ~has_runs))


def is_unpublished() -> ColumnElement[bool]:
    """Return the condition that a ranker has no versions but of imports that have published none.

    If they stop half way, it is dropped with them.
    """
    of_ranker = exists().where(Run.ranker_id == Ranker.id).correlate(Ranker)
    return of_ranker & ~of_ranker.where(Run.state != "unpublished")


def set_production(
    session: Session, project: Project, run: Run | None, *, actor_id: int | None = None
) -> bool:
    """Mark a version as the one in production, or take the mark away; return whether that is new.

    :raise ConflictError: The version is withdrawn, or holds answers that people knew of.
    """
    lock_project(session, project.id)
    if run is not None:
        session.refresh(run)
        if session.get_one(Ranker, run.ranker_id).kind != "system":
            raise ConflictError("Only a version of a ranker can be in production.", code="not_a_ranker")
        if run.state != "published":
            raise ConflictError(
                "This version is withdrawn: restore it first, then mark it in production.", code="run_state"
            )
    wanted = run and run.id
    if marked_run(session, project.id) == wanted:
        return False
    record_event(session, project.id, EventKind.PRODUCTION_SET, {"run_id": wanted}, actor_id=actor_id)
    return True


def end_production(session: Session, run: Run, *, actor_id: int | None = None) -> bool:
    """Take the mark away from a version, and return whether it had it: another's mark stays."""
    project = lock_project(session, run.project_id)
    if marked_run(session, project.id) != run.id:
        return False
    return set_production(session, project, None, actor_id=actor_id)


def marked_run(session: Session, project_id: int) -> int | None:
    """Return the number of the version that carries the mark, withdrawn or not; None without one."""
    newest = (
        select(Event.payload)
        .where(Event.project_id == project_id, Event.kind == EventKind.PRODUCTION_SET.value)
        .order_by(Event.revision.desc())
    )
    payload = session.scalar(newest.limit(1))
    return payload["run_id"] if payload else None


def rename_ranker(session: Session, ranker: Ranker, name: str, *, actor_id: int | None = None) -> bool:
    """Call a ranker otherwise, and return whether that is new.

    :raise InvalidError: It cannot be a name.
    :raise ConflictError: Another ranker has the name.
    """
    lock_project(session, ranker.project_id)
    session.refresh(ranker)
    _refuse_known_answers(ranker)
    wanted = check_label("ranker", name.strip())
    if wanted == ranker.name:
        return False
    other = find_ranker(session, ranker.project_id, wanted)
    if other is not None:
        raise ConflictError(
            message(
                "There is a ranker called %(wanted)s already: move the versions of %(ranker)s to it instead.",
                wanted=repr(wanted),
                ranker=ranker.name,
            )
            if other.kind == "system"
            else message(
                "The name %(name)s is reserved for answers added by people: choose another.",
                name=repr(wanted),
            ),
            code="name_taken",
        )
    payload = {"ranker_id": ranker.id, "before": ranker.name, "after": wanted}
    ranker.name = wanted
    record_event(session, ranker.project_id, EventKind.RANKER_RENAMED, payload, actor_id=actor_id)
    return True


def rename_version(session: Session, run: Run, label: str, *, actor_id: int | None = None) -> bool:
    """Call a version otherwise, and return whether that is new.

    :raise InvalidError: It cannot be a label.
    :raise ConflictError: Another version of its ranker has the label.
    """
    project = lock_project(session, run.project_id)
    session.refresh(run)
    ranker = session.get_one(Ranker, run.ranker_id)
    _refuse_known_answers(ranker)
    wanted = check_label("version", label.strip())
    if wanted == run.version:
        return False
    if wanted in taken_versions(session, project, ranker.name):
        raise ConflictError(
            message(
                "%(ranker)s has a version %(wanted)s already: choose another name, or rename that one.",
                ranker=ranker.name,
                wanted=repr(wanted),
            ),
            code="version_taken",
        )
    _relabel(session, run, wanted, actor_id)
    return True


def move_run(
    session: Session, run: Run, name: str, *, new: bool = False, actor_id: int | None = None
) -> bool:
    """Move a version to another ranker, and return whether that is new.

    It keeps its label where that is free there, and takes the next one otherwise. A ranker that is left
    without versions goes.

    Parameters
    ----------
    new
        Create the ranker if there is none of this name.

    :raise NotFoundError: There is no ranker of this name, and none is to be made.
    :raise InvalidError: It cannot be a name.
    :raise ConflictError: The ranker has the same file as a version already, or the name is there or kept for
        something else.
    """
    project = lock_project(session, run.project_id)
    session.refresh(run)
    before = session.get_one(Ranker, run.ranker_id)
    _refuse_known_answers(before)
    wanted = check_label("ranker", name.strip())
    if wanted == before.name:
        return False
    after = _target(session, project, wanted, new=new)
    _refuse_same_file(session, run, after)
    taken = taken_versions(session, project, after.name)
    if run.version in taken:
        # One version of two rankers would have the label of another for a moment: it is called so first.
        _relabel(session, run, next_version(taken | taken_versions(session, project, before.name)), actor_id)
    run.ranker_id = after.id
    payload = {
        "run_id": run.id,
        "before": before.id,
        "after": after.id,
        "names": [before.name, after.name],
    }
    record_event(session, project.id, EventKind.RUN_MOVED, payload, actor_id=actor_id)
    drop_empty_ranker(session, before.id)
    return True


def _relabel(session: Session, run: Run, label: str, actor_id: int | None) -> None:
    ranker = session.get_one(Ranker, run.ranker_id).name
    payload = {"run_id": run.id, "ranker": ranker, "before": run.version, "after": label}
    run.version = label
    record_event(session, run.project_id, EventKind.VERSION_RENAMED, payload, actor_id=actor_id)


def _target(session: Session, project: Project, name: str, *, new: bool) -> Ranker:
    found = find_ranker(session, project.id, name) if new else get_ranker(session, project, name)
    if found is not None and new and found.kind == "system":
        raise ConflictError(
            message(
                "There is a ranker called %(name)s already: move the version to it, not to a new one.",
                name=repr(name),
            ),
            code="name_taken",
        )
    return find_or_add_ranker(session, project.id, name)


def _refuse_same_file(session: Session, run: Run, ranker: Ranker) -> None:
    same = session.scalar(
        select(Run.version).where(
            Run.ranker_id == ranker.id, Run.file_hash == run.file_hash, Run.state != "unpublished"
        )
    )
    if same is not None:
        raise ConflictError(
            message(
                "%(ranker)s has this very file already, as %(same)s: "
                "delete or withdraw this version instead.",
                ranker=ranker.name,
                same=same,
            ),
            code="same_file",
        )


def _refuse_known_answers(ranker: Ranker) -> None:
    if ranker.kind != "system":
        raise ConflictError(
            "These answers were added by people, and are not a ranker: they keep their name.",
            code="not_a_ranker",
        )
