"""What the rating page posts: ratings, passes, steps back, the end of a batch."""

from __future__ import annotations

from uuid import UUID

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response

from app.http.languages import later as _l
from app.http.languages import translated
from app.http.observing import acknowledge_rating
from app.http.permissions import Access, allow, current_access
from app.http.sessions import database, read_session, write_session
from app.models.base import now_utc
from app.models.judgment import Input, Reason
from app.models.person import Role
from app.services.assignment.batch_lifecycle import (
    decline_query,
    finish_batch,
    get_assignment,
    is_held_elsewhere,
    park_batch,
    take_back_decline,
    unfinished_questions,
)
from app.services.assignment.progress import progress_of
from app.services.assignment.query_assignments import left_of_target
from app.services.errors import ConflictError, InvalidError
from app.services.evidence.store import evidence_of
from app.services.judging.no_good_answer import record_no_good_answer, take_back_no_good_answer
from app.services.judging.own_ratings import flagged_by, last_ratings, passed_questions
from app.services.judging.pages import batch_page, break_hint
from app.services.judging.rating import Annotator, Rating
from app.services.judging.recording import check_rating_is_open, record_judgment
from app.services.judging.remarks import flag_answer, flag_query, write_note
from app.web.grades import words_of
from app.web.judging import blueprint
from app.web.judging.forms import DeclineForm, FlagForm, NoteForm, RatingForm, StepForm
from app.web.raters import annotator_of, current_annotator, go_on
from app.web.today import today_of_visitor


@blueprint.get("/done", endpoint="done")
@allow(Access.RATE)
def done(slug: str) -> str:
    """Show what one has done, that it is safe to close, and one's last ten ratings."""
    del slug
    return show_end(current_annotator())


def show_end(annotator: Annotator, *, ready: bool = False) -> str:
    """Return the page that closes a session of rating, opens one, or says why there is nothing to rate."""
    evidence = evidence_of(database(), annotator.project.id)
    session = read_session()
    project, me = annotator.project, annotator.person_id
    decides = current_access().role is Role.OWNER
    progress = progress_of(session, project.id, me, evidence=evidence, decides=decides)
    is_share_done = not progress.waiting and left_of_target(session, project, me) == 0
    is_empty = project.state == "open" and not progress.waiting and not is_share_done
    return render_template(
        "judging/end.html",
        progress=progress,
        ready=ready,
        today=today_of_visitor(),
        is_share_done=is_share_done,
        has_pool=bool(evidence.pooled().any()),
        unfinished=unfinished_questions(session, project.id, me, now_utc()),
        others_hold=is_empty and is_held_elsewhere(session, project.id, me, now_utc()),
        last=last_ratings(session, project.id, me),
        flagged=flagged_by(session, project.id, me),
        passed_questions=len(passed_questions(session, project.id, me)),
        rest_after=break_hint(session, project.id, me, now_utc()),
        words=words_of(project.grade_words, project.grades),
    )


STALE = _l("You rated this answer in another window. This is that rating. Choose again to change it.")


@blueprint.post("/<int:batch>/answers/<answer_id>", endpoint="save")
@allow(Access.RATE)
def save(slug: str, batch: int, answer_id: str) -> Response:
    """Record one rating, and come back to its answer."""
    form = RatingForm()
    annotator = annotator_of(batch)
    if not form.validate_on_submit() or (form.grade.data is None and not form.reason.data):
        flash(_("Choose one of the stars, or a reason, before you save."), "warn")
        return _back(slug, batch, answer_id)
    try:
        with write_session() as session:
            if note := (form.note.data or "").strip():
                write_note(session, annotator, answer_id, note)
            record_judgment(session, annotator, answer_id, _rating_of(form, batch))
        acknowledge_rating()
    except ConflictError as error:
        flash(
            str(STALE) if error.code in {"id_reused", "changed_elsewhere"} else translated(error.message),
            "warn",
        )
    except InvalidError as error:
        flash(translated(error.message), "warn")
    return _back(slug, batch, answer_id)


@blueprint.post("/<int:batch>/answers/<answer_id>/note", endpoint="note")
@allow(Access.RATE)
def note(slug: str, batch: int, answer_id: str) -> Response:
    """Keep a note on an answer."""
    form = NoteForm()
    annotator = annotator_of(batch)
    if form.validate_on_submit():
        with write_session() as session:
            write_note(session, annotator, answer_id, form.text.data or "")
    else:
        flash(str(form.text.errors[0]), "warn")
    return _back(slug, batch, answer_id)


@blueprint.post("/<int:batch>/answers/<answer_id>/flag", endpoint="flag")
@allow(Access.RATE)
def flag(slug: str, batch: int, answer_id: str) -> Response:
    """Raise a flag on an answer, or take it back."""
    annotator = annotator_of(batch)
    with write_session() as session:
        flag_answer(session, annotator, answer_id, flagged=FlagForm().flagged.data)
    return _back(slug, batch, answer_id)


@blueprint.post("/<int:batch>/flag", endpoint="flag_question")
@allow(Access.RATE)
def flag_question(slug: str, batch: int) -> Response:
    """Raise a flag on the question, or take it back."""
    annotator = current_annotator()
    with write_session() as session:
        assignment = get_assignment(session, annotator.project.id, annotator.person_id, batch)
        flag_query(session, annotator, assignment, flagged=FlagForm().flagged.data)
    return _back(slug, batch)


@blueprint.post("/<int:batch>/no-good-answer", endpoint="no_good_answer")
@allow(Access.RATE)
def no_good_answer(slug: str, batch: int) -> Response:
    """Give the lowest grade to one's unrated answers, or take that step back."""
    form = StepForm()
    annotator = current_annotator()
    if not form.validate_on_submit():
        return _back(slug, batch)
    page = batch_page(read_session(), annotator.project.id, annotator.person_id, batch)
    if page.parts.more and not form.sure.data and not form.undo.data:
        return redirect(url_for("judging.batch", slug=slug, batch=batch, ask="sure"))
    try:
        with write_session() as session:
            if form.undo.data:
                take_back_no_good_answer(session, annotator, UUID(form.undo.data), _step_of(form, batch))
                return _back(slug, batch)
            written = len(record_no_good_answer(session, annotator, _step_of(form, batch)).ratings)
    except ConflictError as error:
        flash(translated(error.message), "warn")
        return _back(slug, batch)
    flash(unrated_got(written, annotator.project.scale_low))
    return redirect(url_for("judging.batch", slug=slug, batch=batch, none=form.id.data))


def unrated_got(count: int, grade: int) -> str:
    """Return what a step of "no good answer" has written, in words."""
    stars = ngettext("%(n)s star", "%(n)s stars", grade, n=grade)
    return str(
        ngettext(
            "%(n)s unrated answer got %(stars)s",
            "%(n)s unrated answers got %(stars)s",
            count,
            n=count,
            stars=stars,
        )
    )


@blueprint.post("/<int:batch>/decline", endpoint="decline")
@allow(Access.RATE)
def decline(slug: str, batch: int) -> Response:
    """Pass the whole question on to others, with a reason; without one, take it back."""
    form = DeclineForm()
    annotator = current_annotator()
    place = (annotator.project.id, annotator.person_id, batch)
    if not form.validate_on_submit():
        return _back(slug, batch)
    try:
        with write_session() as session:
            if form.reason.data:
                check_rating_is_open(annotator.project)
                decline_query(session, *place, Reason[form.reason.data.upper()])
                flash(_("The question goes to other annotators or, if there are none, to an owner."))
            else:
                take_back_decline(session, *place)
    except ConflictError as error:
        flash(translated(error.message), "warn")
        return _back(slug, batch)
    return go_on(annotator) if form.reason.data else _back(slug, batch)


@blueprint.post("/<int:batch>/next", endpoint="next_question")
@allow(Access.RATE)
def next_question(slug: str, batch: int) -> Response:
    """Go on to the next question; with answers left, ask first whether to leave them for later."""
    annotator = current_annotator()
    try:
        with write_session() as session:
            finish_batch(session, annotator.project.id, annotator.person_id, batch)
    except ConflictError:
        return redirect(url_for("judging.batch", slug=slug, batch=batch, ask="later"))
    return go_on(annotator)


@blueprint.post("/<int:batch>/later", endpoint="later")
@allow(Access.RATE)
def later(slug: str, batch: int) -> Response:
    """Leave the rest of a question for later."""
    del slug
    annotator = current_annotator()
    with write_session() as session:
        park_batch(session, annotator.project.id, annotator.person_id, batch)
    return go_on(annotator)


def _rating_of(form: RatingForm, batch: int) -> Rating:
    # A reason wins: its button may send the star that was chosen before along with it.
    reason = Reason[form.reason.data.upper()] if form.reason.data else None
    return Rating(
        id=UUID(form.id.data),
        grade=form.grade.data if reason is None else None,
        reason=reason,
        base=UUID(form.base.data) if form.base.data else None,
        place=form.place.data or 0,
        of=form.of.data or 0,
        guidelines=form.guidelines.data,
        batch=batch,
        input=Input.FORM,
        at=now_utc(),
    )


def _step_of(form: StepForm, batch: int) -> Rating:
    return Rating(id=UUID(form.id.data), grade=None, batch=batch, input=Input.FORM, at=now_utc())


def _back(slug: str, batch: int, answer_id: str | None = None) -> Response:
    anchor = None if answer_id is None else f"answer-{answer_id}"
    return redirect(url_for("judging.batch", slug=slug, batch=batch, _anchor=anchor))
