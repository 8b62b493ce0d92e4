"""Which grades need a note, and the reasons that are offered for one: an owner's choice, held by the server.

What "no good answer" gives needs none: it says by itself why.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.project import Project
from app.sentences import message
from app.services.accounts.audit import record
from app.services.errors import InvalidError

OPTION = "notes"
# One for each digit.
MOST_REASONS = 9
LONGEST_REASON = 80


@dataclass(frozen=True)
class NoteRule:
    """The grades that need a note, and quick reasons for notes."""

    grades: tuple[int, ...] = ()
    reasons: tuple[str, ...] = ()


def note_rule_of(project: Project) -> NoteRule:
    """Return what an owner has chosen; grades of another scale ask for nothing."""
    stored = project.options.get(OPTION) or {}
    grades = tuple(grade for grade in stored.get("grades", ()) if grade in project.grades)
    return NoteRule(grades, tuple(stored.get("reasons", ())))


def change_note_rule(
    session: Session, project: Project, grades: Iterable[int], reasons: Iterable[str]
) -> None:
    """Set which grades need a note from now on, and the quick reasons; earlier ratings stay as they are.

    :raise InvalidError: A grade is off the scale, or the reasons are too many or too long.
    """
    chosen = sorted(set(grades))
    kept = list(dict.fromkeys(filter(None, (" ".join(reason.split()) for reason in reasons))))
    if not set(chosen) <= set(project.grades):
        raise InvalidError("Choose grades of the scale.", code="grades")
    if len(kept) > MOST_REASONS or any(len(reason) > LONGEST_REASON for reason in kept):
        raise InvalidError(
            message(
                "Give at most %(most)s reasons of at most %(length)s characters.",
                most=MOST_REASONS,
                length=LONGEST_REASON,
            ),
            code="reasons",
        )
    project.options = {**project.options, OPTION: {"grades": chosen, "reasons": kept}}
    record(session, AuditKind.SETTINGS_CHANGED, project_id=project.id, what=["reasons"])
