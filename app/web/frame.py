"""The frame around every page: who is signed in, where they are, and where they may go."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import g, request, url_for
from flask_babel import lazy_gettext as _
from werkzeug.local import LocalProxy

from app.http.identity import current_identity
from app.http.languages import LANGUAGES, current_language, script_words
from app.models import Role
from app.services.comparison.wording import verdict_word
from app.web.pieces import piece

if TYPE_CHECKING:
    from flask import Flask

    from app.http.permissions import Place

THEMES = ("light", "dark")
REVIEW, IMPORT = "review.index", "imports.index"
PEOPLE, SETTINGS = "projects.people", "projects.settings"
BOTH, OWNERS = frozenset({Role.OWNER, Role.VIEWER}), frozenset({Role.OWNER})
RATERS = frozenset({Role.OWNER, Role.ANNOTATOR})
# What the scores say, how the ratings come about, and what the project is made of.
GROUPS: tuple[tuple[Any, tuple[tuple[Any, str, frozenset[Role]], ...]], ...] = (
    (
        _("Results"),
        (
            (_("Overview"), "dashboard.overview", BOTH),
            (_("Compare"), "compare.index", BOTH),
            (_("Questions"), "queries.index", BOTH),
        ),
    ),
    (
        _("Ratings"),
        (
            (_("Rate"), "judging.rate", RATERS),
            (_("What next"), "next_answers.index", BOTH),
            (_("Review"), REVIEW, OWNERS),
            (_("Quality"), "quality.index", BOTH),
        ),
    ),
    (
        _("Project"),
        (
            (_("Import"), IMPORT, OWNERS),
            (_("People"), PEOPLE, OWNERS),
            (_("Settings"), SETTINGS, OWNERS),
        ),
    ),
)
# Fewer links than these need no groups to find one's way.
WORTH_GROUPING = 6


class Tab(NamedTuple):
    """One link of a project's navigation."""

    label: str
    url: str
    current: bool


class Group(NamedTuple):
    """Links of a project's navigation that belong together."""

    label: str
    tabs: list[Tab]

    @property
    def current(self) -> bool:
        """Whether the page that is shown is one of them."""
        return any(tab.current for tab in self.tabs)


def install(app: Flask) -> None:
    """Give every template the frame's variables."""
    app.context_processor(frame_variables)
    app.jinja_env.globals["piece"] = piece
    app.jinja_env.globals["verdict_word"] = verdict_word


def frame_variables() -> dict[str, Any]:
    """Return what the layouts need; templates ask the database nothing."""
    place: Place | None = g.get("place")
    theme = request.cookies.get("theme")
    # Worked out when a layout asks: parts of pages, fetched at every rating, have no navigation.
    groups = cache(lambda: _groups_of(place) if place else [])
    nav = cache(lambda: [tab for group in groups() for tab in group.tabs])
    return {
        "identity": current_identity() if request else None,
        "project": place.project if place else None,
        "role": place.role.value if place else None,
        "theme": theme if theme in THEMES else None,
        "nav": LocalProxy(nav),
        "nav_groups": LocalProxy(lambda: groups() if len(nav()) >= WORTH_GROUPING else []),
        "language": current_language(),
        "languages": LANGUAGES,
        "script_words": script_words(current_language()),
    }


def _groups_of(place: Place) -> list[Group]:
    """Return the links that somebody may follow, group by group; no group is empty."""
    here = _current_tab()
    groups = [
        Group(
            str(name),
            [
                Tab(str(label), url_for(endpoint, slug=place.project.slug), endpoint == here)
                for label, endpoint, roles in tabs
                if place.role in roles or (endpoint == REVIEW and place.adjudicates)
            ],
        )
        for name, tabs in GROUPS
    ]
    return [group for group in groups if group.tabs]


def _current_tab() -> str | None:
    """Return the tab that the page shown belongs to: that of its room."""
    endpoint = request.endpoint or ""
    room = endpoint.partition(".")[0]
    if room == "projects":
        return PEOPLE if endpoint in {PEOPLE, "projects.reset_link"} else SETTINGS
    if room == "rankers":
        return IMPORT
    every = (tab for _name, tabs in GROUPS for _label, tab, _roles in tabs)
    return next((tab for tab in every if tab.startswith(f"{room}.")), None)
