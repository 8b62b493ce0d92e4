"""Static files as they went out before: a browser asks for thirty of them, while it draws its first page."""

from __future__ import annotations

from collections.abc import Iterable
from http import HTTPStatus
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from werkzeug.wrappers import Response

from app.http.observing import ROUTE

# More than there are files. A visitor who asks in strange ways fills it once and gains nothing.
MOST = 256
COMPRESSIONS = ("br", "gzip")
STATIC_RULE = "/static/<build>/<path:name>"
# With these the same address has other answers.
DEPENDS_ON = ("HTTP_IF_NONE_MATCH", "HTTP_IF_MODIFIED_SINCE", "HTTP_RANGE", "HTTP_IF_RANGE")


class CachedAnswers:
    """Answers once through the application, then with the same bytes and headers from memory.

    Only for addresses below `prefix`, whose answers never change while the process lives, are the same for
    everybody and depend on nothing but the encodings that the browser takes.
    """

    def __init__(self, application: WSGIApplication, prefix: str) -> None:
        self.application = application
        self.prefix = prefix
        self._kept: dict[tuple[str, str], Response] = {}

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        path = environ.get("PATH_INFO", "")
        if not path.startswith(self.prefix) or not _is_plain(environ):
            return self.application(environ, start_response)
        environ[ROUTE] = STATIC_RULE
        key = (path, environ.get("HTTP_ACCEPT_ENCODING", ""))
        kept = self._kept.get(key)
        if kept is None:
            kept = Response.from_app(self.application, environ, buffered=True)
            if (
                kept.status_code == HTTPStatus.OK
                and "Content-Encoding" in kept.headers
                and len(self._kept) < MOST
            ):
                self._kept[key] = kept
        return kept(environ, start_response)


def _is_plain(environ: WSGIEnvironment) -> bool:
    if environ["REQUEST_METHOD"] != "GET" or any(name in environ for name in DEPENDS_ON):
        return False
    # Who takes nothing compressed gets the file itself, which need not be read first.
    taken = environ.get("HTTP_ACCEPT_ENCODING", "")
    return any(name in taken for name in COMPRESSIONS)
