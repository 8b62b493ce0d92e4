"""The guidelines beside the answers: rendered, dated, and what changed since they were last seen."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.services.projects import find_guideline
from app.web.markdown import render_markdown

if TYPE_CHECKING:
    from datetime import datetime

    from markupsafe import Markup
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class GuidelinesView:
    """A version of the guidelines as it is shown; `changes` are lines that came (+) and went (-)."""

    version: int
    at: datetime
    html: Markup
    changes: tuple[tuple[str, str], ...]


def guidelines_view(session: Session, project_id: int, *, seen: int | None) -> GuidelinesView | None:
    """Return the guidelines in force, with what changed since version `seen`; None without any."""
    guideline = find_guideline(session, project_id)
    if guideline is None:
        return None
    changes: tuple[tuple[str, str], ...] = ()
    if seen is not None and 0 < seen < guideline.version:
        before = find_guideline(session, project_id, version=seen)
        changes = changed_lines(before.markdown if before else "", guideline.markdown)
    return GuidelinesView(
        guideline.version, guideline.created_at, render_markdown(guideline.markdown), changes
    )


def changed_lines(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the lines that came (`+`) and went (`-`), in the order of the text; empty lines left out."""
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return tuple((line[0], line[2:]) for line in lines if line[0] in "+-" and line[2:].strip())
