"""The list of rankers with their versions, and the page on which one version is changed."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from flask import render_template, request, url_for
from sqlalchemy import select

from app.http.permissions import Access, allow, current_place
from app.http.sessions import close_read_session, database, read_session
from app.models import Ranker, Run
from app.services.errors import NotFoundError
from app.services.evidence import evidence_of
from app.services.runs import marked_run, obstacle_to_deleting
from app.services.undoing import preview_undo
from app.web.rankers import blueprint
from app.web.rankers.listing import run_rows

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

EACH = 20


@blueprint.get("/p/<slug>/rankers")
@allow(Access.OWN)
def index(slug: str) -> str:
    """Show rankers with their versions, newest first: all of them by pages, or those of a name."""
    project = current_place().project
    close_read_session()  # a long reader costs everybody who writes
    evidence = evidence_of(database(), project.id)
    rows, score_name = run_rows(read_session(), project, evidence)
    rankers = [list(versions) for _, versions in groupby(rows, key=lambda row: row.ranker_id)]
    sought = request.args.get("q", "").strip()[:200]
    found = [one for one in rankers if sought.casefold() in one[0].ranker.casefold()]
    wanted = request.args.get("page", "1")
    pages = max(1, -(-len(found) // EACH))
    page = min(max(int(wanted[:6]), 1), pages) if wanted.isascii() and wanted.isdigit() else 1
    return render_template(
        "rankers/index.html",
        slug=slug,
        rankers=found[(page - 1) * EACH : page * EACH],
        total=len(rankers),
        searchable=len(rankers) > EACH,
        sought=sought,
        page=page,
        pages=pages,
        page_url=lambda number: url_for("rankers.index", slug=slug, q=sought or None, page=number),
        score_name=score_name,
    )


@blueprint.get("/p/<slug>/rankers/versions/<int:run_id>")
@allow(Access.OWN)
def version(slug: str, run_id: int) -> str:
    """Show what can be changed about one version, and what that would do."""
    session, project = read_session(), current_place().project
    run = run_in_project(session, run_id)
    assert run.revision is not None
    ranker = session.get_one(Ranker, run.ranker_id)
    others = session.scalars(
        select(Ranker.name)
        .where(Ranker.project_id == project.id, Ranker.kind == "system", Ranker.id != ranker.id)
        .order_by(Ranker.mark)
    )
    return render_template(
        "rankers/version.html",
        slug=slug,
        run=run,
        ranker=ranker,
        others=others.all(),
        in_production=marked_run(session, project.id) == run.id and run.state == "published",
        withdrawing=preview_undo(session, project, run.revision).sentence if run.state == "published" else "",
        obstacle=obstacle_to_deleting(session, run),
    )


def run_in_project(session: Session, run_id: int) -> Run:
    """Return a version of the project that is shown.

    Raises
    ------
    NotFoundError
        It has no such version.
    """
    run = session.get(Run, run_id)
    if run is None or run.project_id != current_place().project.id or run.state == "unpublished":
        raise NotFoundError("There is no such run.")
    return run
