"""Sign in, sign out, use a link, and the page of one's own account."""

from __future__ import annotations

from contextlib import suppress

from flask import flash, g, redirect, render_template, request, url_for
from flask import session as cookie
from flask_babel import gettext
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.devices import source_of_try
from app.http.identity import current_identity, sign_in, sign_out
from app.http.lanes import hashes_password
from app.http.languages import COOKIE as LANGUAGE_COOKIE
from app.http.languages import current_language, translated
from app.http.languages import later as _l
from app.http.organisation import profile_of_proxy
from app.http.permissions import Access, allow, current_identity_or_404, current_person_id
from app.http.sessions import close_read_session, read_session, settings, write_session
from app.models.person import Person
from app.models.project import Project
from app.services.accounts.confirming import find_unconfirmed
from app.services.accounts.invitations import get_invitation
from app.services.accounts.people import account_exists, change_password, find_person, get_person, normal_name
from app.services.accounts.preferences import change_preferences, preferences_of
from app.services.accounts.redeeming import accept_as, accept_reset, accept_set_up, sign_up
from app.services.accounts.sessions import end_every_session
from app.services.accounts.sign_in import (
    check_password,
    check_throttle,
    forget_failures,
    hash_password,
    record_failure,
)
from app.services.errors import ConflictError, GoneError, InvalidError
from app.services.translations import LANGUAGES
from app.web.auth import blueprint
from app.web.auth.forms import (
    ChangePasswordForm,
    ConfirmForm,
    NewAccountForm,
    NewPasswordForm,
    PreferencesForm,
    SignInForm,
)
from app.web.navigation import local_target

# A try at a password: compared, and counted if it was wrong.


def person_behind(email: str, password: str) -> Person | None:
    """Return the person whom an address and a password belong to, or None.

    Raises
    ------
    TooManyError
        So soon after so many wrong passwords no other is heard.
    """
    person = find_person(read_session(), email)
    source = source_of_try(person)
    check_throttle(read_session(), email, source)
    # Hashing takes long on purpose: no snapshot is held meanwhile, nor the writer's place.
    close_read_session()
    is_right = check_password(person, password)
    with write_session() as session:
        # Once more: of many at the same moment only the first few learn whether they guessed right.
        check_throttle(session, email, source)
        if is_right:
            forget_failures(session, email, source)
        else:
            record_failure(session, email, source, person_id=person.id if person else None)
    return person if is_right else None


def _refuse_without_passwords() -> None:
    """Refuse to use or set a password where people sign in by their organisation alone.

    :raise GoneError: Passwords are switched off.
    """
    if not settings().sign_in.passwords:
        raise GoneError(_("Passwords are not used on this site. Sign in through your organisation."))


# One's own account: name, rating keys, password, and signing out everywhere.


CHOSEN_HERE = ("keys", "advance", "tap", "single", "marks", "goal", "language")


@blueprint.route("/account", methods=["GET", "POST"])
@allow(Access.SIGNED_IN)
def account() -> Response | str:
    """Show the account, and change name and rating keys."""
    identity = current_identity_or_404()
    chosen = preferences_of(identity.preferences)
    form = PreferencesForm(data={"name": identity.name, **chosen, "language": current_language()})
    names = (*CHOSEN_HERE, "mails") if settings().mail else CHOSEN_HERE
    if form.validate_on_submit():
        with write_session() as session:
            get_person(session, identity.id).name = normal_name(form.name.data)
            change_preferences(session, identity.id, {name: form[name].data for name in names})
        g.language = form.language.data  # what follows is said in the language just chosen
        flash(_("Saved."))
        return redirect(url_for("auth.account"))
    return render_template(
        "auth/account.html",
        form=form,
        confirm=ConfirmForm(),
        has_password=settings().sign_in.passwords,
        has_mail=settings().mail is not None,
        is_unconfirmed=find_unconfirmed(read_session(), identity.id) is not None,
    )


@blueprint.route("/account/password", methods=["GET", "POST"])
@allow(Access.SIGNED_IN)
@hashes_password
def password() -> Response | str:
    """Change the password; all other sessions end."""
    _refuse_without_passwords()
    identity = current_identity_or_404()
    form = ChangePasswordForm()
    if form.validate_on_submit():
        if person_behind(identity.email or "", form.present.data) is not None:
            password_hash = hash_password(form.password.data)
            with write_session() as session:
                sign_in(session, change_password(session, identity.id, password_hash), "password")
            flash(_("Your password is changed. You are signed out everywhere else."))
            return redirect(url_for("auth.account"))
        form.present.errors = [_("This is not your current password.")]
    return render_template("auth/password.html", form=form)


@blueprint.post("/account/sign-out-everywhere")
@allow(Access.SIGNED_IN)
def sign_out_everywhere() -> Response:
    """End all sessions but this one."""
    with write_session() as session:
        sign_in(session, end_every_session(session, current_person_id()), "session")
    flash(_("You are signed out everywhere else."))
    return redirect(url_for("auth.account"))


# The links that work once: first set-up, invitations, password resets.


# What the cookie of a person who has filled in an invitation holds: its token and their address. Signing in
# takes it.
WAITING = "invitation"


@blueprint.route("/set-up/<token>", methods=["GET", "POST"])
@allow(Access.PUBLIC)
@hashes_password
def set_up(token: str) -> Response | str:
    """Make the first account, which owns the demo and administers the site."""
    get_invitation(read_session(), token, "set_up")
    form = NewAccountForm()
    if form.validate_on_submit():
        try:
            password_hash = hash_password(form.password.data)
            with write_session() as session:
                person = accept_set_up(
                    session, token, email=form.email.data, name=form.name.data, password_hash=password_hash
                )
                sign_in(session, person, "link")
            return redirect(url_for("projects.home"))
        except (ConflictError, InvalidError) as error:
            form.email.errors = [translated(error.message)]
    return render_template("auth/set_up.html", form=form, has_mail=settings().mail is not None)


@blueprint.route("/invitation/<token>", methods=["GET", "POST"])
@allow(Access.PUBLIC)
@hashes_password
def invitation(token: str) -> Response | str:
    """Take an invitation with the account that is signed in, or make one and sign in with it.

    Whoever typed an address is sent to the same page, whether it has an account or not.
    """
    link = get_invitation(read_session(), token, "invite")
    project = read_session().get(Project, link.project_id) if link.project_id else None
    identity = current_identity()
    if identity is None and not settings().sign_in.passwords:
        # It is taken on this page, with the account that the organisation vouches for.
        flash(_("To accept the invitation, sign in first."))
        return redirect(url_for("auth.sign_in", next=request.path))
    form = ConfirmForm() if identity else NewAccountForm(email=link.email)
    if form.validate_on_submit():
        if identity:
            if _accept_as(token, identity.id):
                return redirect(url_for("projects.home"))
        elif _sign_up(token, form):
            cookie[WAITING] = [token, form.email.data.strip()]
            flash(
                _(
                    "To accept the invitation, sign in here, in this browser, with the address "
                    "and password you just entered. "
                    "If you had an account before, use its password."
                )
            )
            return redirect(url_for("auth.sign_in"))
    return render_template(
        "auth/invitation.html",
        form=form,
        invited_to=project,
        invited_as=link.role,
        token=token,
        has_mail=settings().mail is not None,
    )


@blueprint.route("/reset/<token>", methods=["GET", "POST"])
@allow(Access.PUBLIC)
@hashes_password
def reset(token: str) -> Response | str:
    """Choose a new password with a reset link."""
    _refuse_without_passwords()
    link = get_invitation(read_session(), token, "reset")
    person = read_session().get(Person, link.person_id)
    form = NewPasswordForm()
    if form.validate_on_submit():
        # Hashed before the write session begins: everybody's ratings would wait for it.
        password_hash = hash_password(form.password.data)
        with write_session() as session:
            person = accept_reset(session, token, password_hash)
            sign_in(session, person, "link")
            must_confirm = find_unconfirmed(session, person.id) is not None
        flash(_("Your new password is set. You are signed out everywhere else."))
        return redirect(url_for("auth.confirm" if must_confirm else "projects.home"))
    return render_template("auth/reset.html", form=form, person=person)


def _accept_as(token: str, person_id: int) -> bool:
    """Take the role that is offered; what is refused is said above the form."""
    try:
        with write_session() as session:
            accept_as(session, token, person_id)
    except (ConflictError, InvalidError) as error:
        flash(translated(error.message), "warn")
        return False
    return True


def _sign_up(token: str, form: NewAccountForm) -> bool:
    """Make the account that takes the invitation; what is refused is said beside the address."""
    try:
        password_hash = hash_password(form.password.data)
        with write_session() as session:
            sign_up(session, token, email=form.email.data, name=form.name.data, password_hash=password_hash)
    except InvalidError as error:
        form.email.errors = [translated(error.message)]
        return False
    return True


# Sign-in, sign-out, the theme and the language.


YEAR = 31_536_000
WRONG = _l("This e-mail address and password do not match.")


@blueprint.route("/sign-in", methods=["GET", "POST"], endpoint="sign_in")
@allow(Access.PUBLIC)
@hashes_password
def sign_in_page() -> Response | str:
    """Show the sign-in form, and start a session."""
    target = local_target(request.args.get("next"))
    if current_identity() and request.method == "GET":
        return redirect(target)
    invitation, email = cookie.get(WAITING, (None, None))
    form = SignInForm(email=email)
    if form.validate_on_submit():
        _refuse_without_passwords()
        person = person_behind(form.email.data, form.password.data)
        if person is not None:
            current_identity()
            with write_session() as session:
                sign_out(session)
                sign_in(session, person, "password")
            if invitation:
                with suppress(GoneError):
                    _accept_as(invitation, person.id)
            return redirect(target)
        form.password.errors = [str(WRONG)]
    return render_template(
        "auth/sign_in.html",
        form=form,
        target=target,
        ways=settings().sign_in,
        proxy=profile_of_proxy(),
        is_first=not account_exists(read_session()),
    )


@blueprint.post("/sign-out", endpoint="sign_out")
@allow(Access.PUBLIC)
def sign_out_here() -> Response:
    """End the session on this device, and every copy of its cookie."""
    current_identity()
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
            "theme",
            theme,
            max_age=YEAR,
            path=settings().cookie_path,
            samesite="Lax",
            secure=settings().is_https,
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
            LANGUAGE_COOKIE,
            language,
            max_age=YEAR,
            path=settings().cookie_path,
            samesite="Lax",
            secure=settings().is_https,
            httponly=True,
        )
    return response
