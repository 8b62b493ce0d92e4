"""The frame around every page: who is signed in, where they are, and where they may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from flask import g, request, url_for
from flask_babel import lazy_gettext as _

from app.http.identity import current_identity
from app.http.languages import LANGUAGES, current_language, script_words
from app.models import Role

if TYPE_CHECKING:
    from flask import Flask

    from app.http.permissions import Place

THEMES = ("light", "dark")
ADJUDICATE = "adjudication.index"
TABS: tuple[tuple[Any, str, frozenset[Role]], ...] = (
    (_("Overview"), "dashboard.overview", frozenset({Role.OWNER, Role.VIEWER})),
    (_("Rate"), "judging.rate", frozenset({Role.OWNER, Role.ANNOTATOR})),
    (_("Next"), "next_answers.index", frozenset({Role.OWNER, Role.VIEWER})),
    (_("Questions"), "queries.index", frozenset({Role.OWNER, Role.VIEWER})),
    (_("Compare"), "compare.index", frozenset({Role.OWNER, Role.VIEWER})),
    (_("Adjudicate"), ADJUDICATE, frozenset({Role.OWNER})),
    (_("Inbox"), "inbox.index", frozenset({Role.OWNER})),
    (_("Quality"), "quality.index", frozenset({Role.OWNER})),
    (_("Health"), "health.index", frozenset({Role.OWNER, Role.VIEWER})),
    (_("Import"), "imports.index", frozenset({Role.OWNER})),
    (_("People"), "projects.people", frozenset({Role.OWNER})),
    (_("Settings"), "projects.settings", frozenset({Role.OWNER})),
)


class Tab(NamedTuple):
    """One link of a project's navigation."""

    label: str
    url: str
    current: bool


def install(app: Flask) -> None:
    """Give every template the frame's variables."""
    app.context_processor(frame_variables)


def frame_variables() -> dict[str, Any]:
    """Return what the layouts need; templates ask the database nothing."""
    place: Place | None = g.get("place")
    theme = request.cookies.get("theme")
    return {
        "identity": current_identity() if request else None,
        "project": place.project if place else None,
        "role": place.role.value if place else None,
        "theme": theme if theme in THEMES else None,
        "nav": _tabs_of(place) if place else [],
        "language": current_language(),
        "languages": LANGUAGES,
        "script_words": script_words(current_language()),
    }


def _tabs_of(place: Place) -> list[Tab]:
    room = (request.endpoint or "").partition(".")[0]
    tabs = []
    for label, endpoint, roles in TABS:
        if place.role in roles or (endpoint == ADJUDICATE and place.adjudicates):
            here = endpoint == request.endpoint or (room != "projects" and endpoint.startswith(f"{room}."))
            tabs.append(Tab(str(label), url_for(endpoint, slug=place.project.slug), here))
    return tabs
