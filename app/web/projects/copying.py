"""A second project like this one, from its settings."""

from __future__ import annotations

from flask import abort, flash, redirect, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.permissions import Access, allow, current_identity_or_404, current_person_id, may_make_projects
from app.http.project import current_project
from app.http.sessions import close_read_session, current_network, database, read_session
from app.jobs.project_import import copy_project
from app.services.errors import InvalidError
from app.services.projects.projects import contents_of
from app.web.projects import blueprint
from app.web.projects.forms import CopyForm
from app.web.projects.new import slug_of

# On SQLite nobody can rate while a project is written, about a second and a half for so many: a larger one is
# copied on the command line.
MOST_ROWS = 10_000


@blueprint.post("/p/<slug>/settings/copy")
@allow(Access.OWN)
def copy(slug: str) -> Response:
    """Copy the project, with its people and their roles."""
    form = CopyForm()
    if not may_copy():
        abort(404)
    if not form.validate():
        raise InvalidError(str(next(iter(form.errors.values()))[0]))
    if not is_small(current_project().id):
        raise InvalidError("This project is too large to be copied here: copy it on the command line.")
    name, with_ratings = (form.name.data or "").strip(), bool(form.ratings.data)
    close_read_session()
    done = copy_project(
        database(),
        slug,
        slug_of(name),
        name=name,
        with_ratings=with_ratings,
        actor_id=current_person_id(),
        network=current_network(),
    )
    flash(_("This is the copy. The people of the project have the same roles here."))
    return redirect(url_for("projects.settings", slug=done.slug))


def may_copy() -> bool:
    """Return whether whoever asks may make a project of this one."""
    return may_make_projects(current_identity_or_404())


def is_small(project_id: int) -> bool:
    """Return whether copying a project is done in a moment."""
    contents = contents_of(read_session(), project_id)
    return contents.queries + contents.documents + contents.judgments <= MOST_ROWS
