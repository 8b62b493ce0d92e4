"""The accounts of the site: who they are, and what an administrator may do with each."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from app.http.permissions import Access, allow, current_person_id
from app.http.proxies import public_link
from app.http.sessions import read_session, write_session
from app.services.accounts.confirming import confirm_for
from app.services.accounts.directory import accounts, disable_account, enable_account, get_account
from app.services.accounts.invitations import issue_reset
from app.services.accounts.sessions import end_every_session
from app.services.errors import ConflictError
from app.web.accounts import blueprint
from app.web.arguments import asked_page
from app.web.responses import flash_refusals


@blueprint.get("/accounts")
@allow(Access.ADMIN)
def index() -> str:
    """List the accounts, by name."""
    search = request.args.get("search", "")[:200]
    page, rows = accounts(read_session(), search, asked_page())
    return render_template(
        "accounts/index.html",
        page=page,
        rows=rows,
        search=search,
        own=current_person_id(),
        page_url=lambda number: url_for("accounts.index", search=search or None, page=number),
    )


@blueprint.post("/accounts/<account>/disable")
@allow(Access.ADMIN)
def disable(account: str) -> Response:
    """Let nobody sign in to an account."""
    with flash_refusals(), write_session() as session:
        person = get_account(session, account)
        disable_account(session, person, actor_id=current_person_id())
        flash(f"{person.name} cannot sign in any more. Their ratings and roles stay.")
    return _back()


@blueprint.post("/accounts/<account>/enable")
@allow(Access.ADMIN)
def enable(account: str) -> Response:
    """Let somebody sign in again."""
    with flash_refusals(), write_session() as session:
        person = get_account(session, account)
        enable_account(session, person)
        flash(f"{person.name} can sign in again.")
    return _back()


@blueprint.post("/accounts/<account>/sign-out")
@allow(Access.ADMIN)
def sign_out(account: str) -> Response:
    """Sign somebody out on all devices."""
    with write_session() as session:
        person = get_account(session, account)
        end_every_session(session, person.id)
        flash(f"{person.name} is signed out everywhere.")
    return _back()


@blueprint.post("/accounts/<account>/confirm")
@allow(Access.ADMIN)
def confirm(account: str) -> Response:
    """Confirm that a password set by a link is the person's own."""
    with flash_refusals(), write_session() as session:
        person = get_account(session, account)
        confirm_for(session, person.id, current_person_id())
        flash(f"Confirmed. What {person.name} rates from now on counts as blind.")
    return _back()


@blueprint.post("/accounts/<account>/password-link")
@allow(Access.ADMIN)
def password_link(account: str) -> str:
    """Make a link with which somebody chooses a new password; for administrators a command makes it."""
    with write_session() as session:
        person = get_account(session, account)
        if person.is_admin:
            raise ConflictError(
                "Links for administrators are made with the command: flask --app app user reset.",
                code="reaches_further",
            )
        token = issue_reset(session, person, created_by=current_person_id())
    # Shown once, on this answer only: the database holds a hash.
    link = public_link("auth.reset", token=token)
    return render_template("accounts/password_link.html", link=link, person=person)


def _back() -> Response:
    search = request.form.get("search", "")[:200]
    return redirect(url_for("accounts.index", search=search or None))
