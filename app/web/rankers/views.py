"""Rankers and their versions: listed, renamed, moved, marked, withdrawn and deleted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import NamedTuple

from flask import flash, redirect, render_template, request, url_for
from sqlalchemy import or_, select
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.languages import gettext as _
from app.http.languages import translated
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_evidence, current_project
from app.http.sessions import read_session, write_session
from app.models.project import Project
from app.models.ranker import PROBES, Ranker
from app.models.run import Run
from app.services.collection.import_undo import preview_undo
from app.services.collection.rankers import (
    end_production,
    marked_run,
    move_run,
    rename_ranker,
    rename_version,
    set_production,
)
from app.services.collection.withdrawal import delete_run, obstacle_to_deleting, restore_run, withdraw_run
from app.services.errors import InvalidError, NotFoundError, ServiceError
from app.services.evidence.state import Evidence
from app.services.pages import page_of
from app.services.quality.health import top_answers
from app.services.scores.scoreboard import RunScore, Scoreboard, score_runs
from app.web.arguments import asked_page
from app.web.navigation import local_target
from app.web.ranker_colours import ranker_colours
from app.web.rankers import blueprint


class VersionRow(NamedTuple):
    """One version as it is listed; `scored` and `rated` are None for one that is withdrawn.

    `rated` counts the rated answers of its top k and all of them, over all questions it covers; `covered` the
    questions with results, and all there are.
    """

    run: Run
    ranker: Ranker
    in_production: bool
    scored: RunScore | None
    rated: tuple[int, int] | None
    covered: tuple[int, int] | None


def run_rows(session: Session, evidence: Evidence) -> tuple[list[VersionRow], str]:
    """Return the versions, ranker by ranker and newest first, and the name of their score.

    Random probes, which Quality lists, are left out.
    """
    board = score_runs(evidence, evidence.active_runs())
    scores = {scored.run.id: scored for scored in board.runs}
    found = session.execute(
        select(Run, Ranker)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == evidence.project_id, Run.state != "unpublished")
        .where(or_(Ranker.kind == "system", Ranker.name != PROBES))
        .order_by(Ranker.kind.desc(), Ranker.mark, Ranker.id, Run.revision.desc())
    )
    marked = marked_run(session, evidence.project_id)
    rated, active = _rated(evidence, board), evidence.active_queries()
    with_results = (evidence.structure.lengths > 0) & active
    covered = {
        run.id: (int(listed.sum()), int(active.sum()))
        for run, listed in zip(evidence.structure.runs, with_results, strict=True)
    }
    rows = [
        VersionRow(run, ranker, run.id == marked, scored, rated.get(run.id), covered.get(run.id))
        for run, ranker in found
        for scored in [scores.get(run.id)]
    ]
    return rows, board.headline


def _rated(evidence: Evidence, board: Scoreboard) -> dict[int, tuple[int, int]]:
    """Return of each version how many of its top answers are rated, and how many there are."""
    counts = zip(board.runs, *top_answers(evidence, board), strict=True)
    return {scored.run.id: (int(some), int(all_)) for scored, some, all_ in counts if all_}


EACH = 20


@blueprint.get("/p/<slug>/rankers")
@allow(Access.OWN)
def index(slug: str) -> str:
    """Show rankers with their versions, newest first: all of them by pages, or those of a name."""
    evidence = current_evidence()
    rows, score_name = run_rows(read_session(), evidence)
    rankers = [list(versions) for _, versions in groupby(rows, key=lambda row: row.ranker.id)]
    sought = request.args.get("q", "").strip()[:200]
    found = [one for one in rankers if sought.casefold() in one[0].ranker.name.casefold()]
    page = page_of(len(found), asked_page(), EACH)
    return render_template(
        "rankers/index.html",
        slug=slug,
        rankers=found[page.rows],
        total=len(rankers),
        searchable=len(rankers) > EACH,
        sought=sought,
        page=page,
        page_url=lambda number: url_for("rankers.index", slug=slug, q=sought or None, page=number),
        score_name=score_name,
        k=evidence.ruler_at().k,
        tones=ranker_colours(evidence),
    )


@blueprint.get("/p/<slug>/rankers/versions/<int:run_id>")
@allow(Access.OWN)
def version(slug: str, run_id: int) -> str:
    """Show what can be changed about one version, and what that would do."""
    session, project = read_session(), current_project()
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
        in_production=marked_run(session, project.id) == run.id,
        withdrawing=preview_undo(session, project, run.revision).sentence if run.state == "published" else "",
        obstacle=obstacle_to_deleting(session, run),
    )


def run_in_project(session: Session, run_id: int) -> Run:
    """Return a version of the project that is shown.

    :raise NotFoundError: It has no such version.
    """
    run = session.get(Run, run_id)
    if run is None or run.project_id != current_project().id or run.state == "unpublished":
        raise NotFoundError("There is no such run.")
    return run


@blueprint.post("/p/<slug>/rankers/<int:ranker_id>/name")
@allow(Access.OWN)
def rename(slug: str, ranker_id: int) -> Response:
    """Call a ranker otherwise.

    :raise NotFoundError: The project has no such ranker.
    """
    name = request.form.get("name", "")
    with write_session() as session:
        ranker = session.get(Ranker, ranker_id)
        if ranker is None or ranker.project_id != current_project().id:
            raise NotFoundError("There is no such ranker.")
        try:
            rename_ranker(session, ranker, name, actor_id=current_person_id())
        except ServiceError as error:
            flash(translated(error.message), "error")
        else:
            flash(_("The ranker is called %(name)s.", name=ranker.name))
    return redirect(url_for("rankers.index", slug=slug))


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/production")
@allow(Access.OWN)
def production(slug: str, run_id: int) -> Response:
    """Mark a version as the one in production, or take its mark away."""
    marked = request.form.get("marked") == "y"

    def mark(session: Session, run: Run, actor: int) -> str:
        name = f"{session.get_one(Ranker, run.ranker_id).name} {run.version}"
        if marked:
            set_production(session, session.get_one(Project, run.project_id), run, actor_id=actor)
            return _("%(name)s is marked as in production.", name=name)
        end_production(session, run, actor_id=actor)
        return _("%(name)s is not marked as in production any more.", name=name)

    return _changed(slug, run_id, mark)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/name")
@allow(Access.OWN)
def rename_one(slug: str, run_id: int) -> Response:
    """Call a version otherwise."""
    label = request.form.get("version", "")

    def name(session: Session, run: Run, actor: int) -> str:
        rename_version(session, run, label, actor_id=actor)
        return _("The version is called %(name)s.", name=run.version)

    return _changed(slug, run_id, name, here=True)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/move")
@allow(Access.OWN)
def move(slug: str, run_id: int) -> Response:
    """Move a version to another ranker: one of the list, or a new one where nothing is chosen there."""
    chosen, new = request.form.get("ranker", ""), request.form.get("new", "")

    def to(session: Session, run: Run, actor: int) -> str:
        if chosen and new.strip():
            raise InvalidError("Choose a ranker from the list or name a new one, not both.", code="ranker")
        move_run(session, run, chosen or new, new=not chosen, actor_id=actor)
        ranker = session.get_one(Ranker, run.ranker_id).name
        return _("The version belongs to %(ranker)s now, as %(version)s.", ranker=ranker, version=run.version)

    return _changed(slug, run_id, to, here=True)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/withdraw")
@allow(Access.OWN)
def withdraw(slug: str, run_id: int) -> Response:
    """Take a version out of the pool and out of today's scores."""

    def out(session: Session, run: Run, actor: int) -> str:
        withdraw_run(session, run, actor_id=actor)
        return _("The version is withdrawn. It can be restored at any time.")

    return _changed(slug, run_id, out, here=True)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/restore")
@allow(Access.OWN)
def restore(slug: str, run_id: int) -> Response:
    """Bring a withdrawn version back."""

    def back(session: Session, run: Run, actor: int) -> str:
        restore_run(session, run, actor_id=actor)
        return _("The version is back and scored again.")

    return _changed(slug, run_id, back)


@blueprint.post("/p/<slug>/rankers/versions/<int:run_id>/delete")
@allow(Access.OWN)
def delete(slug: str, run_id: int) -> Response:
    """Delete a version on which nothing rests."""

    def away(session: Session, run: Run, actor: int) -> str:
        delete_run(session, run, actor_id=actor)
        return _("The version is deleted.")

    return _changed(slug, run_id, away)


def _changed(
    slug: str, run_id: int, change: Callable[[Session, Run, int], str], *, here: bool = False
) -> Response:
    """Change a version, say what was done or why it was not, and go on.

    That is to where the form says, else to the list, or back to the version's own page. What is refused is
    said on the version's page, which holds the other ways.
    """
    page = url_for("rankers.version", slug=slug, run_id=run_id)
    back = local_target(request.form.get("next"), url_for("rankers.index", slug=slug))
    with write_session() as session:
        run = run_in_project(session, run_id)
        try:
            flash(change(session, run, current_person_id()))
        except ServiceError as error:
            flash(translated(error.message), "error")
            here = True
    return redirect(page if here else back)
