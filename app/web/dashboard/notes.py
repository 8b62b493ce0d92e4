"""Owners' notes on the chart over time, and the score they aim at."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time

from flask import flash, redirect, request, url_for
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.languages import gettext as _
from app.http.permissions import Access, allow
from app.http.project import write_project
from app.models import Project, now_utc
from app.services.errors import InvalidError
from app.services.scores.chart_notes import add_note, change_note, delete_note, marked_of, set_target
from app.web.arguments import whole_number
from app.web.dashboard import blueprint
from app.web.responses import flash_refusals

NO_SCORE = -1


@blueprint.post("/p/<slug>/overview/notes")
@allow(Access.OWN)
def write_note(slug: str) -> Response:
    """Write a note on the chart, about a week of a replay or a day."""
    text, when = request.form.get("text", ""), request.form.get("when", "").strip()

    def add(session: Session, project: Project) -> str:
        weeks = marked_of(session, project.id).weeks
        named = {str(number): week.revision for number, week in enumerate(weeks, start=1)}
        add_note(session, project, text, revision=named.get(when), at=None if weeks else _moment(when))
        return _("The note is on the chart.")

    return _changed(slug, add)


@blueprint.post("/p/<slug>/overview/notes/<int:note_id>")
@allow(Access.OWN)
def edit_note(slug: str, note_id: int) -> Response:
    """Change or delete a note."""

    def edit(session: Session, project: Project) -> str:
        if request.form.get("do") == "delete":
            delete_note(session, project, note_id)
            return _("The note is deleted.")
        change_note(session, project, note_id, request.form.get("text", ""))
        return _("The note is saved.")

    return _changed(slug, edit)


@blueprint.post("/p/<slug>/overview/target")
@allow(Access.OWN)
def target(slug: str) -> Response:
    """Set the score to aim at, or none."""
    entered = request.form.get("target", "").strip()

    def aim(session: Session, project: Project) -> str:
        set_target(session, project, _score(entered))
        return _("The target is saved.") if entered else _("There is no target any more.")

    return _changed(slug, aim)


def _changed(slug: str, change: Callable[[Session, Project], str]) -> Response:
    """Make a change, say so or why not, and go back to the chart."""
    with flash_refusals(InvalidError):
        with write_project() as (session, project):
            done = change(session, project)
        flash(done)
    return redirect(url_for("dashboard.overview", slug=slug, _anchor="time"))


def _moment(entered: str) -> datetime | None:
    """Return noon of a day, or now for today and where no day is said.

    :raise InvalidError: It is no day.
    """
    if not entered:
        return None
    try:
        day = date.fromisoformat(entered)
    except ValueError:
        raise InvalidError("Choose a day for the note.", code="at") from None
    return None if day == now_utc().date() else datetime.combine(day, time(12), tzinfo=UTC)


def _score(entered: str) -> int | None:
    number = whole_number(entered, digits=3)
    return NO_SCORE if entered and number is None else number
