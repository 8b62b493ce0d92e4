"""Refusals and failures: a page for people, an RFC 9457 problem document under /api/."""

from __future__ import annotations

import logging
import re
import secrets
from http import HTTPStatus
from typing import Any

from flask import Flask, Response, current_app, g, json, render_template, request
from flask_wtf.csrf import CSRFError
from sqlalchemy.exc import DBAPIError
from werkzeug.exceptions import HTTPException

from app.database import DatabaseLostError, is_full, is_unavailable, reason_of
from app.http import retrying
from app.http.languages import translated
from app.http.observing import name_refusal
from app.http.permissions import ScopeError, is_api
from app.http.tokens import bearer_text
from app.sentences import message
from app.services.errors import (
    ConflictError,
    GoneError,
    InvalidError,
    NotFoundError,
    ServiceError,
    TooManyError,
)

log = logging.getLogger(__name__)

STATUS: dict[type[ServiceError], int] = {
    NotFoundError: 404,
    InvalidError: 422,
    ConflictError: 409,
    GoneError: 410,
    TooManyError: 429,
}
# What is said where a library's own sentence would help nobody.
ERROR_TEXTS = {
    400: message("This request cannot be read. Go back, reload the page and try again."),
    401: message("Sign in to continue."),
    404: message("This page does not exist, or your account has no access to it."),
    405: message("This address does not accept this kind of request."),
    413: message("This is larger than the server accepts."),
    414: message("This address is longer than the server accepts."),
    415: message("This address accepts only JSON."),
}
AWAY = message("The database is busy or cannot be reached. Nothing was changed. Try again in a moment.")
UNKNOWN = message(
    "The database went away just now. This may or may not be saved: check before you try again."
)
FULL = message(
    "The server's disk is full. Nothing was saved. Ask the people who run this site to make "
    "room, then try again."
)
LOST = message("The server has lost its database. Nothing is saved until an administrator starts it again.")
NOT_THERE = "Check the address, the short name of the project, and what the token was made for."
_VALUE = r"skip|add|reject|lower|upper|windows-1252|NAME|'[^']*'|[^\s']+=[^\s']+?"
_WHERE = " on the command line)"
_OPTION = re.compile(rf"(?<![^\s(])--([a-z]+(?:-[a-z]+)*)(?: ({_VALUE})(?=[.,;]?(?:\s|$)))?")


def install(app: Flask) -> None:
    """Map every refusal to its answer; nothing shows a trace, a query or a path."""
    app.register_error_handler(ServiceError, on_service_error)
    app.register_error_handler(CSRFError, on_csrf_error)
    app.register_error_handler(ScopeError, on_scope_error)
    app.register_error_handler(HTTPException, on_http_error)
    app.register_error_handler(DBAPIError, on_database_error)
    app.register_error_handler(DatabaseLostError, on_database_lost)
    app.register_error_handler(Exception, on_failure)


def problem(status: int, code: str, detail: str, **members: Any) -> Response:
    """Return a problem document (RFC 9457)."""
    body = {"type": "about:blank", "title": HTTPStatus(status).phrase, "status": status, "code": code}
    told = {name: in_parameters(str(members[name])) for name in ("remedy",) if name in members}
    body |= {"detail": in_parameters(str(detail)), **members, **told}
    response = current_app.response_class(json.dumps(body), status=status)
    response.content_type = "application/problem+json"
    return response


def in_parameters(sentence: str) -> str:
    """Return a sentence about options of the command line in the API's parameters.

    `--unknown-queries skip` is `unknown_queries=skip` there, and `--replace` is `replace=true`.
    """
    return _OPTION.sub(_in_parameter, sentence).replace(_WHERE, ")")


def _in_parameter(found: re.Match[str]) -> str:
    name, value = (
        found[1].replace("-", "_"),
        (found[2] or "").strip("'") or ("true" if found[1] in {"replace", "best"} else ""),
    )
    return f"{name}={value}" if value else name


def on_service_error(error: ServiceError) -> Response:
    """Answer a refusal of the services."""
    status = next((STATUS[kind] for kind in type(error).__mro__ if kind in STATUS), 409)
    if status == 404 and is_api():
        # The same words as for an address without a project: what exists for others sounds like nothing.
        return _answer(404, "not_found", ERROR_TEXTS[404], **_told_of(404))
    if not isinstance(error, TooManyError):
        return _answer(status, error.code, error.message, **error.details)
    response = _answer(status, error.code, error.message, retry_after=error.retry_after, **error.details)
    response.headers["Retry-After"] = str(error.retry_after)
    return response


def on_csrf_error(_error: CSRFError) -> Response:
    """Answer a missing or wrong token: most often a session that ended while the page stood open."""
    sentence = message(
        "Your session ended while this page was open. Nothing was changed. Reload the page and try again."
    )
    return _answer(400, "csrf", sentence)


def on_scope_error(error: ScopeError) -> Response:
    """Answer a token that was made for other things."""
    response = problem(403, "scope", str(error))
    response.headers["WWW-Authenticate"] = 'Bearer realm="Touchstone", error="insufficient_scope"'
    return response


def on_http_error(error: HTTPException) -> Response:
    """Answer what Flask and Werkzeug refuse."""
    if error.code is None or (error.response is not None and error.code < 400):
        return error.get_response()  # type: ignore[return-value]
    sentence = ERROR_TEXTS.get(error.code, error.description or error.name)
    is_token = bearer_text() is not None
    if error.code == 401 and is_api() and not is_token:
        sentence = (
            "This needs a session or a token. With a token, send the header Authorization: Bearer TOKEN."
        )
    if error.code == 401 and is_token:
        sentence = "This token is unknown, expired or revoked. Make a new one, and send it whole."
    members = _told_of(error.code) if is_api() else {}
    response = _answer(error.code, error.name.lower().replace(" ", "_"), sentence, **members)
    if error.code == 401:
        told = 'Bearer realm="Touchstone", error="invalid_token"'
        response.headers["WWW-Authenticate"] = told if is_token else 'Session realm="Touchstone", Bearer'
    for name, value in error.get_headers():
        if name in {"Allow", "Retry-After"}:
            response.headers[name] = value
    return response


def _told_of(status: int) -> dict[str, Any]:
    """Return field, value and remedy of a request that names nothing, or that cannot be read."""
    if status == 404:
        # The same whatever is wrong: what is there for others cannot be told from what is not.
        return {"remedy": NOT_THERE} if bearer_text() is not None else {}
    encoding = request.headers.get("Content-Encoding", "identity")
    told: dict[int, tuple[str, str | None, str]] = {
        400: ("body", None, "Send the file as the body, or in a form whose fields have names."),
        413: ("body", f"{request.content_length} bytes", "Send less at once; files may be gzipped."),
        414: ("query", f"{len(request.query_string)} bytes", "Send fewer parameters."),
        415: ("Content-Type", request.mimetype, "Send application/json."),
    }
    if status == 415 and encoding != "identity":
        told[415] = ("Content-Encoding", encoding, "Send it as it is; files and arrays may be gzipped.")
    return dict(zip(("field", "value", "remedy"), told[status], strict=True)) if status in told else {}


def on_database_error(error: DBAPIError) -> Response:
    """Answer for a database that is busy, away or full: do it again, or else say who can do something."""
    if not is_unavailable(error):
        return on_failure(error)
    answer = retrying.try_again(error)
    if answer is not None:
        return answer
    number = secrets.token_hex(6)
    # One line: what is wrong is not in this program.
    log.error("request %s refused: %s %s: %s", number, request.method, request.url_rule, reason_of(error))
    if is_full(error):
        return _answer(503, "disk_full", FULL, request_id=number)
    sentence = UNKNOWN if request.method == "POST" and retrying.may_have_written() else AWAY
    response = _answer(503, "database_unavailable", sentence, request_id=number)
    response.headers["Retry-After"] = "2"
    return response


def on_database_lost(_error: DatabaseLostError) -> Response:
    """Answer for a database that must not be written to any more; the log has it already."""
    return _answer(503, "database_lost", LOST)


def on_failure(error: Exception) -> Response:
    """Answer an error of our own, with a number by which it is found in the log."""
    if current_app.testing or current_app.debug:
        raise error
    number = _log_failure(error)
    sentence = message("The server could not finish this. Nothing was saved.")
    return _answer(500, "failure", sentence, request_id=number)


def _log_failure(error: Exception) -> str:
    number = secrets.token_hex(6)
    # The rule and not the path: a path may hold a link that works once.
    log.error("request %s failed: %s %s", number, request.method, request.url_rule, exc_info=error)
    return number


def _answer(status: int, code: str, detail: str, **members: Any) -> Response:
    name_refusal(code)
    if status >= 500:
        # What failed may be the database: the answer must not ask it who is signed in.
        g.setdefault("identity", None)
    detail = translated(detail)
    if is_api():
        return problem(status, code, detail, **members)
    page = render_template("errors/error.html", status=status, code=code, detail=detail, members=members)
    return current_app.response_class(page, status=status)
