"""Which group of threads answers a request: known by its head, from what its view declares."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from typing import Any, TypeVar

from flask import Flask

from app.http.limits import view_at
from app.http.permissions import ATTRIBUTE, Access

View = TypeVar("View", bound=Callable[..., Any])

# Who may open them sees scores, which take long to compute where ratings come in all the time.
OF_RESULTS = {Access.MEMBER, Access.READ, Access.OWN}
STREAMS, HASHES = "streams", "hashes_password"


class Lane(Enum):
    """A group of threads."""

    PAGES = auto()
    RESULTS = auto()
    RATINGS = auto()
    FORMS = auto()
    PASSWORDS = auto()
    EXPORTS = auto()


def streams(view: View) -> View:
    """Declare that a view writes its answer while it is sent, so that a slow reader keeps its thread."""
    setattr(view, STREAMS, True)
    return view


def hashes_password(view: View) -> View:
    """Declare that a form checks or stores a password, which takes long on purpose."""
    setattr(view, HASHES, True)
    return view


def lane_of(app: Flask, method: str, path: str) -> Lane:
    """Return which group of threads answers a request."""
    if method == "PUT":
        return Lane.RATINGS
    view = view_at(app, method, path)
    if getattr(view, STREAMS, False):
        return Lane.EXPORTS
    if method in {"GET", "HEAD"}:
        return Lane.RESULTS if getattr(view, ATTRIBUTE, None) in OF_RESULTS else Lane.PAGES
    return Lane.PASSWORDS if getattr(view, HASHES, False) else Lane.FORMS
