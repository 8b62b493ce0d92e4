"""Recording a rating: checked, idempotent by the device's id, with the next revision taken last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import UUID

from app.models import Origin, Project, Reason, now_utc
from app.services.assignment.dealing import keep_lease
from app.services.assignment.slots import BATCH_SIZE, wanted_ratings
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.judging.before import read_before
from app.services.judging.feedback import check_may_change
from app.services.judging.own_rows import OWN_NAMES, batch_progress, get_shown
from app.services.judging.rating import WHOLE, Annotator, OwnRating, Rating, Recorded
from app.services.ledger import append_judgments
from app.services.sentences import said

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.services.judging.before import Standing
    from app.services.judging.own_rows import Shown

SHUT = {"closed", "archived"}


def record_judgment(session: Session, annotator: Annotator, public_id: str, rating: Rating) -> Recorded:
    """Append a rating to the ledger and return it; the same rating sent again is returned as stored.

    Raises
    ------
    NotFoundError
        There is no such candidate, or it was never dealt to this person.
    InvalidError
        The grade is off the scale, a number cannot be stored, or the answer was never dealt in that batch.
    ConflictError
        The id was used for another rating (`id_reused`), the rating was changed elsewhere
        (`changed_elsewhere`, with the `current` one), rating is closed in the project (`rating_closed`),
        or the annotator knows what others gave for the answer (`others_known`).
    """
    project, me = annotator.project, annotator.person_id
    check_rating(project, rating)
    shown = get_shown(session, project.id, me, public_id, batch=rating.batch)
    before = read_before(session, annotator, shown, rating, now=now_utc())
    if before.stored is not None:
        return _replayed(session, annotator, before.stored, rating, shown)
    check_rating_is_open(project)
    check_may_change(told=before.standing.told, current=before.current)
    role = role_of(annotator, shown, before.current, before.standing)
    _check_batch(rating, is_in_it=before.is_in_batch)
    _check_base(before.current, rating)
    progress = before.progress(rating.batch, settles=rating.reason is not Reason.CLEARED)
    (own,) = append_rows(session, annotator, [row_of(annotator, shown, rating, role=role)])
    if rating.batch:
        keep_lease(session, project.id, me, rating.batch, now_utc())
    return Recorded(own, progress, is_new=True)


def check_rating(project: Project, rating: Rating) -> None:
    """Refuse what cannot be stored.

    Raises
    ------
    InvalidError
        Names the value and the remedy.
    """
    if (rating.grade is None) == (rating.reason is None):
        raise InvalidError("A rating needs either a grade or a reason.", code="grade_or_reason")
    if rating.grade is not None and rating.grade not in project.grades:
        raise InvalidError(
            said(
                "The grade %(grade)s is off the scale: give %(low)s to %(high)s.",
                grade=rating.grade,
                low=project.scale_low,
                high=project.scale_high,
            ),
            code="off_scale",
        )
    for name in ("batch", "active_ms"):
        if not 0 <= getattr(rating, name) <= WHOLE:
            raise InvalidError(f"{name} is {getattr(rating, name)}: give 0 to {WHOLE}.", code="out_of_range")
    # Either is left out where nobody knows it.
    if not min(rating.of, 1) <= rating.place <= (rating.of or BATCH_SIZE) <= BATCH_SIZE:
        raise InvalidError(
            f"place is {rating.place} of {rating.of}: give 1 to the number of answers in the batch, at most "
            f"{BATCH_SIZE}.",
            code="out_of_range",
        )


def check_rating_is_open(project: Project) -> None:
    """Refuse ratings of a closed project; a paused one deals nothing new, but takes what was dealt.

    Raises
    ------
    ConflictError
        Rating is closed.
    """
    if project.state in SHUT:
        raise ConflictError(
            "An owner has closed rating in this project. New ratings do not count.", code="rating_closed"
        )


def role_of(annotator: Annotator, shown: Shown, current: OwnRating | None, standing: Standing) -> Origin:
    """Return why a rating was asked for: a check, planned, or extra where others have all its places.

    Raises
    ------
    NotFoundError
        The candidate was never dealt to this person.
    """
    if current is not None and current.grade is not None:
        return current.role
    if current is None and not standing.dealt:
        raise NotFoundError("This is not one of your answers.")
    if shown.kind:
        return Origin(shown.kind)
    taken = standing.planned if standing.on_lease else standing.planned + standing.leased
    wanted = wanted_ratings(annotator.project, shown.id)
    return Origin.EXTRA if taken >= wanted else Origin.PLANNED


def row_of(annotator: Annotator, shown: Shown, rating: Rating, *, role: Origin) -> dict[str, Any]:
    """Return a row of the ledger that has everything but its revision.

    Raises
    ------
    InvalidError
        There are no such guidelines.
    """
    return {
        "candidate_id": shown.id,
        "annotator_id": annotator.person_id,
        "grade": rating.grade,
        "reason": rating.reason,
        "place": rating.place,
        "length": rating.of,
        "batch": rating.batch,
        "client_uuid": rating.id.bytes,
        "judged_at": rating.at,
        "received_at": now_utc(),
        "active_ms": rating.active_ms,
        "input": rating.input,
        "guideline_version": _guidelines_of(rating, shown),
        "role": role,
        "blind": annotator.blind,
    }


def _guidelines_of(rating: Rating, shown: Shown) -> int:
    newest = shown.guideline_version
    if rating.guidelines is None:
        return newest
    if not 0 <= rating.guidelines <= newest:
        problem = f"guidelines is {rating.guidelines}: give 0 to {newest}, the newest version."
        raise InvalidError(problem, code="out_of_range")
    return rating.guidelines


def append_rows(session: Session, annotator: Annotator, rows: list[dict[str, Any]]) -> list[OwnRating]:
    """Write rows under the project's next revisions, in their order, and return what was written."""
    revisions = append_judgments(session, annotator.project.id, rows, len(rows))
    return [
        OwnRating(
            id=UUID(bytes=row["client_uuid"]),
            revision=revision,
            **{name: row[name] for name in OWN_NAMES if name != "revision"},
        )
        for revision, row in zip(revisions, rows, strict=True)
    ]


def _replayed(
    session: Session, annotator: Annotator, stored: OwnRating, rating: Rating, shown: Shown
) -> Recorded:
    if not stored.says_the_same(rating, shown.id):
        raise ConflictError("This id belongs to another rating.", code="id_reused")
    project_id, me = annotator.project.id, annotator.person_id
    progress = batch_progress(session, project_id, me, rating.batch, settled_now={})
    return Recorded(stored, progress, is_new=False)


def _check_batch(rating: Rating, *, is_in_it: bool) -> None:
    # 0: whoever rates does not say where.
    if rating.batch and not is_in_it:
        problem = f"batch is {rating.batch}, in which you did not get this answer"
        raise InvalidError(
            f"{problem}: give the batch in which it was, or leave it out.", code="not_in_batch"
        )


def _check_base(current: OwnRating | None, rating: Rating) -> None:
    if rating.base == (None if current is None else current.id):
        return
    raise ConflictError(
        "You have changed this rating elsewhere.",
        code="changed_elsewhere",
        current=None if current is None else current.facts,
    )
