"""Which judgment is an annotator's current one, as SQL that other statements are put together from.

The current judgment of an annotator and a candidate is the one with the greatest revision. Repeats, gold
answers and adjudications are no part of it, and what was said about a text before its edit counts no more.
A gold answer and a repeat have a current judgment of their own, which only their annotator is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Integer, and_, case, exists, func, or_, select, type_coerce
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


def check_of(arm: Any) -> ColumnElement[int]:
    """Return as what an answer of a batch is rated: the role of a check, or 0 for a rating that counts."""
    return case((arm == "gold", int(Origin.GOLD)), (arm == "repeat", int(Origin.REPEAT)), else_=0)


def own_check(role: Any) -> ColumnElement[int]:
    """Return as what a judgment was asked for, in the same numbers."""
    return case((is_counted(role), 0), else_=type_coerce(role, Integer))


def is_rated_as(role: Any, check: ColumnElement[int] | None) -> Clause:
    """Return whether a judgment belongs to a check, or with 0 or None to the ratings that count."""
    if check is None:
        return is_counted(role)
    return or_(and_(check == 0, is_counted(role)), type_coerce(role, Integer) == check)


def current(judgment: type[Judgment], check: ColumnElement[int] | None = None) -> Clause:
    """Return what makes a row of `judgment` current; `Candidate` and `Document` stand in the statement.

    Parameters
    ----------
    check
        Look among the ratings of this check instead of those that count; see `check_of`.
    """
    newer = aliased(Judgment)
    return and_(
        is_rated_as(judgment.role, check),
        judgment.revision >= func.coalesce(Document.edited_revision, 0),
        ~exists()
        .where(
            newer.candidate_id == judgment.candidate_id,
            newer.annotator_id == judgment.annotator_id,
            newer.revision > judgment.revision,
            is_rated_as(newer.role, check),
        )
        .correlate_except(newer),
    )


def settles(judgment: type[Judgment]) -> Clause:
    """Return what makes a row say something: a grade, or that it cannot be judged; a cleared one does not."""
    return or_(judgment.grade.is_not(None), judgment.reason != Reason.CLEARED)


def is_settled_by(annotator: Annotator, check: ColumnElement[int] | None = None) -> Clause:
    """Return whether an annotator has rated the statement's candidate, or said that it cannot be judged.

    As in `current`, `check` tells as what.
    """
    own = aliased(Judgment)
    mine = (own.candidate_id == Candidate.id, own.annotator_id == annotator)
    return exists().where(*mine, settles(own), current(own, check)).correlate_except(own)


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
