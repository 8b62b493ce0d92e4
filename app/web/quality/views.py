"""The pages about annotators."""

from __future__ import annotations

from flask import render_template

from app.http.permissions import Access, allow
from app.http.project import current_evidence, current_project
from app.http.sessions import read_session
from app.models.person import PersonKind
from app.scoring.order_effect import LEVEL
from app.services.quality.annotator_grades import annotators_of
from app.services.quality.annotators import Effect, agreement_sentence, rated_of
from app.services.quality.check_results import check_results
from app.services.quality.health import EARLY
from app.web.quality import blueprint
from app.web.quality.annotator import annotator_page, order_sentence
from app.web.quality.overview import annotator_row
from app.web.ranker_colours import ranker_colours


@blueprint.get("/p/<slug>/quality/annotators")
@allow(Access.OWN)
def annotators(slug: str) -> str:
    """Show everybody who rates, and how far they agree."""
    evidence, project = current_evidence(), current_project()
    rated = rated_of(read_session(), evidence)
    checks = {result.number: result for result in check_results(read_session(), evidence)}
    rows = [
        annotator_row(project, rated, one, checks.get(one.number))
        for one in annotators_of(read_session(), evidence)
        # They have a page of their own: nothing here mixes them with people.
        if one.kind is not PersonKind.MACHINE
    ]
    return render_template(
        "quality/annotators.html",
        rows=sorted(rows, key=lambda row: (-row.profile.graded, row.who.name)),
        agreement=rated.agreements.overall,
        sentence=agreement_sentence(rated.agreements.overall),
        pooled=int(evidence.active_pool().sum()),
        slug=slug,
    )


@blueprint.get("/p/<slug>/quality/annotators/<public_id>")
@allow(Access.OWN)
def annotator(slug: str, public_id: str) -> str:
    """Show one annotator."""
    evidence = current_evidence()
    page = annotator_page(read_session(), current_project(), evidence, public_id)
    return render_template("quality/annotator.html", page=page, least=EARLY, slug=slug)


@blueprint.get("/p/<slug>/quality/effects")
@allow(Access.OWN)
def effects(slug: str) -> str:
    """Show what each annotator moves, and the scores without ratings given very fast."""
    evidence = current_evidence()
    rated = rated_of(read_session(), evidence)
    named = {one.number: one for one in annotators_of(read_session(), evidence)}
    rows = [(named[number], effect) for number, effect in rated.effects.items()]
    fast_ratings, verdicts = rated.effect_of_fast_ratings
    hurried = [(named[number], one.hasty) for number, one in rated.profiles.items() if one.hasty]
    return render_template(
        "quality/effects.html",
        rows=sorted(rows, key=lambda row: (-_largest_change(row[1]), row[0].name)),
        fast_ratings=fast_ratings if fast_ratings.rankers else None,
        verdicts=verdicts,
        timed=any(one.timed for one in rated.profiles.values()),
        hurried=sorted(hurried, key=lambda row: (-row[1], row[0].name)),
        measure=rated.context.board.ruler.name,
        least=EARLY,
        tones=ranker_colours(evidence),
        slug=slug,
    )


def _largest_change(effect: Effect) -> float:
    return abs(effect.largest.change or 0.0) if effect.largest else 0.0


@blueprint.get("/p/<slug>/quality/order")
@allow(Access.OWN)
def order(slug: str) -> str:
    """Show whether places moved grades, and that they were drawn at random."""
    evidence = current_evidence()
    report = rated_of(read_session(), evidence).order
    return render_template(
        "quality/order.html",
        report=report,
        sentence=order_sentence(report),
        level=LEVEL,
        tones=ranker_colours(evidence),
        slug=slug,
    )
