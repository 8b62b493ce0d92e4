"""Files and machines against people, and whether what machines say counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import close_read_session, database, read_session, write_session
from app.models import Project
from app.services.annotators import (
    annotators_of,
    compare_sources,
    rated_of,
    scores_with_and_without_machines,
)
from app.services.evidence import evidence_of
from app.services.project_settings import change_ruler
from app.web.quality import blueprint
from app.web.quality.page import KINDS
from app.web.tones import tones_of

if TYPE_CHECKING:
    from werkzeug.wrappers import Response


@blueprint.get("/p/<slug>/quality/sources")
@allow(Access.OWN)
def sources(slug: str) -> str:
    """Show how far files and machines agree with people."""
    project_id = current_place().project.id
    # The snapshot is closed before the arithmetic: a long reader costs everybody who writes.
    close_read_session()
    evidence = evidence_of(database(), project_id)
    rated = rated_of(read_session(), evidence)
    found = compare_sources(rated, annotators_of(read_session(), evidence))
    machines = len(rated.machines) > 0
    return render_template(
        "quality/sources.html",
        found=found,
        heads=["People gave", *((f"Here {grade}", "num") for grade in current_place().project.grades)],
        kinds=KINDS,
        machines=machines,
        counted=evidence.ruler_at().machines,
        scores=scores_with_and_without_machines(rated) if machines and rated.basis.board.runs else [],
        among_people=rated.agreements.overall,
        tones=tones_of(evidence),
        slug=slug,
    )


@blueprint.post("/p/<slug>/quality/machines")
@allow(Access.OWN)
def count_machines(slug: str) -> Response:
    """Let what machines say count in scores, or not any more."""
    wanted = bool(request.form.get("count"))
    with write_session() as session:
        project = session.get_one(Project, current_place().project.id)
        change_ruler(session, project, {"machines": wanted}, actor_id=current_identity_or_404().id)
    flash("Machine grades now count in scores." if wanted else "Machine grades no longer count.")
    return redirect(url_for("quality.sources", slug=slug))
