"""Answers that views of several areas give: refusals as messages, downloads, tagged parts of pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from flask import Response, flash, make_response, request

from app.http.languages import translated
from app.services.errors import ConflictError, InvalidError, ServiceError


@contextmanager
def flash_refusals(*kinds: type[ServiceError], level: str = "error") -> Iterator[None]:
    """Show what the services refuse as a message on the next page; what follows in the block is left out.

    Parameters
    ----------
    kinds
        What is caught: conflicts and values that are not acceptable, unless others are named.
    """
    try:
        yield
    except ServiceError as error:
        if not isinstance(error, kinds or (ConflictError, InvalidError)):
            raise
        flash(translated(error.message), level)


def attachment(body: str | Iterable[str], name: str, mimetype: str) -> Response:
    """Return a file to be saved under a name."""
    response = Response(body, mimetype=mimetype)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def fragment(etag: str, render: Callable[[], str]) -> Response:
    """Return a part of a page that browsers ask for again and again; nothing new is a 304."""
    is_known = request.if_none_match.contains_weak(etag)
    response = Response(status=304) if is_known else make_response(render())
    response.set_etag(etag)
    response.headers["Cache-Control"] = "private, no-cache"
    return response
