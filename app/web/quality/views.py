"""The pages about annotators."""

from __future__ import annotations

from flask import render_template

from app.http.permissions import Access, allow
from app.http.project import current_project
from app.http.sessions import read_session
from app.services.quality.annotators import rated_of
from app.web.quality import blueprint
from app.web.quality.annotator import annotator_page, said_of_order
from app.web.quality.overview import annotators_page, effects_page
from app.web.quality.work import fresh_evidence
from app.web.ranker_colours import ranker_colours


@blueprint.get("/p/<slug>/quality/annotators")
@allow(Access.OWN)
def annotators(slug: str) -> str:
    """Show everybody who rates, and how far they agree."""
    evidence = fresh_evidence()
    page = annotators_page(read_session(), current_project(), evidence)
    return render_template("quality/annotators.html", page=page, slug=slug)


@blueprint.get("/p/<slug>/quality/annotators/<public_id>")
@allow(Access.OWN)
def annotator(slug: str, public_id: str) -> str:
    """Show one annotator."""
    evidence = fresh_evidence()
    page = annotator_page(read_session(), current_project(), evidence, public_id)
    return render_template("quality/annotator.html", page=page, slug=slug)


@blueprint.get("/p/<slug>/quality/effects")
@allow(Access.OWN)
def effects(slug: str) -> str:
    """Show what each annotator moves, and the scores without ratings given in haste."""
    evidence = fresh_evidence()
    page = effects_page(read_session(), current_project(), evidence)
    return render_template("quality/effects.html", page=page, tones=ranker_colours(evidence), slug=slug)


@blueprint.get("/p/<slug>/quality/order")
@allow(Access.OWN)
def order(slug: str) -> str:
    """Show whether places moved grades, and that they were drawn at random."""
    evidence = fresh_evidence()
    report = rated_of(read_session(), evidence).order
    return render_template(
        "quality/order.html",
        report=report,
        said=said_of_order(report),
        tones=ranker_colours(evidence),
        slug=slug,
    )
