"""CSRF: a token on every unsafe method, bound to the session and not to the hour, sent from our own pages.

The token alone decides most cases. Where it leaks, or a neighbour on the same domain sets cookies, the
browser's own word remains: it says from which site a request comes, and scripts cannot change that.
"""

from __future__ import annotations

import hmac
from typing import cast
from urllib.parse import urlsplit

from flask import Flask, g, request, session
from flask_wtf import CSRFProtect
from flask_wtf.csrf import CSRFError, same_origin
from itsdangerous import BadData, URLSafeTimedSerializer

from app.http.sessions import settings as current_settings
from app.http.tokens import is_bearer

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
# Asked for by one of our pages, or by the person: a bookmark, the address bar.
HEADER, FIELD, SALT = "X-CSRFToken", "csrf_token", "wtf-csrf-token"
CHECKED = 5_000
OURS = frozenset({"same-origin", "none"})


def install(app: Flask) -> None:
    """Protect every route. Only what comes with a token in place of a session needs none."""
    # A page left open over lunch, or for two days, must still save: the token lives as long as the session.
    app.config["WTF_CSRF_TIME_LIMIT"] = None
    app.config["WTF_CSRF_HEADERS"] = [HEADER]
    app.before_request(_check_site)
    _Protection(app)


class _Protection(CSRFProtect):
    """Tokens as Flask-WTF makes them; each signature is checked once."""

    def __init__(self, app: Flask) -> None:
        # What tokens of late were signed for.
        self._signed: dict[str, str] = {}
        super().__init__(app)

    def protect(self, apply_exemptions: bool = False) -> None:
        """Refuse a request that changes something without the token of its session."""
        del apply_exemptions  # there are none
        # No browser sends a bearer token by itself, and cookies beside it count for nothing.
        if request.endpoint is None or request.method in SAFE or is_bearer(request):
            return
        signed, mine = self._read(self._get_csrf_token() or ""), session.get(FIELD, "")
        if not signed or not hmac.compare_digest(signed, mine):
            raise CSRFError("The token is missing, or is of another session.")
        if request.is_secure and not same_origin(request.referrer or "", request.host_url):
            raise CSRFError("The request comes from no page of this site.")
        # Forms ask for it.
        g.csrf_valid = True

    def _get_csrf_token(self) -> str | None:
        if request.mimetype == "application/json":
            return request.headers.get(HEADER)
        return cast("str | None", super()._get_csrf_token())

    def _read(self, token: str) -> str:
        """Return what a token was signed for; nothing if it was not signed here."""
        text = self._signed.get(token)
        if text is None:
            try:
                text = URLSafeTimedSerializer(current_settings().secret_key, salt=SALT).loads(token)
            except BadData:
                return ""
            if len(self._signed) >= CHECKED:
                self._signed.clear()
            self._signed[token] = text
        return text


def _check_site() -> None:
    """Refuse what another site sends, even with a token.

    Browsers say `Sec-Fetch-Site` over https and on this machine; elsewhere the host of `Origin` is
    compared. Programs that are no browsers send neither.
    """
    if request.method in SAFE or is_bearer(request):
        return
    site, origin = request.headers.get("Sec-Fetch-Site"), request.headers.get("Origin")
    if site in OURS or (origin is not None and _host_of(origin) in _own_hosts()):
        return
    if site is not None or origin is not None:
        raise CSRFError("The request comes from another site.")


def _own_hosts() -> set[str]:
    public = current_settings().public_url
    return {request.host.lower()} | ({_host_of(public)} if public else set())


def _host_of(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return ""
    # `null`, and anything else that names no host, is nobody's.
    return parts.netloc.lower() if parts.scheme in {"http", "https"} else ""
