"""What owners do about remarks, and annotators who have read the replies."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import write_session
from app.models import Project
from app.services.errors import InvalidError
from app.services.inbox import Wanted, handle, mark_replies_seen
from app.services.wording import counted
from app.web.review import blueprint
from app.web.review.listing import Filter

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

DONE = {
    "reply": "replied to",
    "resolve": "resolved",
    "reopen": "open again",
    "release": "asked again",
    "erase": "erased",
}


@blueprint.post("/remarks", endpoint="act")
@allow(Access.OWN)
def act(slug: str) -> Response:
    """Do one thing about the remarks that are ticked, or about all that the filter lets through."""
    chosen = Filter.of(request.form)
    wanted = chosen.remarks if request.form.get("scope") == "all" else None
    if wanted is None:
        wanted = Wanted(keys=tuple(request.form.getlist("remark")[:500]))
    turn = request.form.get("turn", "")
    try:
        with write_session() as session:
            project = session.get_one(Project, current_place().project.id)
            handled = handle(
                session,
                project,
                wanted,
                turn,
                actor_id=current_identity_or_404().id,
                reply=request.form.get("reply", ""),
            )
        flash(f"{counted(handled.done, 'remark')} {DONE[turn]}.")
    except InvalidError as error:
        flash(error.message, "warn")
    return redirect(url_for("review.index", slug=slug, **chosen.address))


@blueprint.post("/replies/seen", endpoint="seen")
@allow(Access.RATE)
def seen(slug: str) -> Response:
    """Mark the replies to one's own remarks as read."""
    del slug
    with write_session() as session:
        mark_replies_seen(session, current_place().project.id, current_identity_or_404().id)
    return redirect(url_for("projects.home"))
