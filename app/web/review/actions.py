"""What a press does without scripts, and what needs none: show the ratings, decide, note, reopen, send."""

from __future__ import annotations

from uuid import UUID, uuid4

from flask import flash, redirect, request, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.languages import later as _l
from app.http.languages import translated
from app.http.permissions import Access, allow, current_access, current_identity_or_404
from app.http.sessions import read_session, write_session
from app.models import Input, Reason, now_utc
from app.services.errors import ConflictError, InvalidError
from app.services.judging.adjudication import (
    candidate_of,
    record_decision,
    request_adjudication,
    show_ratings,
    take_back_decision,
    withdraw_adjudication_request,
    write_note_on,
)
from app.services.judging.rating import Rating
from app.web.review import blueprint
from app.web.review.forms import AdjudicationNoteForm, DecisionForm
from app.web.review.views import current_adjudicator, current_queue

STALE = _l("Someone else has decided on this answer. You see their decision; choose again to change it.")
SENT = _l(
    "The answer now waits in Review. The person who decides sees no rankers, and ratings only on request."
)


@blueprint.post("/answers/<answer_id>", endpoint="save")
@allow(Access.ADJUDICATE)
def save(slug: str, answer_id: str) -> Response:
    """Record one decision, and come back to its answer."""
    form = DecisionForm()
    candidate = candidate_of(read_session(), current_access().project.id, answer_id)
    if not form.validate_on_submit() or (form.grade.data is None and not form.reason.data):
        flash(_("Choose one of the stars before you save."), "warn")
        return _back(slug, candidate.query_id, answer_id)
    try:
        with write_session() as session:
            record_decision(session, current_adjudicator(), answer_id, _rating_of(form))
    except ConflictError as error:
        stale = error.code in {"id_reused", "changed_elsewhere"}
        flash(str(STALE) if stale else translated(error.message), "warn")
    except InvalidError as error:
        flash(translated(error.message), "warn")
    return _back(slug, candidate.query_id, answer_id)


@blueprint.post("/answers/<answer_id>/show", endpoint="show")
@allow(Access.ADJUDICATE)
def show(slug: str, answer_id: str) -> Response:
    """Show what others said about an answer of the queue, and keep that it was shown."""
    candidate = candidate_of(read_session(), current_access().project.id, answer_id)
    queue = current_queue()
    if candidate.id in {one.candidate_id for one in queue.waiting} | set(queue.decided):
        with write_session() as session:
            show_ratings(session, current_adjudicator(), answer_id)
    return _back(slug, candidate.query_id, answer_id)


@blueprint.post("/answers/<answer_id>/note", endpoint="note")
@allow(Access.ADJUDICATE)
def note(slug: str, answer_id: str) -> Response:
    """Keep a note on an answer."""
    form = AdjudicationNoteForm()
    candidate = candidate_of(read_session(), current_access().project.id, answer_id)
    if form.validate_on_submit():
        with write_session() as session:
            write_note_on(session, current_adjudicator(), answer_id, form.text.data or "")
    else:
        flash(form.text.errors[0], "warn")
    return _back(slug, candidate.query_id, answer_id)


@blueprint.post("/answers/<answer_id>/reopen", endpoint="reopen")
@allow(Access.ADJUDICATE)
def reopen(slug: str, answer_id: str) -> Response:
    """Take a decision back, so that the answer waits again."""
    rating = Rating(id=uuid4(), grade=None, reason=Reason.CLEARED, input=Input.FORM, at=now_utc())
    adjudicator = current_adjudicator()
    candidate_of(read_session(), adjudicator.project.id, answer_id)
    try:
        with write_session() as session:
            take_back_decision(session, adjudicator, answer_id, rating)
        flash(_("The decision is undone. The ratings count again."))
    except ConflictError as error:
        flash(translated(error.message), "warn")
    return redirect(url_for("review.index", slug=slug))


@blueprint.post("/answers/<answer_id>/send", endpoint="send")
@allow(Access.OWN)
def send(slug: str, answer_id: str) -> Response:
    """Send an answer to adjudication, or take it back from there."""
    project = current_access().project
    candidate = candidate_of(read_session(), project.id, answer_id)
    with write_session() as session:
        if request.form.get("turn") == "back":
            withdraw_adjudication_request(session, project, answer_id)
            flash(_("The answer no longer waits in Review."))
        else:
            request_adjudication(session, project, answer_id, actor_id=current_identity_or_404().id)
            flash(str(SENT))
    return redirect(url_for("queries.show", slug=slug, query_id=candidate.query_id, _anchor="send"))


def _rating_of(form: DecisionForm) -> Rating:
    is_cleared = bool(form.reason.data)
    return Rating(
        id=UUID(form.id.data),
        grade=None if is_cleared else form.grade.data,
        reason=Reason.CLEARED if is_cleared else None,
        base=UUID(form.base.data) if form.base.data else None,
        place=form.place.data or 0,
        of=form.of.data or 0,
        input=Input.FORM,
        at=now_utc(),
    )


def _back(slug: str, query_id: int, answer_id: str) -> Response:
    """Return to an answer; once its question is finished, to the list."""
    if any(one.query_id == query_id for one in current_queue().waiting):
        return redirect(
            url_for("review.question", slug=slug, query_id=query_id, _anchor=f"answer-{answer_id}")
        )
    return redirect(url_for("review.index", slug=slug))
