"""Behind proxies: how many are trusted, and the path of the site on its host (PUBLIC_URL with a path).

Everything below works with addresses as if the site were at the top of its host; this alone knows the path.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, request, url_for
from werkzeug.middleware.proxy_fix import ProxyFix

from app.http.sessions import settings as current_settings
from config import Settings


def below(path: str, base: str) -> str:
    """Return a requested path without the path of the site, where a proxy has passed it on."""
    if base and (path == base or path.startswith(f"{base}/")):
        return path[len(base) :] or "/"
    return path


def here() -> str:
    """Return the address of this request on its host, with its question and without its host."""
    return request.script_root + request.full_path.rstrip("?")


def public_link(endpoint: str, **values: Any) -> str:
    """Return an address to hand out: below PUBLIC_URL, whatever host this request claims."""
    return current_settings().origin + url_for(endpoint, **values)


class BelowPath:
    """Takes the path of the site off each request, and tells the application of it for its links.

    A proxy that has taken it off already is fine as well.
    """

    def __init__(self, application: WSGIApplication, base: str) -> None:
        self.application = application
        self.base = base

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        environ["PATH_INFO"] = below(environ.get("PATH_INFO", ""), self.base)
        environ["SCRIPT_NAME"] = self.base
        return self.application(environ, start_response)


def install(app: Flask, settings: Settings) -> None:
    """Trust exactly the declared number of proxies, and serve below the path; the outermost layers."""
    if settings.path:
        app.wsgi_app = BelowPath(app.wsgi_app, settings.path)  # type: ignore[method-assign]
    if settings.trusted_proxies:
        hops = settings.trusted_proxies
        app.wsgi_app = ProxyFix(app.wsgi_app, x_for=hops, x_proto=hops, x_host=hops)  # type: ignore[method-assign]
