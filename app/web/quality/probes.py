"""Random probes, and the sources of imported grades."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.languages import ngettext
from app.http.permissions import Access, allow, current_person_id
from app.http.project import current_evidence, current_project, write_project
from app.http.sessions import read_session
from app.models.audit import AuditKind
from app.models.query import Query
from app.scoring.proportions import highest_share
from app.sentences import Message, time_to_rate
from app.services.accounts.audit import record
from app.services.assignment.wanted import ratings_expected
from app.services.errors import NotFoundError
from app.services.projects.settings import change_ruler
from app.services.quality.annotator_grades import annotators_of
from app.services.quality.annotators import compare_sources, rated_of, scores_with_and_without_machines
from app.services.quality.probes import (
    LEAST,
    MOST,
    USUAL,
    draw_probe,
    probes_of,
    rest_of,
    rest_of_few,
    turn_probe,
)
from app.services.scores.scoreboard import score_runs
from app.web.arguments import id_from
from app.web.quality import blueprint
from app.web.quality.overview import KINDS
from app.web.ranker_colours import ranker_colours
from app.web.responses import flash_refusals

SIZES = (10, USUAL, 60, MOST)


@blueprint.get("/p/<slug>/quality/probes")
@allow(Access.OWN)
def probes(slug: str) -> str:
    """Show what probes have shown, and offer another one; an address may name its question."""
    evidence = current_evidence()
    board = score_runs(evidence, evidence.current_runs())
    query = _query(id_from(request.args.get("query")))
    return render_template(
        "quality/probes.html",
        slug=slug,
        found=probes_of(read_session(), evidence, board),
        query=query,
        least=LEAST,
        most=MOST,
        usual=USUAL,
        sizes=_sizes(
            rest_of_few(read_session(), current_project().id)
            if query is None
            else rest_of(read_session(), query)
        ),
        archived=current_project().state == "archived",
    )


@blueprint.post("/p/<slug>/quality/probes")
@allow(Access.OWN)
def draw(slug: str) -> Response:
    """Draw a probe."""
    asked = request.form.get("query", "")
    query_id, size = id_from(asked), id_from(request.form.get("size")) or 0
    back = url_for("quality.probes", slug=slug, query=query_id)
    if asked and query_id is None:
        raise NotFoundError("There is no such question.")
    with flash_refusals():
        with write_project() as (session, project):
            drawn = draw_probe(session, project, query_id, size, actor_id=current_person_id())
        flash(
            ngettext(
                "%(num)s answer drawn. They will come up for rating like the others.",
                "%(num)s answers drawn. They will come up for rating like the others.",
                drawn,
            )
        )
        back = url_for("quality.probes", slug=slug)
    return redirect(back)


@blueprint.post("/p/<slug>/quality/probes/<int:number>")
@allow(Access.OWN)
def change_probe(slug: str, number: int) -> Response:
    """Take the answers of a probe out of the pool, or bring them back."""
    withdraw = request.form.get("turn") != "back"
    with flash_refusals():
        with write_project() as (session, project):
            turn_probe(session, project, number, withdraw=withdraw, actor_id=current_person_id())
        flash(
            _("The probe is withdrawn. It can be restored at any time.")
            if withdraw
            else _("The probe is back: its answers are in the pool again.")
        )
    return redirect(url_for("quality.probes", slug=slug))


def _sizes(rest: int | None) -> list[tuple[int, float, Message]]:
    """Return how many answers may be drawn, the share that stays possible if none is relevant, and the time.

    There may be fewer: then all that are left can be chosen, and nothing stays possible.
    """
    sizes = [size for size in SIZES if rest is None or size < rest]
    bounds = [(size, highest_share(0, size)) for size in sizes]
    if rest and len(sizes) < len(SIZES):
        bounds.append((rest, 0.0))
    project = current_project()
    each = ratings_expected(project, project.overlap)
    return [(size, bound, time_to_rate(size * each)) for size, bound in bounds]


def _query(query_id: int | None) -> Query | None:
    query = read_session().get(Query, query_id) if query_id else None
    if query is None or query.project_id != current_project().id or query.retired_revision is not None:
        return None
    return query


@blueprint.get("/p/<slug>/quality/sources")
@allow(Access.OWN)
def sources(slug: str) -> str:
    """Show how far files and machines agree with people."""
    evidence = current_evidence()
    rated = rated_of(read_session(), evidence)
    found = compare_sources(rated, annotators_of(read_session(), evidence))
    machines = len(rated.machines) > 0
    return render_template(
        "quality/sources.html",
        found=found,
        heads=[
            _("People gave"),
            *((_("It gave %(grade)s", grade=grade), "num") for grade in current_project().grades),
        ],
        kinds=KINDS,
        machines=machines,
        counted=evidence.ruler_at().machines,
        scores=scores_with_and_without_machines(rated) if machines and rated.context.board.runs else [],
        among_people=rated.agreements.overall,
        tones=ranker_colours(evidence),
        slug=slug,
    )


@blueprint.post("/p/<slug>/quality/machines")
@allow(Access.OWN)
def count_machines(slug: str) -> Response:
    """Let what machines say count in scores, or not any more."""
    wanted = bool(request.form.get("count"))
    with write_project() as (session, project):
        change_ruler(session, project, {"machines": wanted}, actor_id=current_person_id())
        record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=["machines"])
    flash(_("Machine grades now count in scores.") if wanted else _("Machine grades no longer count."))
    return redirect(url_for("quality.sources", slug=slug))
