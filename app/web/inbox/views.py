"""The list of remarks, one form that does something about some of them, and the replies read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flask import flash, redirect, render_template, request, url_for

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, write_session
from app.models import Project
from app.services.errors import InvalidError
from app.services.inbox import KINDS, STATES, Wanted, handle, mark_replies_seen, people_of, remarks_of
from app.services.wording import counted
from app.web.inbox import blueprint

if TYPE_CHECKING:
    from collections.abc import Mapping

    from werkzeug.wrappers import Response

STATE_WORDS = {"open": "Open", "resolved": "Resolved", "all": "All"}
KIND_WORDS = {"": "Everything", "flag": "Flags", "note": "Notes", "pass": "Can’t judge"}
REASON_WORDS = {
    "unclear": "the question is unclear",
    "unreadable": "the answer is unreadable or missing",
    "expertise": "it needs somebody who knows more",
    "language": "it is in another language",
    "harmful": "it is harmful",
    "other": "something else",
}
DONE = {
    "reply": "replied to",
    "resolve": "resolved",
    "reopen": "open again",
    "release": "asked again",
    "erase": "erased",
}


@blueprint.get("/p/<slug>/inbox", endpoint="index")
@allow(Access.OWN)
def index(slug: str) -> str:
    """List what annotators said: filtered, newest first, by pages."""
    project = current_place().project
    wanted = _wanted(request.args)
    page = request.args.get("page", "1")
    found = remarks_of(
        read_session(),
        project.id,
        wanted,
        page=int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1,
    )
    address: dict[str, Any] = {
        "state": wanted.state or "all",
        "kind": wanted.kind or None,
        "person": wanted.person or None,
    }
    return render_template(
        "inbox/index.html",
        found=found,
        wanted=wanted,
        address=address,
        people=people_of(read_session(), project.id, wanted),
        states=STATE_WORDS,
        kinds=KIND_WORDS,
        reasons=REASON_WORDS,
        slug=slug,
        page_url=lambda number: url_for("inbox.index", slug=slug, page=number, **address),
    )


@blueprint.post("/p/<slug>/inbox", endpoint="act")
@allow(Access.OWN)
def act(slug: str) -> Response:
    """Do one thing about the remarks that are ticked, or about all that the filter lets through."""
    wanted = _wanted(request.form)
    if request.form.get("scope") != "all":
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
    back = _wanted(request.form)
    return redirect(
        url_for(
            "inbox.index",
            slug=slug,
            state=back.state or "all",
            kind=back.kind or None,
            person=back.person or None,
        )
    )


@blueprint.post("/p/<slug>/replies/seen", endpoint="seen")
@allow(Access.RATE)
def seen(slug: str) -> Response:
    """Mark the replies to one's own remarks as read."""
    del slug
    with write_session() as session:
        mark_replies_seen(session, current_place().project.id, current_identity_or_404().id)
    return redirect(url_for("projects.home"))


def _wanted(given: Mapping[str, str]) -> Wanted:
    """Return what an address or a form asks for; open remarks by default, names it does not know ignored."""
    state, kind = given.get("state", "open"), given.get("kind", "")
    if state not in STATES and state != "all":
        state = "open"
    return Wanted(
        state="" if state == "all" else state,
        kind=kind if kind in KINDS else "",
        person=given.get("person", "")[:64],
    )
