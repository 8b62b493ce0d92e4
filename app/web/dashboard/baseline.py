"""Choosing the baseline: an owner's declaration, kept in the ledger."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import write_session
from app.models import Project
from app.services.baseline import set_baseline
from app.services.errors import InvalidError
from app.web.dashboard import blueprint

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

LARGEST = 9
"""Digits of a number that the database can hold."""


@blueprint.post("/p/<slug>/overview/baseline")
@allow(Access.OWN)
def baseline(slug: str) -> Response:
    """Declare a ranker the baseline, or none."""
    said = request.form.get("ranker", "").strip()
    with write_session() as session:
        project = session.get_one(Project, current_place().project.id)
        try:
            set_baseline(session, project, _number(said), actor_id=current_identity_or_404().id)
        except InvalidError as error:
            flash(error.message, "error")
        else:
            flash("The rankers are held against the baseline." if said else "There is no baseline any more.")
    return redirect(url_for("dashboard.overview", slug=slug))


def _number(said: str) -> int | None:
    """Return the number of a ranker, None for none; 0, which no ranker has, for anything else."""
    if not said:
        return None
    return int(said) if said.isascii() and said.isdecimal() and len(said) <= LARGEST else 0
