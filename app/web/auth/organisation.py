"""Sign in through the organisation: by its OpenID Connect provider, or as a trusted proxy says."""

from __future__ import annotations

import time

from flask import flash, redirect, request, url_for
from flask import session as cookie
from werkzeug.wrappers import Response

from app.http.identity import BY_PROVIDER, BY_PROXY, current_identity, sign_in, sign_out
from app.http.languages import translated
from app.http.organisation import lead_to_provider, mark_of_proxy, profile_of_answer, profile_of_proxy
from app.http.permissions import Access, allow
from app.http.sessions import close_read_session, settings, write_session
from app.models import AuditKind
from app.services.accounts.audit import record
from app.services.accounts.organisation import OrganisationProfile, account_of
from app.services.errors import ServiceError
from app.web.auth import blueprint
from app.web.navigation import local_target

# What the cookie remembers while the visitor is at the provider: where they wanted to go.
TARGET = "organisation_target"


@blueprint.get("/sign-in/organisation")
@allow(Access.PUBLIC)
def organisation() -> Response:
    """Lead to the organisation's provider; nothing is stored but in the visitor's cookie."""
    if settings().sign_in.issuer is None:
        return redirect(url_for("auth.sign_in"))
    cookie[TARGET] = local_target(request.args.get("next"))
    close_read_session()
    try:
        return lead_to_provider()
    except ServiceError as error:
        return _refuse(error, is_try=False)


@blueprint.get("/sign-in/organisation/back")
@allow(Access.PUBLIC)
def organisation_back() -> Response:
    """Start a session for whom the provider sends back: the one GET that writes, as its protocol has it."""
    if settings().sign_in.issuer is None:
        return redirect(url_for("auth.sign_in"))
    target = cookie.pop(TARGET, None)
    close_read_session()
    try:
        return _start(profile_of_answer(), local_target(target))
    except ServiceError as error:
        # Who did not begin here has tried nothing: any address could fill the trail.
        return _refuse(error, is_try=target is not None)


@blueprint.post("/sign-in/proxy")
@allow(Access.PUBLIC)
def proxy() -> Response:
    """Start a session for whom the trusted proxy names."""
    profile = profile_of_proxy()
    if profile is None:
        return redirect(url_for("auth.sign_in"))
    try:
        return _start(profile, local_target(request.form.get("next")))
    except ServiceError as error:
        return _refuse(error)


def _start(profile: OrganisationProfile, target: str) -> Response:
    current_identity()
    with write_session() as session:
        person = account_of(session, profile, settings().sign_in.group_roles)
        sign_out(session)
        sign_in(session, person, profile.by)
        if profile.by == "proxy":
            cookie[BY_PROXY] = mark_of_proxy()
        else:
            cookie[BY_PROVIDER] = int(time.time())
    return redirect(target)


def _refuse(error: ServiceError, *, is_try: bool = True) -> Response:
    if is_try:
        with write_session() as session:
            record(session, AuditKind.SIGN_IN_FAILED, by="organisation")
    flash(translated(error.message), "error")
    return redirect(url_for("auth.sign_in"))
