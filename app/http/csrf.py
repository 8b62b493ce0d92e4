"""CSRF: a token on every unsafe method, bound to the session and not to the hour, sent from our own pages.

The token alone decides most cases. Where it leaks, or a neighbour on the same domain sets cookies, the
browser's own word remains: it says from which site a request comes, and scripts cannot change that.
"""

from __future__ import annotations

from urllib.parse import urlsplit

from flask import Flask, request
from flask_wtf import CSRFProtect
from flask_wtf.csrf import CSRFError

from app.http.sessions import settings as current_settings
from app.http.tokens import is_bearer

SAFE = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
# Asked for by one of our pages, or by the person: a bookmark, the address bar.
OURS = frozenset({"same-origin", "none"})


def install(app: Flask) -> None:
    """Protect every route. Only what comes with a token in place of a session needs none."""
    # A page left open over lunch, or for two days, must still save: the token lives as long as the session.
    app.config["WTF_CSRF_TIME_LIMIT"] = None
    app.config["WTF_CSRF_HEADERS"] = ["X-CSRFToken"]
    app.before_request(_check_site)
    _Protection(app)


class _Protection(CSRFProtect):
    def protect(self, apply_exemptions: bool = False) -> None:
        # No browser sends a token by itself, and cookies beside it count for nothing.
        if not is_bearer(request):
            super().protect(apply_exemptions)


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
