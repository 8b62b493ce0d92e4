"""Undo and redo without scripts: the last step of whoever rates, wherever in the project it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, url_for
from flask_babel import gettext as _
from flask_babel import ngettext

from app.http.languages import translated
from app.http.permissions import Access, allow
from app.http.sessions import read_session, write_session
from app.models import Reason
from app.services.errors import ConflictError
from app.services.judging import batch_page, redo_last, undo_last
from app.web.judging import blueprint
from app.web.judging.actions import STALE
from app.web.judging.forms import UndoForm
from app.web.raters import annotator_of

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from app.services.judging import Annotator, Moved


@blueprint.post("/<int:batch>/undo", endpoint="undo")
@allow(Access.RATE)
def undo(slug: str, batch: int) -> Response:
    """Take back the last step, or do again what was taken back; go to where it was, and say what it did."""
    annotator, again = annotator_of(batch), UndoForm().again.data
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
    flash(_("Redone: %(what)s", what=what) if again else _("Undone: %(what)s", what=what))
    at = moved.batch or batch
    return redirect(url_for("judging.batch", slug=slug, batch=at, _anchor=f"answer-{moved.public_id}"))


def _what(annotator: Annotator, moved: Moved) -> str:
    if moved.several > 1:
        return str(_("no good answer here"))
    page = batch_page(read_session(), annotator.project.id, annotator.person_id, moved.batch)
    letters = {answer.public_id: answer.letter for answer in page.answers}
    if moved.grade is not None:
        rating = ngettext("%(n)s star", "%(n)s stars", moved.grade, n=moved.grade)
    else:
        rating = _("not rated") if moved.reason is Reason.CLEARED else _("passed on")
    letter = letters.get(moved.public_id, "")
    return str(_("answer %(letter)s is %(rating)s", letter=letter, rating=rating))
