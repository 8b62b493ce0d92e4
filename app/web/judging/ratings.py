"""All of one's own ratings, to search, to look over and to change."""

from __future__ import annotations

from flask import render_template, request, url_for
from flask_babel import gettext as _

from app.http.permissions import Access, allow
from app.http.sessions import read_session, write_session
from app.models import Project
from app.services.judging.feedback import others_gave, record_disclosure, untold
from app.services.judging.own_ratings import (
    OwnAnswer,
    Remarked,
    flagged_by,
    noted_unrated,
    own_ratings,
    passed_questions,
)
from app.services.projects.assignment_settings import quality_of
from app.web.grades import grades_of
from app.web.judging import blueprint
from app.web.raters import current_annotator
from app.web.reasons import REASONS


@blueprint.get("/ratings", endpoint="ratings")
@allow(Access.RATE)
def ratings(slug: str) -> str:
    """List one's own ratings: searched, filtered, newest first, by pages."""
    annotator = current_annotator()
    project = annotator.project
    words = {one.grade: one.word for one in grades_of(project.grade_words, project.grades)}
    filters = {"": _("All ratings")} | {str(grade): f"{grade}: {word}" for grade, word in words.items()}
    filters |= {"pass": _("Can’t judge"), "flag": _("Reported"), "note": _("With a note")}
    search = request.args.get("q", "").strip()[:200]
    show = request.args.get("show", "")
    show = show if show in filters else ""
    page = request.args.get("page", "1")
    found = own_ratings(
        read_session(),
        project.id,
        annotator.person_id,
        search=search,
        show=show,
        page=int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
    )
    also = _unrated(project, annotator.person_id, show, search)
    others = _others(project, annotator.person_id, found.answers)
    return render_template(
        "judging/ratings.html",
        found=found,
        also=also,
        tells_others=quality_of(project).feedback,
        others=others,
        search=search,
        show=show,
        filters=filters,
        words=words,
        reasons=dict(REASONS),
        page_url=lambda number: url_for(
            "judging.ratings", slug=slug, q=search or None, show=show or None, page=number
        ),
    )


def _unrated(project: Project, person_id: int, show: str, search: str) -> list[Remarked]:
    """Return which whole questions and unrated answers a filter finds as well."""
    session, found = read_session(), []
    if show == "flag":
        found = flagged_by(session, project.id, person_id, limit=None)
    elif show == "pass":
        found = passed_questions(session, project.id, person_id)
    elif show == "note":
        found = noted_unrated(session, project.id, person_id)
    wanted = search.casefold()
    return [
        one
        for one in found
        if not one.is_rated and wanted in f"{one.query}\n{one.title}\n{one.note}".casefold()
    ]


def _others(project: Project, person_id: int, answers: list[OwnAnswer]) -> dict[int, tuple[int, int]]:
    """Return what the page tells of others' grades, once it is written down that it was told."""
    session, listed = read_session(), {one.candidate_id for one in answers}
    others = others_gave(session, project, person_id, {one.query_id for one in answers})
    others = {candidate_id: middle for candidate_id, middle in others.items() if candidate_id in listed}
    if others and (new := untold(session, person_id, others)):
        with write_session() as writer:
            record_disclosure(writer, project, person_id, new)
    return others
