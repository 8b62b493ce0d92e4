"""Work on files that were pushed: how far it is, and what came of it."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from app.api.operations import arguments, operation
from app.api.paging import LIMIT
from app.api.pushes import checked, job_object
from app.http import Access, allow, read_session
from app.http.permissions import current_access, current_actor_id
from app.http.tokens import current_token
from app.services.accounts.tokens import Scope
from app.services.errors import NotFoundError
from app.services.exports.listing import uploads_of
from app.services.uploads import get_upload

blueprint = Blueprint("api_jobs", __name__, url_prefix="/api/v1/projects/<slug>/jobs")

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
    about="The newest files that this caller has pushed.",
    parameters=(LIMIT,),
    answer={"items": [JOB]},
)
def get_jobs(slug: str) -> Response:
    """Return the work on the newest files."""
    del slug
    given = arguments()
    found = uploads_of(
        read_session(), current_access().project.id, current_actor_id(), _kinds(), given["limit"]
    )
    return jsonify({"items": [job_object(upload) for upload in found]})


@blueprint.get("/<job_id>")
@allow(Access.OWN, *Scope)
@operation(
    "The work on a file",
    about="Of a file that this caller has pushed. For a refused file, the response is the "
    "one that the push would have given.",
    answer=JOB,
)
def get_job(slug: str, job_id: str) -> Response:
    """Return how far the work on a file is."""
    del slug
    arguments()
    upload = get_upload(read_session(), current_access().project.id, current_actor_id(), job_id)
    if upload.kind not in _kinds():
        raise NotFoundError("There is no such job here, or this token lacks the scope of its file.")
    return checked(upload) if upload.state in {"checked", "failed"} else jsonify(job_object(upload))


def _kinds() -> list[str]:
    """Return the kinds of files that this request may push: what came of others it may not read."""
    token = current_token()
    return [kind for kind, scope in SCOPES.items() if token is None or token.may(frozenset({scope}))]
