"""The links that work once: first set-up, invitations, password resets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _

from app.http.identity import current_identity, sign_in
from app.http.languages import translated
from app.http.permissions import Access, allow
from app.http.sessions import read_session, write_session
from app.models import Person, Project
from app.services.errors import ConflictError, InvalidError
from app.services.invitations import get_invitation
from app.services.passwords import hash_password
from app.services.redeeming import accept_as, accept_as_new, accept_reset
from app.web.auth import blueprint
from app.web.auth.forms import ConfirmForm, NewAccountForm, NewPasswordForm

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

    from app.http.identity import Identity


@blueprint.route("/set-up/<token>", methods=["GET", "POST"])
@allow(Access.PUBLIC)
def set_up(token: str) -> Response | str:
    """Make the first account, which owns the demo and administers the site."""
    get_invitation(read_session(), token, "set_up")
    form = NewAccountForm()
    if form.validate_on_submit() and _accept_as_new(token, form):
        return redirect(url_for("projects.home"))
    return render_template("auth/set_up.html", form=form)


@blueprint.route("/invitation/<token>", methods=["GET", "POST"])
@allow(Access.PUBLIC)
def invitation(token: str) -> Response | str:
    """Take an invitation, with a new account or the one that is signed in."""
    link = get_invitation(read_session(), token, "invite")
    project = read_session().get(Project, link.project_id) if link.project_id else None
    identity = current_identity()
    form = ConfirmForm() if identity else NewAccountForm(email=link.email)
    if form.validate_on_submit() and (
        _accept_as(token, identity) if identity else _accept_as_new(token, form)
    ):
        return redirect(url_for("projects.home"))
    return render_template(
        "auth/invitation.html", form=form, invited_to=project, invited_as=link.role, token=token
    )


@blueprint.route("/reset/<token>", methods=["GET", "POST"])
@allow(Access.PUBLIC)
def reset(token: str) -> Response | str:
    """Choose a new password with a reset link."""
    link = get_invitation(read_session(), token, "reset")
    person = read_session().get(Person, link.person_id)
    form = NewPasswordForm()
    if form.validate_on_submit():
        # Hashed before the write session begins: everybody's ratings would wait for it.
        password_hash = hash_password(form.password.data)
        with write_session() as session:
            person = accept_reset(session, token, password_hash)
        sign_in(person)
        flash(_("Your new password is set. You are signed out everywhere else."))
        return redirect(url_for("projects.home"))
    return render_template("auth/reset.html", form=form, person=person)


def _accept_as(token: str, identity: Identity) -> bool:
    """Take the role that is offered; what is refused is said above the form."""
    try:
        with write_session() as session:
            accept_as(session, token, identity.id)
    except (ConflictError, InvalidError) as error:
        flash(translated(error.message), "warn")
        return False
    return True


def _accept_as_new(token: str, form: NewAccountForm) -> bool:
    """Create the account and sign in; what is refused is said beside the address."""
    try:
        password_hash = hash_password(form.password.data)
        with write_session() as session:
            person = accept_as_new(
                session, token, email=form.email.data, name=form.name.data, password_hash=password_hash
            )
    except (ConflictError, InvalidError) as error:
        form.email.errors = [translated(error.message)]
        return False
    sign_in(person)
    return True
