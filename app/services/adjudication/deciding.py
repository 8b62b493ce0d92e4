"""Deciding: an adjudicator's grade is a judgment of its own role, appended to the ledger like any other."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import select

from app.models import CurrentJudgment, Judgment, Origin, Project, Reason
from app.services.adjudication.hearing import candidate_of
from app.services.bulk import lock_project
from app.services.current_judgments import in_ledger
from app.services.errors import ConflictError, InvalidError
from app.services.judging.own_rows import find_by_id, get_shown
from app.services.judging.recording import append_rows, check_rating, row_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.judging import Annotator, OwnRating, Rating


class Decision(NamedTuple):
    """A decision as it is stored; `is_new` is False where it was there before."""

    rating: OwnRating
    is_new: bool


def record_decision(session: Session, adjudicator: Annotator, public_id: str, rating: Rating) -> Decision:
    """Append a decision to the ledger: a grade, or "cleared" where one is taken back.

    The same decision sent again is returned as stored. `rating.base` is the id of the newest decision that
    the adjudicator had before their eyes, whoever made it.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    InvalidError
        The grade is off the scale, or a reason is given: what one cannot judge is left in the queue.
    ConflictError
        The id was used before (`id_reused`), somebody else decided meanwhile (`changed_elsewhere`, with the
        `current` one), or the project is archived (`rating_closed`).
    """
    check_rating(adjudicator.project, rating)
    if rating.reason not in {None, Reason.CLEARED}:
        raise InvalidError(
            "A decision is a grade; leave the answer where it is to decide later.", code="reason"
        )
    shown = get_shown(session, adjudicator.project.id, adjudicator.person_id, public_id)
    stored = find_by_id(session, adjudicator.person_id, rating.id)
    if stored is not None:
        if not stored.says_the_same(rating, shown.id) or stored.role is not Origin.ADJUDICATION:
            raise ConflictError("This id belongs to another rating.", code="id_reused")
        return Decision(stored, is_new=False)
    # Two adjudicators take turns: the second one sees what the first one decided.
    project = lock_project(session, adjudicator.project.id)
    _check_open(project)
    _check_base(find_decision(session, shown.id), rating)
    row = row_of(adjudicator, shown, rating, role=Origin.ADJUDICATION)
    (own,) = append_rows(session, adjudicator, [row])
    return Decision(own, is_new=True)


def take_back_decision(session: Session, adjudicator: Annotator, public_id: str, rating: Rating) -> None:
    """Take back whatever was decided about an answer, so that it waits again.

    Raises
    ------
    NotFoundError
        There is no such answer in this project.
    ConflictError
        Nothing is decided about it (`nothing_left`), or the project is archived.
    """
    candidate = candidate_of(session, adjudicator.project.id, public_id)
    newest = find_decision(session, candidate.id)
    if newest is None or newest.grade is None:
        raise ConflictError("Nothing is decided about this answer any more.", code="nothing_left")
    base = UUID(bytes=newest.client_uuid)
    record_decision(
        session, adjudicator, public_id, replace(rating, grade=None, reason=Reason.CLEARED, base=base)
    )


def find_decision(session: Session, candidate_id: int) -> Judgment | None:
    """Return the newest decision about the present text of an answer, also where it takes one back."""
    return session.scalar(
        select(Judgment)
        .join(CurrentJudgment, in_ledger(CurrentJudgment))
        .where(CurrentJudgment.candidate_id == candidate_id, CurrentJudgment.kind == Origin.ADJUDICATION)
        .order_by(CurrentJudgment.revision.desc())
        .limit(1)
    )


def _check_open(project: Project) -> None:
    if project.state == "archived":
        raise ConflictError(
            "The project is archived: nothing is decided in it any more.", code="rating_closed"
        )


def _check_base(newest: Judgment | None, rating: Rating) -> None:
    if rating.base == (None if newest is None else UUID(bytes=newest.client_uuid)):
        return
    facts = None
    if newest is not None:
        reason = newest.reason.name.lower() if newest.reason else None
        facts = {"id": str(UUID(bytes=newest.client_uuid)), "grade": newest.grade, "reason": reason}
    raise ConflictError("Someone else has decided this answer.", code="changed_elsewhere", current=facts)
