"""The report of a project: its scores on one sheet of paper."""

from __future__ import annotations

from functools import partial

from flask import render_template, url_for

from app.http.permissions import Access, allow, current_place
from app.web.dashboard import blueprint
from app.web.dashboard.scores import scores_of


@blueprint.get("/p/<slug>/report")
@allow(Access.READ)
def report(slug: str) -> str:
    """Show the report."""
    here = partial(url_for, "dashboard.overview", slug=slug)
    return render_template(
        "dashboard/report.html", scores=scores_of(current_place().project, here), back=here()
    )
