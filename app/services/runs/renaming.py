"""Today's names: a ranker or a version is called otherwise, or a version goes to the ranker it belongs to.

Each is an event that holds both names. No score of the past changes by a name; a version that was moved
counts as its new ranker's at every revision.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import select

from app.models import EventKind, Ranker, Run
from app.services.bulk import lock_project
from app.services.errors import ConflictError
from app.services.ledger import record_event
from app.services.runs.checks import check_label, next_version, taken_versions
from app.services.runs.rankers import drop_empty_ranker, find_or_add_ranker, find_ranker, get_ranker

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project


def rename_ranker(session: Session, ranker: Ranker, name: str, *, actor_id: int | None = None) -> bool:
    """Call a ranker otherwise, and tell whether that is new.

    Raises
    ------
    InvalidError
        It cannot be a name.
    ConflictError
        Another ranker has the name.
    """
    lock_project(session, ranker.project_id)
    session.refresh(ranker)
    _refuse_known_answers(ranker)
    wanted = check_label("ranker", name.strip())
    if wanted == ranker.name:
        return False
    other = find_ranker(session, ranker.project_id, wanted)
    if other is not None:
        remedy = (
            f"move the versions of {ranker.name} to it instead"
            if other.kind == "system"
            else "it is reserved for answers added by people, so choose another"
        )
        raise ConflictError(f"There is a ranker called {wanted!r} already: {remedy}.", code="name_taken")
    payload = {"ranker_id": ranker.id, "before": ranker.name, "after": wanted}
    ranker.name = wanted
    record_event(session, ranker.project_id, EventKind.RANKER_RENAMED, payload, actor_id=actor_id)
    return True


def rename_version(session: Session, run: Run, label: str, *, actor_id: int | None = None) -> bool:
    """Call a version otherwise, and tell whether that is new.

    Raises
    ------
    InvalidError
        It cannot be a label.
    ConflictError
        Another version of its ranker has the label.
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
            f"{ranker.name} has a version {wanted!r} already: choose another label, or rename that one.",
            code="version_taken",
        )
    _relabel(session, run, wanted, actor_id)
    return True


def move_run(
    session: Session, run: Run, name: str, *, new: bool = False, actor_id: int | None = None
) -> bool:
    """Move a version to the ranker it belongs to, and tell whether that is new.

    It keeps its label where that is free there, and takes the next one otherwise. A ranker that is left
    without versions goes.

    Parameters
    ----------
    new
        Create the ranker if there is none of this name.

    Raises
    ------
    NotFoundError
        There is no ranker of this name, and none is to be made.
    InvalidError
        It cannot be a name.
    ConflictError
        The ranker has the same file as a version already, or the name is there or kept for something else.
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
    payload = {"run_id": run.id, "before": run.version, "after": label}
    run.version = label
    record_event(session, run.project_id, EventKind.VERSION_RENAMED, payload, actor_id=actor_id)


def _target(session: Session, project: Project, name: str, *, new: bool) -> Ranker:
    found = find_ranker(session, project.id, name) if new else get_ranker(session, project, name)
    if found is not None and new and found.kind == "system":
        raise ConflictError(
            f"There is a ranker called {name!r} already: move the version to it, not to a new one.",
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
            f"{ranker.name} has this very file already, as {same}: delete or withdraw this version instead.",
            code="same_file",
        )


def _refuse_known_answers(ranker: Ranker) -> None:
    if ranker.kind != "system":
        raise ConflictError(
            "These answers were added by people, and are not a ranker: they keep their name.",
            code="not_a_ranker",
        )
