"""Work on files that were pushed: how far it is, and what came of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from flask import Blueprint, Response, jsonify
from sqlalchemy.orm import Session

from app.api.conditional import answer
from app.api.operations import arguments, operation
from app.api.paging import PAGE, page_of, paged
from app.api.pushes import CHECKED, checked, job_object
from app.api.runs import TRIED
from app.http import Access, allow, read_session
from app.http.permissions import current_access, current_actor_id
from app.http.sessions import settings, write_session
from app.http.tokens import current_token
from app.models import Upload
from app.services.accounts.tokens import Scope
from app.services.errors import NotFoundError
from app.services.exports.listing import CursorPage, uploads_of
from app.services.uploads import OPEN, get_upload, turn_upload

blueprint = Blueprint("api_jobs", __name__, url_prefix="/api/v1/projects/<slug>/jobs")

# A page ends at a time, counted so from here.
EPOCH, TICK = datetime(1970, 1, 1, tzinfo=UTC), timedelta(microseconds=1)
SCOPES = {
    "queries": Scope.CONTENT,
    "documents": Scope.CONTENT,
    "run": Scope.RUNS,
    "judgments": Scope.JUDGMENTS,
}
JOB = {
    "job": str,
    "kind": str,
    "file": str,
    "state": str,
    "progress": float,
    "created_at": str,
    "result": ({}, None),
}


@blueprint.get("")
@allow(Access.OWN, *Scope)
@operation(
    "Jobs",
    about="The files that this caller has pushed, newest first.",
    parameters=PAGE,
    answer=paged(JOB),
)
def get_jobs(slug: str) -> Response:
    """Return the work on the newest files."""
    del slug
    return page_of(_page)


@blueprint.get("/<job_id>")
@allow(Access.OWN, *Scope)
@operation(
    "The work on a file",
    about="Of a file that this caller has pushed. For a refused file, the response is the "
    "one that the push would have given.",
    answer=[JOB, CHECKED, TRIED],
    refusals=(409, 422),
)
def get_job(slug: str, job_id: str) -> Response:
    """Return how far the work on a file is."""
    arguments()
    upload = _job(slug, job_id)
    return checked(upload) if upload.state in {"checked", "failed"} else answer(job_object(upload))


def _page(session: Session, project_id: int, after: int, limit: int) -> CursorPage:
    before = EPOCH + after * TICK if after else None
    found = uploads_of(session, project_id, current_actor_id(), _kinds(), before=before, limit=limit + 1)
    last = (found[limit - 1].created_at - EPOCH) // TICK if len(found) > limit else None
    return CursorPage([job_object(upload) for upload in found[:limit]], last)


@blueprint.delete("/<job_id>")
@allow(Access.OWN, *Scope)
@operation(
    "Cancel the work on a file",
    about="Nothing of the file is stored then. A file that is stored already stays: its state is done.",
    answer={"job": str, "state": ("cancelled", "done")},
)
def delete_job(slug: str, job_id: str) -> Response:
    """Cancel the work on a file."""
    arguments()
    upload = _job(slug, job_id)
    with write_session() as session:
        is_cancelled = turn_upload(session, upload.id, OPEN, "cancelled")
    if is_cancelled:
        (settings().uploads_path / upload.id).unlink(missing_ok=True)
    return jsonify({"job": upload.id, "state": "cancelled" if is_cancelled else "done"})


def _job(slug: str, job_id: str) -> Upload:
    """Return a file that this caller may push.

    :raise NotFoundError: There is none.
    """
    del slug
    arguments()
    upload = get_upload(read_session(), current_access().project.id, current_actor_id(), job_id)
    if upload.kind not in _kinds():
        raise NotFoundError("There is no such job here, or this token lacks the scope of its file.")
    return upload


def _kinds() -> list[str]:
    """Return the kinds of files that this request may push: what came of others it may not read."""
    token = current_token()
    return [kind for kind, scope in SCOPES.items() if token is None or token.may(frozenset({scope}))]
