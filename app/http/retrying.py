"""A database that is away for a moment: what can be done again is done again, for eight seconds at most."""

from __future__ import annotations

import random
import time

from flask import Flask, Response, current_app, g, request
from sqlalchemy.exc import DBAPIError

from app.database import is_passing
from app.http.limits import ATTRIBUTE
from app.http.sessions import close_read_session, database

SECONDS = 8.0
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 1.0
# What these do, they do once, however often they come.
IDEMPOTENT = {"GET", "HEAD", "OPTIONS", "PUT"}
COMMITS = "touchstone.commits"


def install(app: Flask) -> None:
    """Remember at the start of each request what this thread had committed before."""
    app.before_request(_remember)


def may_have_written() -> bool:
    """Tell whether this request has begun a commit, which may have reached the database."""
    return bool(database().commits != request.environ.get(COMMITS, 0))


def try_again(error: DBAPIError) -> Response | None:
    """Return what this request is answered when it is done again; None where it cannot be, or fails again."""
    until, pause = time.monotonic() + SECONDS, SHORTEST_PAUSE
    failed: DBAPIError | None = error
    while failed is not None and _can_be_done_again(failed):
        # Not all at once: they were all cut off at the same moment.
        wait = pause * random.uniform(0.5, 1.5)  # noqa: S311 - no secret
        if time.monotonic() + wait > until:
            return None
        time.sleep(wait)
        pause = min(pause * 2, LONGEST_PAUSE)
        try:
            return _answer()
        except DBAPIError as again:
            failed = again
        except Exception as other:  # noqa: BLE001 - a refusal, or a failure of ours: it has its answer
            return current_app.make_response(current_app.handle_user_exception(other))
    return None


def _remember() -> None:
    request.environ.setdefault(COMMITS, database().commits)


def _can_be_done_again(error: DBAPIError) -> bool:
    view = current_app.view_functions.get(request.endpoint or "")
    # A file has been read from its stream.
    is_whole = not getattr(view, ATTRIBUTE, False)
    return is_passing(error) and is_whole and (request.method in IDEMPOTENT or not may_have_written())


def _answer() -> Response:
    """Answer the request from its start, with nothing of what the first try has found out."""
    close_read_session()
    for name in list(g):
        g.pop(name)
    answer = current_app.preprocess_request()
    return current_app.make_response(current_app.dispatch_request() if answer is None else answer)
