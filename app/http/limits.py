"""How large a request may be: 1 MB, more only for files; and nothing in it that no database takes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from flask import Flask, abort, current_app, request
from werkzeug.exceptions import HTTPException, NotFound

from app.http.sessions import settings as current_settings
from app.http.tokens import bearer_in
from app.services.accounts.tokens import is_api_token
from config import Settings

View = TypeVar("View", bound=Callable[..., Any])

MEGABYTE = 1024 * 1024
ATTRIBUTE, WHOLE, DESCRIBED = "takes_upload", "takes_body", "operation"
# No form of ours has as many; without a limit 1 MB of empty fields takes 100 times its size in memory.
MOST_FIELDS = 1000
LONGEST_NAME = 600
LARGEST_NUMBER = 2**31 - 1
# Why the web server wants a request refused: an exception, in what it hands over.
REFUSAL = "touchstone.refusal"


def takes_upload(view: View) -> View:
    """Declare that a view receives a file, so that its body may be as large as MAX_UPLOAD_MB."""
    setattr(view, ATTRIBUTE, True)
    return view


def takes_body(view: View) -> View:
    """Declare that the whole body of a view is a file, whatever kind of body it says it is."""
    setattr(view, WHOLE, True)
    return takes_upload(view)


def _is_file() -> bool:
    """Return whether the body of this request is a file and no form."""
    view = current_app.view_functions.get(request.endpoint or "")
    return getattr(view, WHOLE, False) and request.mimetype != "multipart/form-data"


def install(app: Flask) -> None:
    """Set the limits."""
    app.config["MAX_CONTENT_LENGTH"] = MEGABYTE
    app.config["MAX_FORM_MEMORY_SIZE"] = MEGABYTE
    app.config["MAX_FORM_PARTS"] = MOST_FIELDS
    app.before_request(_raise_limit_for_uploads)
    app.before_request(_forget_impossible_address)


def sender_of_file(app: Flask, method: str, path: str, cookie: str, authorization: str = "") -> str | None:
    """Return who sends a file: the token, or the person of the signed session; None where nobody may.

    By the head of the request, and without asking the database: the web server waits for the answer.
    """
    if not getattr(view_at(app, method, path), ATTRIBUTE, False):
        return None
    token = bearer_in(authorization) if path.startswith("/api/") else None
    if token is not None:
        return token if is_api_token(token, str(app.secret_key)) else None
    session = app.session_interface.open_session(app, app.request_class({"HTTP_COOKIE": cookie}))
    return f"person {session['person']}" if session and session.get("person") else None


def view_at(app: Flask, method: str, path: str) -> Callable[..., Any] | None:
    """Return the view that answers there, if there is one."""
    try:
        endpoint, _ = app.url_map.bind("").match(path, method=method)
    except HTTPException:
        return None
    return app.view_functions[endpoint]


def largest_upload(settings: Settings) -> int:
    """Return how many bytes a file may have, with the form around it."""
    return settings.max_upload_mb * MEGABYTE + MEGABYTE


def refuse_as_the_server_says() -> None:
    """Refuse what the web server did not receive, or has no thread for, for its reason."""
    refusal: Exception | None = request.environ.get(REFUSAL)
    if refusal is not None:
        raise refusal


def install_bodies(app: Flask) -> None:
    """Check bodies, once it is known who asks, and before anything of a form is read."""
    app.before_request(_refuse_endless_body)
    app.before_request(_refuse_many_fields)
    app.before_request(_refuse_nameless_fields)


def install_fields(app: Flask) -> None:
    """Check what fields hold, once the form has been read."""
    app.before_request(_refuse_zeros)


def _raise_limit_for_uploads() -> None:
    # Before CSRF reads the form: a limit set inside the view would come too late.
    view = current_app.view_functions.get(request.endpoint or "")
    if getattr(view, ATTRIBUTE, False):
        request.max_content_length = largest_upload(current_settings())


def _forget_impossible_address() -> None:
    """Let an address that could name nothing in any database be an unknown one."""
    for value in (request.view_args or {}).values():
        too_large = isinstance(value, int) and value > LARGEST_NUMBER
        unstorable = isinstance(value, str) and ("\0" in value or len(value) > LONGEST_NAME)
        if too_large or unstorable:
            request.url_rule, request.routing_exception = None, NotFound()


def _refuse_endless_body() -> None:
    """Refuse a body beyond the limit, whether it says its length or goes on without one.

    Without a length Werkzeug stops reading there, and hands over what it has as if that were all.
    """
    view = current_app.view_functions.get(request.endpoint or "")
    if getattr(view, ATTRIBUTE, False):
        return
    if request.content_length is not None:
        if request.content_length > MEGABYTE:
            abort(413)
    elif (
        request.mimetype != "multipart/form-data" and len(request.get_data(parse_form_data=False)) >= MEGABYTE
    ):
        abort(413)


def _refuse_many_fields() -> None:
    # Werkzeug counts the parts of multipart forms only.
    if len(request.query_string) > MEGABYTE or request.query_string.count(b"&") >= MOST_FIELDS:
        abort(414)
    if request.mimetype == "application/x-www-form-urlencoded" and not _is_file():
        request.max_content_length = MEGABYTE
        if request.get_data(parse_form_data=False).count(b"&") >= MOST_FIELDS:
            abort(413)


def _refuse_nameless_fields() -> None:
    # A part without a name has the key None, which nothing that reads a form expects.
    if request.mimetype == "multipart/form-data" and None in {*request.form, *request.files}:
        abort(400)


def _refuse_zeros() -> None:
    """Refuse zero bytes in fields: PostgreSQL stores none, and nobody types them."""
    if hasattr(current_app.view_functions.get(request.endpoint or ""), DESCRIBED):
        # It reads each value by its name, and refuses it by that.
        return
    has_form = request.mimetype != "application/json" and not _is_file()
    fields = (request.args, request.form) if has_form else (request.args,)
    if any("\0" in text for field in fields for pair in field.items(multi=True) for text in pair):
        abort(400)
