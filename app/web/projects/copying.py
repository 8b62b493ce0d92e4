"""A second project like this one, from its settings."""

from __future__ import annotations

from typing import Any

from flask import Response as Part
from flask import abort, redirect, render_template, url_for
from werkzeug.wrappers import Response

from app.http.background import worker
from app.http.languages import current_language, translated
from app.http.permissions import Access, allow, current_identity_or_404, current_person_id, may_make_projects
from app.http.project import current_project
from app.http.sessions import current_network, read_session, write_session
from app.models import ProjectCopy
from app.services.errors import InvalidError
from app.services.projects.copies import find_copy, request_copy
from app.web.projects import blueprint
from app.web.projects.forms import CopyForm
from app.web.projects.new import slug_of
from app.web.responses import fragment


@blueprint.post("/p/<slug>/settings/copy")
@allow(Access.OWN)
def copy(slug: str) -> Response:
    """Copy the project, with its people and their roles, in the background."""
    form = CopyForm()
    if not may_copy():
        abort(404)
    if not form.validate():
        raise InvalidError(str(next(iter(form.errors.values()))[0]))
    name, with_ratings = (form.name.data or "").strip(), bool(form.ratings.data)
    project_id, new = current_project().id, slug_of(name)
    with write_session() as session:
        copy = request_copy(session, project_id, new, name, with_ratings=with_ratings)
        copy.person_id, copy.network = current_person_id(), current_network()
    worker().copy(project_id)
    return redirect(url_for("projects.copying", slug=slug))


@blueprint.get("/p/<slug>/settings/copy")
@allow(Access.OWN)
def copying(slug: str) -> str:
    """Show how far the copy is that was asked for last."""
    copy = _last_copy()
    return render_template("projects/copy.html", etag=_etag(copy), **_values(slug, copy))


@blueprint.get("/p/<slug>/settings/copy/part")
@allow(Access.OWN)
def copy_part(slug: str) -> Part:
    """Return what the page shows, for a page that waits for the copy."""
    copy = _last_copy()
    return fragment(_etag(copy), lambda: render_template("projects/_copying.html", **_values(slug, copy)))


def _last_copy() -> ProjectCopy:
    return find_copy(read_session(), current_project().id) or abort(404)


def _values(slug: str, copy: ProjectCopy) -> dict[str, Any]:
    return {"copy": copy, "refusal": translated(copy.report.get("refusal", "")), "slug": slug}


def _etag(copy: ProjectCopy) -> str:
    return f"{copy.slug}-{copy.state}-{copy.done}-{copy.total}-{current_language()}"


def may_copy() -> bool:
    """Return whether whoever asks may make a project of this one."""
    return may_make_projects(current_identity_or_404())
