"""What every page's layout needs: navigation, targets of links, fragments.

Only macros that are imported without context may be kept as fragments: what reads the language, the person or
the project is another fragment for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cache, lru_cache
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit

from flask import Flask, g, request, url_for
from markupsafe import Markup
from werkzeug.local import LocalProxy

from app.http.identity import current_identity
from app.http.languages import current_language, direction_of, script_words, translated
from app.http.languages import later as _
from app.http.permissions import ProjectAccess
from app.http.proxies import here
from app.models.person import Role
from app.scoring.measures.names import on_screen
from app.services.scores.verdict_text import signed_gap, verdict_word
from app.services.translations import LANGUAGES
from app.web.dates import moment_in_words
from app.web.numbers import between, chance, decimal, plain, signed, spread


def local_target(wanted: str | None, usual: str | None = None) -> str:
    """Return a wanted address if it stays on this site, else the usual one: that of the home page.

    A browser reads backslashes as slashes, drops tabs and line breaks, and takes `//host` for a host.
    """
    root = request.script_root if request else ""
    usual = usual or f"{root}/"
    if not wanted or not wanted.startswith(f"{root}/") or wanted.startswith("//"):
        return usual
    if "\\" in wanted or any(ord(character) < 33 or ord(character) == 127 for character in wanted):
        return usual
    try:
        parts = urlsplit(wanted)
    except ValueError:
        return usual
    is_above = bool(root) and ".." in unquote(parts.path).split("/")
    return usual if parts.scheme or parts.netloc or is_above else wanted


MOST_KEPT = 1024


@lru_cache(maxsize=MOST_KEPT)
def cached_fragment(macro: Callable[..., Markup], *values: Hashable) -> Markup:
    """Return what a macro writes for some values, each of which can be hashed and never changes."""
    return macro(*values)


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


class NavigationGroup(NamedTuple):
    """Links of a project's navigation that belong together."""

    label: str
    tabs: list[Tab]

    @property
    def current(self) -> bool:
        """Whether the page that is shown is one of them."""
        return any(tab.current for tab in self.tabs)


def install(app: Flask) -> None:
    """Give every template the variables of the layouts."""
    app.context_processor(layout_variables)
    app.jinja_env.globals["here"] = here
    app.jinja_env.globals["cached_fragment"] = cached_fragment
    app.jinja_env.globals |= {
        "plain": plain,
        "signed": signed,
        "between": between,
        "spread": spread,
        "chance": chance,
    }
    app.jinja_env.globals |= {"decimal": decimal, "signed_gap": signed_gap}
    app.jinja_env.globals["verdict_word"] = lambda pair: translated(verdict_word(pair))
    app.jinja_env.filters["on_screen"] = on_screen
    app.jinja_env.filters["moment_in_words"] = moment_in_words


def layout_variables() -> dict[str, Any]:
    """Return what the layouts need; templates ask the database nothing."""
    access: ProjectAccess | None = g.get("access")
    theme = request.cookies.get("theme")
    # Computed when a layout asks: parts of pages, fetched at every rating, have no navigation.
    groups = cache(lambda: _groups_of(access) if access else [])
    nav = cache(lambda: [tab for group in groups() for tab in group.tabs])
    return {
        "identity": current_identity() if request else None,
        "project": access.project if access else None,
        "role": access.role.value if access else None,
        "theme": theme if theme in THEMES else None,
        "nav": LocalProxy(nav),
        "nav_groups": LocalProxy(lambda: groups() if len(nav()) >= WORTH_GROUPING else []),
        "language": current_language(),
        "direction": direction_of(current_language()),
        "languages": LANGUAGES,
        "script_words": script_words(current_language()),
    }


def _groups_of(access: ProjectAccess) -> list[NavigationGroup]:
    """Return the links that somebody may follow, group by group; no group is empty."""
    here = _current_tab()
    groups = [
        NavigationGroup(
            str(name),
            [
                Tab(str(label), url_for(endpoint, slug=access.project.slug), endpoint == here)
                for label, endpoint, roles in tabs
                if access.role in roles or (endpoint == REVIEW and access.adjudicates)
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
        return PEOPLE if endpoint == PEOPLE else SETTINGS
    if room == "accounts":
        return PEOPLE
    if room == "rankers":
        return IMPORT
    every = (tab for _name, tabs in GROUPS for _label, tab, _roles in tabs)
    return next((tab for tab in every if tab.startswith(f"{room}.")), None)
