"""Pages of a list: each answer names the cursor at which the next one begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, request, url_for
from sqlalchemy.orm import Session

from app.api.conditional import answer
from app.api.operations import Parameter, arguments
from app.http import read_session
from app.http.permissions import current_access
from app.services.exports.listing import CursorPage

LIMIT = Parameter(
    name="limit", about="How many items a page has at most.", kind=int, low=1, high=1000, default=100
)
CURSOR = Parameter(
    name="cursor",
    about="Where the page begins: `next` of the page before.",
    kind=int,
    low=0,
    high=2**53,
    default=0,
)
PAGE = (LIMIT, CURSOR)


def paged(item: dict[str, Any]) -> dict[str, Any]:
    """Return the shape of a page of such items."""
    return {"items": [item], "next": (int, None)}


def page_of(listing: Callable[[Session, int, int, int], CursorPage]) -> Response:
    """Return the page that this request asks for."""
    given = arguments()
    # Both are revisions where a list has both: the page begins after the later one.
    after = max(given.get("since", 0), given["cursor"])
    found = listing(read_session(), current_access().project.id, after, given["limit"])
    response = answer({"items": found.items, "next": found.last})
    if found.last is not None:
        values = {**(request.view_args or {}), **request.args.to_dict(), "cursor": found.last}
        values.pop("since", None)
        response.headers["Link"] = f'<{url_for(request.endpoint or "", **values)}>; rel="next"'
    return response
