"""Static files under the hash of all of them: kept for ever by browsers, never stale after an update."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from base64 import urlsafe_b64encode
from functools import cache, lru_cache
from pathlib import Path

import brotli  # type: ignore[import-untyped]  # comes with flask-compress
from flask import Flask, Response, current_app, request, send_from_directory, url_for
from flask_compress import Compress

from app.http.permissions import Access, allow
from app.http.static_cache import COMPRESSIONS, STATIC_RULE, CachedAnswers
from config import ROOT

STATIC = ROOT / "static"
LARGE = 500_000
YEAR = 31_536_000
OFFLINE = "js/offline.js"
# What only readers need. Lines of scripts stay, empty, so that a complaint names the right one.
FOR_READERS = {
    ".js": re.compile(rb"^[ \t]*//.*$|^[ \t]+", re.MULTILINE),
    ".css": re.compile(rb"/\*.*?\*/|^\s+", re.DOTALL | re.MULTILINE),
}
TEXTS = [
    "text/html",
    "text/css",
    "text/javascript",
    "application/json",
    "application/problem+json",
    "image/svg+xml",
]


@cache
def current_build() -> str:
    """Return a short hash of all static files."""
    digest = hashlib.sha256()
    for path in sorted(STATIC.rglob("*")):
        if path.is_file():
            digest.update(str(path.relative_to(STATIC)).encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def asset(name: str) -> str:
    """Return the address of a static file; modules that import each other stay within one build."""
    kept: dict[str, str] = current_app.extensions.setdefault("assets", {})
    # A page names thirty, and they stay as they are.
    if name not in kept:
        kept[name] = url_for("static", build=current_build(), name=name)
    return kept[name]


@allow(Access.PUBLIC)
def static(build: str, name: str) -> Response:
    """Serve a static file."""
    # A tag of five signs, 30 bits: the usual one is longer than some of the files' headers.
    digest = hashlib.sha256(f"{current_build()}/{name}".encode()).digest()
    tag = urlsafe_b64encode(digest)[:5].decode()
    response = send_from_directory(STATIC, name, conditional=True, max_age=YEAR, etag=tag)
    if response.status_code == 304:
        response.close()  # nothing of the file is read
    elif response.status_code == 200 and response.mimetype in TEXTS:
        _compress(response, STATIC / name)
    response.headers["Cache-Control"] = (
        f"max-age={YEAR}, immutable" if build == current_build() else "no-cache"
    )
    if name == OFFLINE:
        # It opens questions, which do not lie in its own folder.
        response.headers["Service-Worker-Allowed"] = f"{request.script_root}/"
    return response


def _compress(response: Response, path: Path) -> None:
    """Put the text in place of the stream, which would not be compressed, as small as it gets."""
    if not any(request.accept_encodings.quality(each) > 0 for each in COMPRESSIONS):
        return  # sent from the file itself, however slowly it is taken
    response.direct_passthrough = False
    text = response.get_data()
    if request.accept_encodings.quality("br") > 0:
        text = _squeezed(path, path.stat().st_mtime_ns)
        response.headers["Content-Encoding"] = "br"
    response.set_data(text)
    if response.mimetype == "text/javascript":
        response.headers["Content-Type"] = response.mimetype  # a module is UTF-8 whatever is said
    # Dozens of small modules: what says nothing to a browser that keeps them for a year is left out.
    for name in ("Accept-Ranges", "Content-Disposition", "Expires", "Last-Modified"):
        response.headers.pop(name, None)


@lru_cache(maxsize=256)
def _squeezed(path: Path, stamp: int) -> bytes:
    del stamp  # another file is another stamp
    text = path.read_bytes()
    if path.suffix in FOR_READERS and "vendor" not in path.parts:
        text = FOR_READERS[path.suffix].sub(b"", text)
    # The viewer of the API would take seconds.
    quality = 11 if len(text) < LARGE else 5
    return bytes(brotli.compress(text, mode=brotli.MODE_TEXT, quality=quality))


@allow(Access.PUBLIC)
def favicon() -> Response:
    """Serve the icon that browsers ask for by themselves."""
    return send_from_directory(STATIC, "favicon.svg", mimetype="image/svg+xml", max_age=86400)


def install(app: Flask) -> None:
    """Serve static files, and compress what is text."""
    mimetypes.add_type("text/javascript", ".js")  # some machines map it to text/plain
    app.add_url_rule(STATIC_RULE, "static", static)
    app.add_url_rule("/favicon.ico", "favicon", favicon)
    app.config["COMPRESS_ALGORITHM"] = list(COMPRESSIONS)
    app.config["COMPRESS_BROTLI_LEVEL"] = 9
    app.config["COMPRESS_STREAMS"] = False
    app.config["COMPRESS_MIMETYPES"] = TEXTS
    Compress(app)
    app.wsgi_app = CachedAnswers(app.wsgi_app, f"/static/{current_build()}/")  # type: ignore[method-assign]
    app.jinja_env.globals["asset"] = asset
