"""Keep alike documents apart, and take that back: the owner's word on a pair that only looks the same.

It moves no score and no pool; the pair is not held up to the owner again.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from app.models import Event, EventKind
from app.services.bulk import lock_project
from app.services.errors import ConflictError, NotFoundError
from app.services.import_file import refuse_archived
from app.services.ledger import record_event
from app.services.merging.acts import chosen_documents
from app.services.merging.standing import in_force, pairs_apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.models import Project


def keep_apart(
    session: Session, project: Project, document_ids: Sequence[int], *, actor_id: int | None = None
) -> Event:
    """Say that no two of some documents are the same, and return the event.

    Raises
    ------
    NotFoundError
        The project has no such document.
    InvalidError
        They are fewer than two or too many.
    ConflictError
        All of this was said before, two of them are merged, or the project is archived.
    """
    project, found = chosen_documents(session, project, document_ids, what="keep apart")
    if len({document.merged_into or document.id for document in found}) < len(found):
        raise ConflictError(
            "Some of these documents are merged: undo the merge first.", code="merged_already"
        )
    wanted = sorted(document.id for document in found)
    if pairs_apart(session, project.id).issuperset(combinations(wanted, 2)):
        raise ConflictError("These documents are kept apart already.", code="apart_already")
    payload = {"document_ids": wanted}
    return record_event(session, project.id, EventKind.DOCUMENTS_KEPT_APART, payload, actor_id=actor_id)


def undo_apart(session: Session, project: Project, revision: int, *, actor_id: int | None = None) -> Event:
    """Take back what was said at a revision, and return the event.

    Raises
    ------
    NotFoundError
        Nothing was said about documents that are kept apart at this revision.
    ConflictError
        It is taken back already, or the project is archived.
    """
    refuse_archived(project)
    project = lock_project(session, project.id)
    said = session.get(Event, (project.id, revision))
    if said is None or said.kind != EventKind.DOCUMENTS_KEPT_APART:
        raise NotFoundError(f"The project {project.slug} keeps nothing apart since the revision {revision}.")
    standing = in_force(session, project.id, EventKind.DOCUMENTS_KEPT_APART, EventKind.APART_UNDONE)
    if said not in standing:
        raise ConflictError("This is taken back already.", code="undone_already")
    payload = {"revision": revision}
    return record_event(session, project.id, EventKind.APART_UNDONE, payload, actor_id=actor_id)
