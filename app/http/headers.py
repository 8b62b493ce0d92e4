"""Security headers, the same on every response."""

from __future__ import annotations

from flask import Flask, Response, request

from config import Settings

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


EVERYWHERE = (
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Permissions-Policy", "camera=(), geolocation=(), microphone=()"),
)
# These rule documents and workers; to scripts and styles, dozens of them on a page, they say nothing.
FOR_DOCUMENTS = {
    "Content-Security-Policy",
    "Cross-Origin-Opener-Policy",
    "Permissions-Policy",
    "Referrer-Policy",
}
PARTS = {"text/javascript", "text/css"}


def is_worker(path: str) -> bool:
    """Return whether a script works by itself, under its own policy."""
    return path.endswith("/js/offline.js")


def install(app: Flask, settings: Settings) -> None:
    """Set the headers after every request."""
    https = (("Strict-Transport-Security", "max-age=31536000"),) if settings.is_https else ()

    @app.after_request
    def set_headers(response: Response) -> Response:
        headers = response.headers
        headers.extend(EVERYWHERE + https)
        # Not no-referrer: over https the CSRF check needs the referrer of our own pages. Pages whose address
        # is a secret and that hold no form ask for less themselves.
        headers.setdefault("Referrer-Policy", "same-origin")
        # Pages hold what only this person may see; nothing between them and us keeps a copy.
        headers.setdefault("Cache-Control", "no-store")
        location = headers.get("Location")
        if location and location.startswith(request.host_url):
            # Werkzeug's own redirects name the host that the request claimed: anybody can claim any.
            headers["Location"] = "/" + location.removeprefix(request.host_url).lstrip("/")
        if request.endpoint == "static" and response.mimetype in PARTS and not is_worker(request.path):
            for name in FOR_DOCUMENTS:
                headers.pop(name, None)
        return response
