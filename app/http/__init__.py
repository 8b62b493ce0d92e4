"""What pages and API share: a session per request, who is asking, permissions, CSRF, headers, limits."""

from __future__ import annotations

from flask import Flask

from app.http.observing import acknowledge_rating
from app.http.permissions import Access, allow, check_declarations
from app.http.sessions import database, read_session, settings, write_session, write_together
from config import Settings

__all__ = [
    "Access",
    "acknowledge_rating",
    "allow",
    "configure",
    "database",
    "finish",
    "read_session",
    "settings",
    "write_session",
    "write_together",
]


def configure(app: Flask, settings: Settings) -> None:
    """Prepare the application; the order matters: limits, then permissions, then CSRF reads the form."""
    from app.http import (
        assets,
        csrf,
        errors,
        headers,
        health,
        identity,
        languages,
        limits,
        permissions,
        reading,
        receiving,
        retrying,
        sessions,
        templates,
        tokens,
    )

    app.jinja_environment = templates.Templates
    # No view or hook is a coroutine: Flask would ask each of them at each request.
    app.ensure_sync = lambda function: function  # type: ignore[method-assign,assignment]
    sessions.install(app, settings)
    retrying.install(app)
    limits.install(app)
    reading.install(app)
    identity.install(app, settings)
    tokens.install(app)
    permissions.install(app)
    receiving.install(app)
    limits.install_bodies(app)
    csrf.install(app)
    limits.install_fields(app)
    headers.install(app, settings)
    assets.install(app)
    languages.install(app)
    errors.install(app)
    health.install(app, settings)


def finish(app: Flask, settings: Settings) -> None:
    """Check that every route says who may use it, then put the outermost layers around all of them."""
    from app.http import observing, proxies

    check_declarations(app)
    observing.install(app, settings)
    proxies.install(app, settings)
