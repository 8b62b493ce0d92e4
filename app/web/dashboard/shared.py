"""Shared links, and the pages behind them."""

from __future__ import annotations

from functools import partial

from flask import Response as FlaskResponse
from flask import flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.http.identity import current_identity
from app.http.languages import gettext as _
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_project
from app.http.proxies import public_link
from app.http.sessions import read_session, write_session
from app.models.project import Project
from app.services.accounts.sharing import get_shared_project, revoke_shared_link, share, shared_links_of
from app.web.dashboard import blueprint
from app.web.dashboard.forms import ShareForm
from app.web.dashboard.scores import scores_of


@blueprint.route("/p/<slug>/share", methods=["GET", "POST"])
@allow(Access.OWN)
def sharing(slug: str) -> str:
    """Show the shared links of a project, and make one."""
    project = current_project()
    form = ShareForm()
    link = None
    if form.validate_on_submit():
        with write_session() as session:
            token = share(
                session,
                project.id,
                days=int(form.days.data),
                note=form.note.data or "",
                created_by=current_person_id(),
            )
        # Shown once, on this answer only: the database holds a hash.
        link = public_link("dashboard.shared", token=token)
    found = shared_links_of(read_session(), project.id)
    return render_template("dashboard/share.html", form=form, link=link, links=found, slug=slug)


@blueprint.post("/p/<slug>/share/<int:link_id>/revoke")
@allow(Access.OWN)
def revoke_shared(slug: str, link_id: int) -> Response:
    """Take a shared link back."""
    with write_session() as session:
        revoke_shared_link(session, current_project().id, link_id, revoked_by=current_person_id())
    flash(_("The link is revoked. It no longer works."))
    return redirect(url_for("dashboard.sharing", slug=slug))


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
def keep_the_address_secret(response: FlaskResponse) -> FlaskResponse:
    """Tell browsers to pass the address of a shared page to nobody, and search engines to forget it."""
    if request.path.startswith("/shared/"):
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["X-Robots-Tag"] = "noindex, nofollow, noarchive"
    return response


def _project(token: str) -> Project:
    identity = current_identity()
    return get_shared_project(read_session(), token, person_id=identity.id if identity else None)
