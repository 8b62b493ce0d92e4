"""Which judgment is an annotator's current one, as SQL that other statements are put together from.

The current judgment of an annotator and a candidate is the one with the greatest revision. Repeats, gold
answers and adjudications are no part of it, and what was said about a text before its edit counts no more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, and_, exists, func, or_, select
from sqlalchemy.orm import InstrumentedAttribute, aliased

from app.models import Candidate, Document, Judgment, Origin, Reason

if TYPE_CHECKING:
    Clause = ColumnElement[bool]
    # A column, a parameter, or a number.
    Annotator = ColumnElement[int] | InstrumentedAttribute[int] | int

COUNTED = (Origin.PLANNED, Origin.EXTRA)
# Ratings of an answer that lie so many steps apart, or more, open one more.
WIDE = 2


def is_counted(role: Any) -> Clause:
    """Return whether a role is one whose ratings move scores; without a list to be expanded each time."""
    return or_(*(role == one for one in COUNTED))


def current(judgment: type[Judgment]) -> Clause:
    """Return what makes a row of `judgment` current; `Candidate` and `Document` stand in the statement."""
    newer = aliased(Judgment)
    return and_(
        is_counted(judgment.role),
        judgment.revision >= func.coalesce(Document.edited_revision, 0),
        ~exists()
        .where(
            newer.candidate_id == judgment.candidate_id,
            newer.annotator_id == judgment.annotator_id,
            newer.revision > judgment.revision,
            is_counted(newer.role),
        )
        .correlate_except(newer),
    )


def settles(judgment: type[Judgment]) -> Clause:
    """Return what makes a row say something: a grade, or that it cannot be judged; a cleared one does not."""
    return or_(judgment.grade.is_not(None), judgment.reason != Reason.CLEARED)


def is_settled_by(annotator: Annotator) -> Clause:
    """Return whether an annotator has rated the statement's candidate, or said that it cannot be judged."""
    own = aliased(Judgment)
    return (
        exists()
        .where(own.candidate_id == Candidate.id, own.annotator_id == annotator, settles(own), current(own))
        .correlate_except(own)
    )


def ratings_of_candidate(*, but: Annotator | None = None, roles: tuple[Origin, ...] = COUNTED) -> Any:
    """Return how many annotators have graded the statement's candidate, as a scalar subquery.

    Parameters
    ----------
    but
        An annotator who is left out.
    roles
        Which ratings are counted, all by default.
    """
    given = aliased(Judgment)
    wanted = select(func.count()).where(
        given.candidate_id == Candidate.id,
        given.grade.is_not(None),
        or_(*(given.role == one for one in roles)),
        current(given),
    )
    if but is not None:
        wanted = wanted.where(given.annotator_id != but)
    return wanted.correlate_except(given).scalar_subquery()


def spread_of_candidate() -> Any:
    """Return how far the grades of the statement's candidate lie apart, as a scalar subquery."""
    given = aliased(Judgment)
    spread = func.coalesce(func.max(given.grade) - func.min(given.grade), 0)
    wanted = select(spread).where(
        given.candidate_id == Candidate.id, given.grade.is_not(None), current(given)
    )
    return wanted.correlate_except(given).scalar_subquery()


def is_gold_to(annotator: Annotator) -> Clause:
    """Return whether an annotator has met the statement's candidate as a gold answer, and rated it."""
    met = aliased(Judgment)
    return (
        exists()
        .where(
            met.candidate_id == Candidate.id,
            met.annotator_id == annotator,
            met.role == Origin.GOLD,
            met.revision >= func.coalesce(Document.edited_revision, 0),
        )
        .correlate_except(met)
    )
