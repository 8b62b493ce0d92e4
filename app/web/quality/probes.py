"""Random probes: drawn by the owner, rated blind like anything else, and what they say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, write_session
from app.models import Project, Query
from app.scoring.proportions import highest_share
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evaluation import score_runs
from app.services.health import LEAST, MOST, USUAL, draw_probe, probes_of
from app.services.wording import counted
from app.web.quality import blueprint
from app.web.quality.asked import fresh_evidence, number_of

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

SECONDS_EACH = 20
SIZES = (10, USUAL, 60, MOST)


@blueprint.get("/p/<slug>/quality/probes")
@allow(Access.OWN)
def probes(slug: str) -> str:
    """Show what probes have shown, and offer another one; an address may name its question."""
    evidence = fresh_evidence()
    board = score_runs(evidence, evidence.current_runs())
    return render_template(
        "quality/probes.html",
        slug=slug,
        found=probes_of(read_session(), evidence, board),
        query=_query(number_of(request.args.get("query"))),
        least=LEAST,
        most=MOST,
        usual=USUAL,
        sizes=[(size, highest_share(0, size), -(-size * SECONDS_EACH // 60)) for size in SIZES],
        archived=current_place().project.state == "archived",
    )


@blueprint.post("/p/<slug>/quality/probes")
@allow(Access.OWN)
def draw(slug: str) -> Response:
    """Draw a probe."""
    asked = request.form.get("query", "")
    query_id, size = number_of(asked), number_of(request.form.get("size")) or 0
    try:
        if asked and query_id is None:
            raise NotFoundError("There is no such question.")
        with write_session() as session:
            project = session.get_one(Project, current_place().project.id)
            drawn = draw_probe(session, project, query_id, size, actor_id=current_identity_or_404().id)
    except (ConflictError, InvalidError) as error:
        flash(error.message, "error")
        return redirect(url_for("quality.probes", slug=slug, query=query_id))
    flash(f"{counted(drawn, 'answer')} drawn. They will come up for rating like the others.")
    return redirect(url_for("quality.probes", slug=slug))


def _query(query_id: int | None) -> Query | None:
    query = read_session().get(Query, query_id) if query_id else None
    if query is None or query.project_id != current_place().project.id or query.retired_revision is not None:
        return None
    return query
