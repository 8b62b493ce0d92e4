"""Each request as the operator sees it: counted, and one line in the log where it is asked for or refused.

Lines hold the route and not the path, which may be a link that works once, and nothing of what was asked or
sent.
"""

from __future__ import annotations

import ipaddress
import logging
import re
import time
from collections.abc import Iterable
from typing import Any
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from flask import Flask, request

from app.http.counts import NOWHERE, Counts
from config import Settings

access_log = logging.getLogger("touchstone.access")
refusals = logging.getLogger("touchstone.refused")

ROUTE, PROJECT, CODE, RATINGS = (f"touchstone.{name}" for name in ("route", "project", "code", "ratings"))
METHODS = {"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"}
SLUG = re.compile(r"[a-z0-9-]{1,80}")
# Asked for every few seconds by programs.
PROBES = {"/healthz", "/readyz", "/metrics"}


def acknowledge_rating() -> None:
    """Say that this request has saved a rating; for the counts."""
    request.environ[RATINGS] = 1


def name_refusal(code: str) -> None:
    """Say why this request is refused; for the log."""
    request.environ[CODE] = code


class Observed:
    """Counts and logs what the application answers."""

    def __init__(self, application: WSGIApplication, counts: Counts | None, *, every: bool) -> None:
        self.application = application
        self.counts = counts
        self.every = every

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        began = time.perf_counter()
        answered: list[Any] = ["500", []]

        def begin(status: str, headers: list[tuple[str, str]], *more: Any) -> Any:
            answered[:] = status, headers
            return start_response(status, headers, *more)

        try:
            return self.application(environ, begin)
        finally:
            self._observe(environ, int(answered[0][:3]), answered[1], time.perf_counter() - began)

    def _observe(
        self, environ: WSGIEnvironment, status: int, headers: list[tuple[str, str]], seconds: float
    ) -> None:
        route = environ.get(ROUTE, NOWHERE)
        if self.counts is not None:
            self.counts.add(route, status, seconds)
            if RATINGS in environ:
                self.counts.add_ratings(environ[RATINGS])
        is_refused = status >= 400
        # What failed has a line of its own, with its reason.
        if (self.every or 400 <= status < 500) and (is_refused or route not in PROBES):
            told = _told(environ, route, status, seconds, dict(headers).get("Content-Length"))
            log, level = (access_log, logging.INFO) if self.every else (refusals, logging.WARNING)
            log.log(level, "%s", _line(told), extra={"told": told})


def _told(
    environ: WSGIEnvironment, route: str, status: int, seconds: float, length: str | None
) -> dict[str, Any]:
    """Return what is told of a request. Nothing in it is free text of a visitor."""
    method, project = environ.get("REQUEST_METHOD", ""), environ.get(PROJECT) or ""
    told = {
        "address": _address(environ.get("REMOTE_ADDR", "")),
        "method": method if method in METHODS else "other",
        "route": route,
        "status": status,
        "ms": round(seconds * 1000, 1),
        "bytes": None if length is None else int(length),
        "project": project if SLUG.fullmatch(project) else None,
        "code": environ.get(CODE),
    }
    return {name: value for name, value in told.items() if value is not None}


def _line(told: dict[str, Any]) -> str:
    first = f"{told['address']} {told['method']} {told['route']} {told['status']} {told['ms']} ms"
    return " ".join(
        [first, *(f"{name}={told[name]}" for name in ("bytes", "project", "code") if name in told)]
    )


def _address(given: str) -> str:
    try:
        return str(ipaddress.ip_address(given))
    except ValueError:
        return "unknown"


def install(app: Flask, settings: Settings) -> None:
    """Observe every request from here on: all routes are known."""

    @app.url_value_preprocessor
    def remember_route(_endpoint: str | None, values: dict[str, Any] | None) -> None:
        if request.url_rule is not None:
            request.environ[ROUTE] = request.url_rule.rule
            request.environ[PROJECT] = (values or {}).get("slug")

    counts = None
    if settings.metrics_token:
        counts = Counts((rule.rule for rule in app.url_map.iter_rules()), settings.web_workers)
        app.extensions["counts"] = counts
    app.wsgi_app = Observed(app.wsgi_app, counts, every=settings.access_log)  # type: ignore[method-assign]
