"""Where rating rests: nothing left, paused or closed, or done for now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import render_template

from app.http.permissions import Access, allow
from app.http.sessions import database, read_session
from app.models import now_utc
from app.services.assignment import is_held_elsewhere, progress_of
from app.services.evidence import evidence_of
from app.services.judging import break_hint, flagged_by, last_ratings
from app.web.grades import words_of
from app.web.judging import blueprint
from app.web.raters import current_annotator

if TYPE_CHECKING:
    from app.services.judging import Annotator


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
    progress = progress_of(session, project.id, me, evidence=evidence)
    is_empty = project.state == "open" and not progress.waiting
    return render_template(
        "judging/end.html",
        progress=progress,
        ready=ready,
        others_hold=is_empty and is_held_elsewhere(session, project.id, me, now_utc()),
        last=last_ratings(session, project.id, me),
        flagged=flagged_by(session, project.id, me),
        rest_after=break_hint(session, project.id, me, now_utc()),
        words=words_of(project.grade_words, project.grades),
    )
