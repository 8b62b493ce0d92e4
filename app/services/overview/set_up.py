"""The checklist of a new project: what is left to do until its first score."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Invitation, Membership, Role, now_utc
from app.scoring.verdict import LEAST_QUERIES
from app.services.projects import find_guideline
from app.services.wording import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


@dataclass(frozen=True)
class SetUpStep:
    """One line of the checklist; `place` is ``import``, ``guidelines``, ``people`` or ``rate``."""

    text: str
    done: bool
    place: str


def set_up_steps(session: Session, project_id: int, questions: int, *, has_ranker: bool) -> list[SetUpStep]:
    """Return the checklist of a project until its first score."""
    guidelines = find_guideline(session, project_id) is not None
    annotators = _annotators(session, project_id)
    return [
        SetUpStep(
            f"Questions: {questions:,} imported" if questions else "Import the questions",
            questions > 0,
            "import",
        ),
        SetUpStep("Guidelines written" if guidelines else "Write the guidelines", guidelines, "guidelines"),
        SetUpStep(
            f"{counted(annotators, 'annotator')} invited" if annotators else "Invite annotators",
            annotators > 0,
            "people",
        ),
        SetUpStep(
            "Results of a ranker imported"
            if has_ranker
            else "Import the answers and the results of a ranker",
            has_ranker,
            "import",
        ),
        SetUpStep(f"Rate until {LEAST_QUERIES} questions are scored", False, "rate"),
    ]


def _annotators(session: Session, project_id: int) -> int:
    """Return how many annotate, or hold an invitation to."""
    members = select(func.count()).where(
        Membership.project_id == project_id, Membership.role == Role.ANNOTATOR.value
    )
    invited = select(func.count()).where(
        Invitation.project_id == project_id,
        Invitation.role == Role.ANNOTATOR.value,
        Invitation.used_at.is_(None),
        Invitation.revoked_at.is_(None),
        Invitation.expires_at > now_utc(),
    )
    return (session.scalar(members) or 0) + (session.scalar(invited) or 0)
