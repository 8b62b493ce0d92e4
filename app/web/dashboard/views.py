"""The overview page, and the part of it that follows the ledger."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from flask import Response, make_response, redirect, render_template, request, url_for

from app.http.assets import current_build
from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.services.comparison import basis_of
from app.services.evidence import evidence_of
from app.services.ledger import head_of
from app.web.dashboard import blueprint
from app.web.dashboard.choice import Choice, choice_from
from app.web.dashboard.page import overview_page
from app.web.dashboard.switch import other_page, switch_of
from app.web.dashboard.waiting import waiting_for_owner

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

    from app.models import Project
    from app.services.comparison import Basis


@blueprint.get("/p/<slug>/")
@allow(Access.MEMBER)
def overview(slug: str) -> AnyResponse | str:
    """Show the overview; annotators, who have no page with scores, go on to rating."""
    place = current_place()
    if place.role.value == "annotator":
        return redirect(url_for("judging.rate", slug=slug))
    basis = _basis(place.project)
    switch = switch_of(read_session(), basis, request.args)
    if not switch.is_usual and basis.board.runs:
        other = other_page(read_session(), place.project, basis, switch)
        return render_template("dashboard/other.html", page=other, switch=switch, slug=slug)
    choice = choice_from(request.args)
    page = overview_page(read_session(), place.project, basis, choice)
    return render_template(
        "dashboard/overview.html",
        page=page,
        etag=_etag(place.project, choice, page.revision),
        choice=choice,
        switch=switch,
        waiting=waiting_for_owner(place.project),
        slug=slug,
    )


@blueprint.get("/p/<slug>/overview/part")
@allow(Access.READ)
def part(slug: str) -> AnyResponse:
    """Return the part that follows the ledger; nothing new costs a 304 and no arithmetic."""
    place = current_place()
    choice = choice_from(request.args)
    etag = _etag(place.project, choice, head_of(read_session(), place.project.id))
    if request.if_none_match.contains_weak(etag):
        response = Response(status=304)
    else:
        page = overview_page(read_session(), place.project, _basis(place.project), choice)
        etag = _etag(place.project, choice, page.revision)
        response = make_response(render_template("dashboard/_overview.html", page=page, slug=slug))
    response.set_etag(etag)
    response.headers["Cache-Control"] = "private, no-cache"
    return response


def _etag(project: Project, choice: Choice, revision: int) -> str:
    """Return the tag of what this person sees: revision, which fixes the scoring settings, build, role."""
    parts = (
        str(project.id),
        str(revision),
        current_build(),
        current_place().role.value,
        str(choice.address()),
    )
    return hashlib.sha256("|".join(parts).encode()).hexdigest()[:24]


def _basis(project: Project) -> Basis:
    # The snapshot is closed before the arithmetic: a long reader costs everybody who writes.
    close_read_session()
    return basis_of(evidence_of(database(), project.id))
