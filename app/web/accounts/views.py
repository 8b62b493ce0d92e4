"""The accounts of the site: who they are, and what an administrator may do with each."""

from __future__ import annotations

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext as _
from sqlalchemy.orm import Session
from werkzeug.wrappers import Response

from app.http.background import worker
from app.http.permissions import Access, allow, current_person_id
from app.http.proxies import public_link
from app.http.sessions import close_read_session, database, read_session, settings, write_session
from app.jobs.erasing import erase as erase_for_good
from app.jobs.erasing import lists_of
from app.models import Person
from app.services.accounts.confirming import confirm_for
from app.services.accounts.directory import accounts, disable_account, enable_account, get_account
from app.services.accounts.erasing import check_may_erase
from app.services.accounts.invitations import issue_reset
from app.services.accounts.people import plain_email
from app.services.accounts.sessions import end_every_session
from app.services.errors import ConflictError, InvalidError
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
        flash(_("%(name)s cannot sign in any more. Their ratings and roles stay.", name=person.name))
    return _back()


@blueprint.post("/accounts/<account>/enable")
@allow(Access.ADMIN)
def enable(account: str) -> Response:
    """Let somebody sign in again."""
    with flash_refusals(), write_session() as session:
        person = get_account(session, account)
        enable_account(session, person)
        flash(_("%(name)s can sign in again.", name=person.name))
    return _back()


@blueprint.post("/accounts/<account>/sign-out")
@allow(Access.ADMIN)
def sign_out(account: str) -> Response:
    """Sign somebody out on all devices."""
    with write_session() as session:
        person = get_account(session, account)
        end_every_session(session, person.id)
        flash(_("%(name)s is signed out everywhere.", name=person.name))
    return _back()


@blueprint.post("/accounts/<account>/confirm")
@allow(Access.ADMIN)
def confirm(account: str) -> Response:
    """Confirm that a password set by a link is the person's own."""
    with flash_refusals(), write_session() as session:
        person = get_account(session, account)
        confirm_for(session, person.id, current_person_id())
        flash(_("Confirmed. What %(name)s rates from now on counts as blind.", name=person.name))
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


@blueprint.route("/accounts/<account>/erase", methods=["GET", "POST"])
@allow(Access.ADMIN)
def erase(account: str) -> str | Response:
    """Say what erasing a person deletes, and erase them once their address is typed."""
    person = get_account(read_session(), account)
    if request.method == "POST":
        close_read_session()
        with flash_refusals():
            erase_for_good(
                database(),
                lists_of(settings()),
                lambda session: _erasable(session, account),
                actor_id=current_person_id(),
            )
            worker().clean()
            flash(
                _("The person is erased. Their ratings stay. Backups made before hold the data: delete them.")
            )
            return _back()
    return render_template("accounts/erase.html", person=person)


def _erasable(session: Session, account: str) -> Person:
    """Return the account to be erased, whose address was typed."""
    person = get_account(session, account)
    if person.id == current_person_id():
        raise ConflictError("You cannot erase your own account: ask another administrator.", code="own")
    if plain_email(request.form.get("typed", "")) != person.email:
        raise InvalidError("Type the e-mail address of the person exactly.", code="address_differs")
    check_may_erase(session, person)
    return person


def _back() -> Response:
    search = request.form.get("search", "")[:200]
    return redirect(url_for("accounts.index", search=search or None))
