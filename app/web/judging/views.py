"""The rating page: what is next, one batch, and how it looks to an annotator."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import uuid4

from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.http.permissions import Access, allow, current_access, current_identity_or_404
from app.http.sessions import database, read_session
from app.jobs.assignment import is_last_batch
from app.models import now_utc
from app.services.accounts.preferences import ACTIONS, keys_of, preferences_of
from app.services.assignment.batch_lifecycle import find_begun
from app.services.judging.pages import BatchPage, batch_page, break_hint, has_rated, preview_page
from app.services.projects.notes import note_rule_of
from app.services.projects.words import search_of
from app.services.scoring_settings import get_ruler
from app.web.answer_text import minutes_to_read, shown_texts
from app.web.grades import grades_of, language_of
from app.web.judging import blueprint
from app.web.judging.actions import show_end
from app.web.judging.introduction import guidelines_view, remember_guidelines
from app.web.judging.undoing import AskedStep, asked_step
from app.web.raters import current_annotator, go_on
from app.web.reasons import QUERY_REASONS, REASONS
from app.web.today import today_of_visitor


@blueprint.get("", endpoint="rate")
@allow(Access.RATE)
def rate(slug: str) -> Response | str:
    """Go on with the batch at hand; without one show the button that takes the next, or why there is none.

    Opening a page takes no answer away from others.
    """
    annotator = current_annotator()
    if annotator.project.state != "open":
        return show_end(annotator)
    begun = find_begun(read_session(), annotator.project.id, annotator.person_id)
    if begun is None:
        return show_end(annotator, ready=True)
    return redirect(url_for("judging.batch", slug=slug, batch=begun.batch))


@blueprint.post("", endpoint="take")
@allow(Access.RATE)
def take(slug: str) -> Response:
    """Take the next batch and go to it."""
    del slug
    return go_on(current_annotator())


@blueprint.get("/<int:batch>", endpoint="batch")
@allow(Access.RATE)
def show_batch(slug: str, batch: int) -> str:
    """Show one of one's own batches, in one's own order."""
    del slug
    asked_at = now_utc()
    annotator = current_annotator()
    # Fetched ahead of need, nobody sees it yet.
    ahead = "ahead" in request.args
    page = batch_page(read_session(), annotator.project.id, annotator.person_id, batch, ahead=ahead)
    asked = request.args.get("ask")
    # What comes before a page that is fetched ahead may be done by the time it is seen: then the script asks.
    is_last = not ahead and is_last_batch(
        database(), annotator.project.id, annotator.person_id, batch, at_once=asked != "later"
    )
    back = asked_step(annotator, page, again=asked == "redo") if asked in {"undo", "redo"} else None
    return _rendered(
        page, blind=annotator.blind, preview=False, ahead=ahead, asked_at=asked_at, back=back, is_last=is_last
    )


@blueprint.get("/preview")
@allow(Access.OWN)
def preview(slug: str) -> str:
    """Show an owner the page as an annotator sees it; nothing of it is leased or stored."""
    del slug
    page = preview_page(read_session(), current_access().project.id)
    if page is None:
        return show_end(current_annotator())
    return _rendered(page, blind=True, preview=True)


def _rendered(
    page: BatchPage,
    *,
    blind: bool,
    preview: bool,
    ahead: bool = False,
    asked_at: datetime | None = None,
    back: AskedStep | None = None,
    is_last: bool = False,
) -> str:
    project, identity = current_access().project, current_identity_or_404()
    preferences = preferences_of(identity.preferences)
    seen = preferences["guidelines"].get(str(project.id))
    guidelines = guidelines_view(read_session(), project.id, seen=seen)
    if not preview and not ahead:
        remember_guidelines(identity.id, project.id, guidelines, seen=seen)
    grades = grades_of(project.grade_words, project.grades)
    return render_template(
        "judging/batch.html",
        page=page,
        grades=grades,
        words=[(grade, word) for grade, word, *_ in grades],
        guidelines=guidelines,
        blind=blind,
        unconfirmed=not current_access().is_confirmed,
        left_out=not blind and get_ruler(read_session(), project.id).only_blind,
        preview=preview,
        ahead=ahead,
        asked_at=asked_at or now_utc(),
        preferences=preferences,
        keys=keys_of(preferences),
        actions=ACTIONS,
        new_id=uuid4,
        reasons=REASONS,
        query_reasons=QUERY_REASONS,
        asked=request.args.get("ask"),
        back=back,
        is_last=is_last,
        is_new=not preview and _is_new(preferences, project.id, identity.id),
        rest_after=None if preview else break_hint(read_session(), project.id, identity.id, now_utc()),
        graded_by=request.args.get("none"),
        notes=note_rule_of(project),
        today=None if preview else today_of_visitor(days=1),
        shown=shown_texts(page.answers, project, page.query),
        content_language=project.options.get("language", ""),
        grades_language=language_of(project.grade_words, project.options.get("language", "")),
        minutes_to_read=minutes_to_read,
        search=search_of(project.options, page.query),
    )


def _is_new(preferences: dict[str, Any], project_id: int, person_id: int) -> bool:
    if str(project_id) in preferences["introduced"]:
        return False
    return not has_rated(read_session(), project_id, person_id)
