"""What to do next in a project: one sentence, and where it is done."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlalchemy import func, select

from app.models import Invitation, Membership, Role, now_utc
from app.scoring.verdict import LEAST_QUERIES
from app.services.comparison import points_of
from app.services.overview.coverage import SECONDS_EACH
from app.services.projects import find_guideline
from app.services.wording import counted

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.overview.coverage import Coverage
    from app.services.overview.standing import Standing

CERTAIN = {"sure", "settled"}


@dataclass(frozen=True)
class NextStep:
    """A sentence, and where it is done: ``rate``, ``import``, or ``read`` for the overview."""

    text: str
    place: str


@dataclass(frozen=True)
class SetUpStep:
    """One line of the checklist of a new project; `place` as above, or ``guidelines`` or ``people``."""

    text: str
    done: bool
    place: str


def next_step_of(standing: Standing, coverage: Coverage) -> NextStep:
    """Return the most useful thing to do in a project that has a ranker.

    Where the grades are declared complete nothing waits for a rating: what is not rated counts as 0.
    """
    missing = 0 if standing.complete else coverage.missing
    if standing.early:
        return _before_any_verdict(standing, missing)
    if len(standing.rankers) == 1:
        return NextStep("Import another ranker to compare with.", "import")
    look = standing.next_look
    if look is not None and look.missing.answers:
        which = "first" if look.number == 1 else "next"
        waits = f"the {which} test waits for {'it' if look.missing.answers == 1 else 'them'}"
        coming = look.forecast.look
        final = ", and it is the last one planned for these versions" if coming and coming.last else ""
        return NextStep(f"Rate {counted(look.missing.answers, 'answer')}: {waits}{final}.", "rate")
    if missing:
        return NextStep(
            f"{counted(missing, 'answer')} {_are(missing)} not rated yet: "
            f"{coverage.time} for one person, at {SECONDS_EACH} seconds each.",
            "rate",
        )
    return _when_nothing_is_left(standing)


def _before_any_verdict(standing: Standing, missing: int) -> NextStep:
    """Return what leads to ten scored questions; a run takes no part in questions added after it."""
    lacking = LEAST_QUERIES - standing.common
    undecided = min(scored.unjudged for scored in standing.board.runs)
    if missing and undecided >= lacking:
        return NextStep(f"Rate until {counted(lacking, 'more question')} {_are(lacking)} scored.", "rate")
    enough = f"a verdict needs {LEAST_QUERIES} scored ones"
    if missing and undecided:
        return NextStep(
            f"Rate what is left, then add {counted(lacking - undecided, 'question')} or more, with new "
            f"results: {enough}.",
            "rate",
        )
    return NextStep(f"Add {counted(lacking, 'question')} or more, with new results: {enough}.", "import")


def _when_nothing_is_left(standing: Standing) -> NextStep:
    pair = standing.rankers[0].pair
    outlook = pair.verdict.outlook if pair is not None and pair.verdict.word not in CERTAIN else None
    if pair is None or outlook is None or outlook.would_have_shown:
        done = "Grades are declared complete." if standing.complete else "Every answer has a rating."
        return NextStep(f"{done} Import the next version of a ranker.", "import")
    return NextStep(
        f"About {outlook.more} more questions would show a difference of {points_of(outlook.target)} or more "
        f"between {pair.first.ranker} and {pair.second.ranker}.",
        "import",
    )


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


def _are(count: int) -> str:
    return "is" if count == 1 else "are"
