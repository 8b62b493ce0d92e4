"""One's own account, kept safe: on which devices one is signed in, and that a new password is one's own."""

from __future__ import annotations

from flask import flash, redirect, render_template, url_for
from flask_babel import gettext as _
from werkzeug.wrappers import Response

from app.http.devices import signed_in_here, source_of_try
from app.http.identity import current_session_hash, sign_in
from app.http.lanes import hashes_password
from app.http.permissions import Access, allow, current_identity_or_404, current_person_id
from app.http.sessions import close_read_session, read_session, write_session
from app.models import UnconfirmedPassword
from app.services.accounts.confirming import confirm as confirm_own
from app.services.accounts.confirming import find_unconfirmed, is_own_device
from app.services.accounts.people import change_password, get_person
from app.services.accounts.sessions import end_one_session, sessions_of
from app.services.accounts.sign_in import check_throttle, hash_password, matches, record_failure
from app.web.auth import blueprint
from app.web.auth.forms import ConfirmForm, ConfirmPasswordForm, NewPasswordForm


@blueprint.get("/account/devices")
@allow(Access.SIGNED_IN)
def devices() -> str:
    """List the devices on which one is signed in."""
    return render_template(
        "auth/devices.html",
        sessions=sessions_of(read_session(), current_person_id()),
        current=current_session_hash(),
        confirm=ConfirmForm(),
    )


@blueprint.post("/account/devices/<int:session_id>/sign-out")
@allow(Access.SIGNED_IN)
def sign_out_device(session_id: int) -> Response:
    """End the session on one of one's devices."""
    with write_session() as session:
        end_one_session(session, current_person_id(), session_id)
    flash(_("That device is signed out."))
    return redirect(url_for("auth.devices"))


@blueprint.route("/account/confirm", methods=["GET", "POST"])
@allow(Access.SIGNED_IN)
@hashes_password
def confirm() -> Response | str:
    """Confirm that one's password is one's own, and choose another one that the link's maker cannot know."""
    waiting = find_unconfirmed(read_session(), current_person_id())
    if waiting is None:
        return redirect(url_for("auth.account"))
    by_device = is_own_device(read_session(), waiting, signed_in_here())
    form = NewPasswordForm() if by_device else ConfirmPasswordForm()
    if form.validate_on_submit() and _is_new(form) and (by_device or _is_earlier(waiting, form)):
        password_hash = hash_password(form.password.data)
        with write_session() as session:
            confirm_own(session, waiting.person_id, "device" if by_device else "password")
            sign_in(session, change_password(session, waiting.person_id, password_hash), "password")
        flash(_("Confirmed. From now on your ratings count as blind again."))
        return redirect(url_for("projects.home"))
    return render_template("auth/confirm.html", form=form, by_device=by_device, waiting=waiting)


def _is_new(form: NewPasswordForm) -> bool:
    """Refuse the password that was chosen with the link: who made the link may know it."""
    present = get_person(read_session(), current_person_id()).password_hash
    close_read_session()
    if matches(present, form.password.data):
        form.password.errors = [_("Choose another password than the one you set with the link.")]
        return False
    return True


def _is_earlier(waiting: UnconfirmedPassword, form: ConfirmPasswordForm) -> bool:
    identity = current_identity_or_404()
    email, source = identity.email or "", source_of_try(None)
    check_throttle(read_session(), email, source)
    close_read_session()
    if matches(waiting.earlier_hash, form.earlier.data):
        return True
    with write_session() as session:
        check_throttle(session, email, source)
        record_failure(session, email, source, person_id=identity.id)
    form.earlier.errors = [_("This is not the password you had before the link.")]
    return False
