"""The guidelines, beside the answers and on a page of their own, with what changed since the last look."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from flask import render_template

from app.http.permissions import Access, allow, current_identity_or_404, current_place
from app.http.sessions import read_session, write_session
from app.services.preferences import preferences_of, record_guidelines_seen
from app.services.projects import find_guideline
from app.web.grades import grades_of, language_of
from app.web.judging import blueprint
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


@blueprint.get("/guidelines", endpoint="guidelines")
@allow(Access.RATE)
def guidelines(slug: str) -> str:
    """Show what each grade means, and the guidelines: without a question, and without scripts."""
    del slug
    project, identity = current_place().project, current_identity_or_404()
    seen = preferences_of(identity.preferences)["guidelines"].get(str(project.id))
    shown = guidelines_view(read_session(), project.id, seen=seen)
    remember_guidelines(identity.id, project.id, shown, seen=seen)
    return render_template(
        "judging/guidelines.html",
        guidelines=shown,
        grades=grades_of(project.grade_words, project.grades),
        content_language=project.options.get("language", ""),
        grades_language=language_of(project.grade_words, project.options.get("language", "")),
    )


def remember_guidelines(
    person_id: int, project_id: int, shown: GuidelinesView | None, *, seen: int | None
) -> None:
    """Remember which version a person has before their eyes, unless it is the one that they have seen."""
    if shown is not None and shown.version != seen:
        with write_session() as session:
            record_guidelines_seen(session, person_id, project_id, shown.version)


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
