"""Undo and redo for browsers without scripts: what is on another page is asked about first."""

from __future__ import annotations

from typing import NamedTuple
from uuid import UUID

from flask import flash, redirect, url_for
from flask_babel import gettext as _
from flask_babel import ngettext
from werkzeug.wrappers import Response

from app.http.languages import translated
from app.http.permissions import Access, allow
from app.http.sessions import read_session, write_session
from app.models.judgment import Reason
from app.services.errors import ConflictError
from app.services.judging.pages import BatchPage, batch_page
from app.services.judging.rating import Annotator
from app.services.judging.undo import ComingStep, RepeatedStep, coming_step, redo_last, undo_last
from app.web.judging import blueprint
from app.web.judging.actions import STALE
from app.web.judging.forms import UndoForm
from app.web.raters import annotator_of

# So much of a title is named on another page.
LONGEST = 70


@blueprint.post("/<int:batch>/undo", endpoint="undo")
@allow(Access.RATE)
def undo(slug: str, batch: int) -> Response:
    """Take back the last step, or do again what was taken back; go to where it was, and say what it did."""
    annotator, form = annotator_of(batch), UndoForm()
    again = form.again.data
    coming = coming_step(read_session(), annotator, again=again)
    if coming and coming.batch not in {0, batch} and form.sure.data != str(coming.id):
        return redirect(
            url_for("judging.batch", slug=slug, batch=batch, ask="redo" if again else "undo", _anchor="ask")
        )
    try:
        with write_session() as session:
            moved = (redo_last if again else undo_last)(session, annotator)
    except ConflictError as error:
        flash(str(STALE) if error.code == "changed_elsewhere" else translated(error.message), "warn")
        return redirect(url_for("judging.batch", slug=slug, batch=batch))
    if moved is None:
        flash(_("Nothing to redo") if again else _("Nothing to undo"))
        return redirect(url_for("judging.batch", slug=slug, batch=batch))
    what = _what(annotator, moved)
    if moved.several > 1 and what is None:
        flash(
            _("Redone: those answers have the lowest grade again")
            if again
            else _("Undone: those answers are unrated again")
        )
    elif moved.several > 1:
        flash(_("Redone: %(what)s", what=what) if again else _("Undone: %(what)s", what=what))
    else:
        flash(_("Redone. Now %(what)s", what=what) if again else _("Undone. Now %(what)s", what=what))
    at = moved.batch or batch
    return redirect(url_for("judging.batch", slug=slug, batch=at, _anchor=f"answer-{moved.public_id}"))


class AskedStep(NamedTuple):
    """A step on another page: the question before it is moved, and the word of the button."""

    id: UUID
    again: bool
    question: str
    word: str


def asked_step(annotator: Annotator, here: BatchPage, *, again: bool) -> AskedStep | None:
    """Return what is asked on a page before a step on another one is undone, or redone; None without one."""
    coming = coming_step(read_session(), annotator, again=again)
    if coming is None or not coming.batch:
        return None
    page = batch_page(read_session(), annotator.project.id, annotator.person_id, coming.batch)
    word = str(_("Take back") if coming.takes else _("Bring back"))
    return AskedStep(coming.id, again, _asked(coming, page, here, annotator.project.scale_low), word)


def _asked(coming: ComingStep, page: BatchPage, here: BatchPage, lowest: int) -> str:
    rating, query = _rating(coming.grade, coming.reason), page.query
    if coming.several and page.has_better(lowest):
        return str(
            _("Take back the %(stars)s that you gave to the rest of “%(query)s”?", stars=rating, query=query)
            if coming.takes
            else _(
                "Bring back the %(stars)s that you gave to the rest of “%(query)s”?",
                stars=rating,
                query=query,
            )
        )
    if coming.several:
        rating = _("“no good answer”")
        return str(
            _("Take back %(rating)s for the question “%(query)s”?", rating=rating, query=query)
            if coming.takes
            else _("Bring back %(rating)s for the question “%(query)s”?", rating=rating, query=query)
        )
    values = {"rating": rating, "answer": _name(page, coming.public_id), "place": _place(page, here)}
    return str(
        _("Take back %(rating)s for %(answer)s (%(place)s)?", **values)
        if coming.takes
        else _("Bring back %(rating)s for %(answer)s (%(place)s)?", **values)
    )


def _name(page: BatchPage, public_id: str) -> str:
    """Return an answer of another page by its title: its letter would be taken for one on this page."""
    answer = next((one for one in page.answers if one.public_id == public_id), None)
    title = (answer.title or answer.text).strip() if answer else ""
    if not title:
        return str(_("answer %(letter)s", letter=_letter(page, public_id)))
    return str(_("“%(title)s”", title=title if len(title) <= LONGEST else f"{title[:LONGEST]}…"))


def _place(page: BatchPage, here: BatchPage) -> str:
    if page.query != here.query:
        return str(_("question “%(query)s”", query=page.query))
    return str(_("another part of this question"))


def _what(annotator: Annotator, moved: RepeatedStep) -> str | None:
    """Return what was moved, in words; None for the rest of a question with a better answer."""
    page = batch_page(read_session(), annotator.project.id, annotator.person_id, moved.batch)
    if moved.several > 1:
        return None if page.has_better(annotator.project.scale_low) else str(_("“no good answer”"))
    rating = _rating(moved.grade, moved.reason)
    answer = _("answer %(letter)s", letter=_letter(page, moved.public_id))
    return str(_("%(answer)s is %(rating)s", answer=answer, rating=rating))


def _rating(grade: int | None, reason: Reason | None) -> str:
    if grade is not None:
        return str(ngettext("%(n)s star", "%(n)s stars", grade, n=grade))
    return str(_("not rated") if reason is Reason.CLEARED else _("“can’t judge”"))


def _letter(page: BatchPage, public_id: str) -> str:
    return next((answer.letter for answer in page.answers if answer.public_id == public_id), "")
