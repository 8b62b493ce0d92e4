"""Guidelines: written by owners in Markdown, versioned, read by everybody who rates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, url_for

from app.http.identity import current_identity
from app.http.permissions import Access, allow, current_place
from app.http.sessions import read_session, write_session
from app.models import Project
from app.services.projects import change_guidelines, find_guideline
from app.web.projects import blueprint
from app.web.projects.forms import GuidelinesForm

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.route("/p/<slug>/guidelines/edit", methods=["GET", "POST"])
@allow(Access.OWN)
def edit_guidelines(slug: str) -> Response | str:
    """Write a new version of the guidelines."""
    place, identity = current_place(), current_identity()
    present = find_guideline(read_session(), place.project.id)
    form = GuidelinesForm(markdown=present.markdown if present else "")
    if form.validate_on_submit():
        with write_session() as session:
            project = session.get_one(Project, place.project.id)
            stored = change_guidelines(
                session,
                project,
                form.markdown.data.replace("\r\n", "\n"),
                actor_id=identity.id if identity else None,
            )
            version = stored.version
        flash(f"Version {version} is saved. Annotators see what changed.")
        return redirect(url_for("projects.settings", slug=slug))
    return render_template("projects/guidelines.html", form=form, present=present)
