"""Sign-in, sign-out, the theme and the language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import flash, redirect, render_template, request, url_for
from flask_babel import gettext

from app.http.identity import current_identity, sign_in, sign_out
from app.http.languages import COOKIE as LANGUAGE_COOKIE
from app.http.languages import LANGUAGES
from app.http.languages import later as _l
from app.http.permissions import Access, allow
from app.http.sessions import settings, write_session
from app.services.preferences import change_preferences
from app.web.auth import blueprint
from app.web.auth.forms import SignInForm
from app.web.auth.trying import person_behind
from app.web.targets import local_target

if TYPE_CHECKING:
    from werkzeug.wrappers import Response

YEAR = 31_536_000
WRONG = _l("This e-mail address and password do not match.")


@blueprint.route("/sign-in", methods=["GET", "POST"], endpoint="sign_in")
@allow(Access.PUBLIC)
def sign_in_page() -> Response | str:
    """Show the sign-in form, and start a session."""
    target = local_target(request.args.get("next"))
    if current_identity() and request.method == "GET":
        return redirect(target)
    form = SignInForm()
    if form.validate_on_submit():
        person = person_behind(form.email.data, form.password.data)
        if person is not None:
            with write_session() as session:
                sign_out(session)
            sign_in(person)
            return redirect(target)
        form.password.errors = [str(WRONG)]
    return render_template("auth/sign_in.html", form=form)


@blueprint.post("/sign-out", endpoint="sign_out")
@allow(Access.PUBLIC)
def sign_out_here() -> Response:
    """End the session on this device, and every copy of its cookie."""
    with write_session() as session:
        sign_out(session)
    flash(gettext("You are signed out."))
    return redirect(url_for("auth.sign_in"))


@blueprint.post("/theme")
@allow(Access.PUBLIC)
def switch_theme() -> Response:
    """Remember light or dark, and go back."""
    response = redirect(local_target(request.form.get("next")))
    theme = request.form.get("theme")
    if theme in {"light", "dark"}:
        response.set_cookie(
            "theme", theme, max_age=YEAR, samesite="Lax", secure=settings().is_https, httponly=False
        )
    return response


@blueprint.post("/language")
@allow(Access.PUBLIC)
def switch_language() -> Response:
    """Remember the language, with the account where somebody is signed in, and go back."""
    response = redirect(local_target(request.form.get("next")))
    language = request.form.get("language", "")
    if language in LANGUAGES:
        identity = current_identity()
        if identity:
            with write_session() as session:
                change_preferences(session, identity.id, {"language": language})
        response.set_cookie(
            LANGUAGE_COOKIE, language, max_age=YEAR, samesite="Lax", secure=settings().is_https, httponly=True
        )
    return response
