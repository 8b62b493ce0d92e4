"""One's own account: name, rating keys, password, and signing out everywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, g, redirect, render_template, url_for
from flask_babel import gettext as _

from app.http.identity import sign_in
from app.http.languages import current_language
from app.http.permissions import Access, allow, current_identity_or_404
from app.http.sessions import write_session
from app.services.passwords import hash_password
from app.services.people import change_password, end_sessions, get_person, normal_name
from app.services.preferences import change_preferences, preferences_of
from app.web.auth import blueprint
from app.web.auth.forms import ChangePasswordForm, ConfirmForm, PreferencesForm
from app.web.auth.trying import person_behind

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

CHOSEN_HERE = ("keys", "advance", "marks", "language")


@blueprint.route("/account", methods=["GET", "POST"])
@allow(Access.SIGNED_IN)
def account() -> Response | str:
    """Show the account, and change name and rating keys."""
    identity = current_identity_or_404()
    chosen = preferences_of(identity.preferences)
    form = PreferencesForm(data={"name": identity.name, **chosen, "language": current_language()})
    if form.validate_on_submit():
        with write_session() as session:
            get_person(session, identity.id).name = normal_name(form.name.data)
            change_preferences(session, identity.id, {name: form[name].data for name in CHOSEN_HERE})
        g.language = form.language.data  # what follows is said in the language just chosen
        flash(_("Saved."))
        return redirect(url_for("auth.account"))
    return render_template("auth/account.html", form=form, confirm=ConfirmForm())


@blueprint.route("/account/password", methods=["GET", "POST"])
@allow(Access.SIGNED_IN)
def password() -> Response | str:
    """Change the password; all other sessions end."""
    identity = current_identity_or_404()
    form = ChangePasswordForm()
    if form.validate_on_submit():
        if person_behind(identity.email or "", form.present.data) is not None:
            password_hash = hash_password(form.password.data)
            with write_session() as session:
                person = change_password(session, identity.id, password_hash)
            sign_in(person)
            flash(_("Your password is changed. You are signed out everywhere else."))
            return redirect(url_for("auth.account"))
        form.present.errors = [_("This is not your current password.")]
    return render_template("auth/password.html", form=form)


@blueprint.post("/account/sign-out-everywhere")
@allow(Access.SIGNED_IN)
def sign_out_everywhere() -> Response:
    """End all sessions but this one."""
    with write_session() as session:
        person = end_sessions(session, current_identity_or_404().id)
    sign_in(person)
    flash(_("You are signed out everywhere else."))
    return redirect(url_for("auth.account"))
