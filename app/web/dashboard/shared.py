"""What a shared link shows to whoever has it: the scores, and no way on to anything else."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from flask import render_template, request, url_for

from app.http.identity import current_identity
from app.http.permissions import Access, allow
from app.http.sessions import read_session
from app.services.sharing import get_shared_project
from app.web.dashboard import blueprint
from app.web.dashboard.scores import scores_of

if TYPE_CHECKING:
    from flask import Response

    from app.models import Project


@blueprint.get("/shared/<token>")
@allow(Access.PUBLIC)
def shared(token: str) -> str:
    """Show the scores behind a link."""
    scores = scores_of(_project(token), partial(url_for, "dashboard.shared", token=token))
    return render_template("dashboard/shared.html", scores=scores, token=token)


@blueprint.get("/shared/<token>/report")
@allow(Access.PUBLIC)
def shared_report(token: str) -> str:
    """Show the report behind a link."""
    here = partial(url_for, "dashboard.shared", token=token)
    return render_template("dashboard/report.html", scores=scores_of(_project(token), here), back=here())


@blueprint.after_request
def keep_the_address_secret(response: Response) -> Response:
    """Tell browsers to pass the address of a shared page to nobody, and search engines to forget it."""
    if request.path.startswith("/shared/"):
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return response


def _project(token: str) -> Project:
    identity = current_identity()
    return get_shared_project(read_session(), token, person_id=identity.id if identity else None)
