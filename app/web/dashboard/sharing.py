"""The page on which owners share scores: a new link, and those there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, settings, write_session
from app.services.sharing import revoke_shared_link, share, shared_links_of
from app.web.dashboard import blueprint
from app.web.dashboard.forms import ShareForm

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.route("/p/<slug>/share", methods=["GET", "POST"])
@allow(Access.OWN)
def sharing(slug: str) -> str:
    """Show the shared links of a project, and make one."""
    project = current_place().project
    form = ShareForm()
    link = None
    if form.validate_on_submit():
        with write_session() as session:
            token = share(
                session,
                project.id,
                days=int(form.days.data),
                note=form.note.data or "",
                created_by=current_identity_or_404().id,
            )
        # Shown once, on this answer only: the database holds a hash.
        link = settings().address + url_for("dashboard.shared", token=token)
    found = shared_links_of(read_session(), project.id)
    return render_template("dashboard/share.html", form=form, link=link, links=found, slug=slug)


@blueprint.post("/p/<slug>/share/<int:link_id>/revoke")
@allow(Access.OWN)
def revoke_shared(slug: str, link_id: int) -> Response:
    """Take a shared link back."""
    with write_session() as session:
        revoke_shared_link(
            session, current_place().project.id, link_id, revoked_by=current_identity_or_404().id
        )
    flash("The link is revoked. It no longer works.")
    return redirect(url_for("dashboard.sharing", slug=slug))
