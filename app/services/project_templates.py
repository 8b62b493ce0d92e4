"""A new project out of a template: its settings, unless something else was chosen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.services.errors import InvalidError
from app.services.projects import NewProject
from app.services.templates import TEMPLATES

if TYPE_CHECKING:
    from collections.abc import Mapping

SETTINGS = (
    "scale",
    "k",
    "pool_depth",
    "share_twice",
    "gain",
    "discount",
    "headline",
    "grade_words",
    "wording",
    "guidelines",
)


def template_settings(template: str) -> dict[str, Any]:
    """Return the settings of a template by the names that a new project takes.

    Raises
    ------
    InvalidError
        There is no such template.
    """
    if template not in TEMPLATES:
        raise InvalidError(f"There is no template {template!r}: choose {', '.join(TEMPLATES)}.")
    settings = {name: getattr(TEMPLATES[template], name) for name in SETTINGS}
    # Files of its field are read by their usual column names.
    return {**settings, "options": {"template": template}}


def project_from_template(
    template: str | None, slug: str, name: str, chosen: Mapping[str, Any]
) -> NewProject:
    """Return a new project with a template's settings; whatever was chosen (not None) wins over them.

    Raises
    ------
    InvalidError
        There is no such template.
    """
    settings = {} if template is None else template_settings(template)
    given = {key: value for key, value in chosen.items() if value is not None}
    if given.get("scale", settings.get("scale")) != settings.get("scale"):
        settings.pop("grade_words", None)  # its words are for its own scale
    if "k" in given and "pool_depth" not in given:
        settings.pop("pool_depth", None)
    return NewProject(slug=slug, name=name, **{**settings, **given})
