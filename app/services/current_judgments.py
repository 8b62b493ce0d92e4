"""What every annotator says now about every candidate: the projection `current_judgment`, written and read.

A newer judgment of the same kind takes the place of the one before, also where it clears it. Repeats, gold
answers, adjudications and what machines say are kinds of their own, beside the ratings that count. What was
said about a text before its edit is no part of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    func,
    or_,
    select,
    type_coerce,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.orm import InstrumentedAttribute, Session, aliased

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Judgment, Origin, Reason
from app.models.project import LedgerHead
from app.services.bulk import batches, table_of
from app.services.prepared import Prepared

Clause = ColumnElement[bool]
Number = ColumnElement[int] | InstrumentedAttribute[int] | int

COUNTED = (Origin.PLANNED, Origin.EXTRA)
# The kind of the ratings that count; every other kind has the number of its role.
RATING = 0
# Ratings of an answer that differ by this many grades, or more, ask for one more.
WIDE = 2
AT_ONCE = 20_000
KEY = ("candidate_id", "annotator_id", "kind")
REST = ("project_id", "revision", "grade", "reason", "role")


def kind_of(role: Any) -> ColumnElement[int]:
    """Return the kind of a judgment with this role."""
    counted = or_(*(role == one for one in COUNTED))
    return case((counted, RATING), else_=type_coerce(role, Integer))


def kind_in_batch(arm: Any) -> ColumnElement[int]:
    """Return of which kind the rating of an answer is that a batch holds as `arm`."""
    return case((arm == "gold", int(Origin.GOLD)), (arm == "repeat", int(Origin.REPEAT)), else_=RATING)


def newest_judgments(*which: Clause) -> Select[*tuple[Any, ...]]:
    """Return the fold of the ledger: the newest row of each key among some judgments, as they stand now."""
    kind = kind_of(Judgment.role)
    age = func.row_number().over(
        partition_by=(Judgment.candidate_id, Judgment.annotator_id, kind), order_by=Judgment.revision.desc()
    )
    rows = (
        select(
            Judgment.candidate_id,
            Judgment.annotator_id,
            kind.label("kind"),
            *(getattr(Judgment, name) for name in REST),
            age.label("age"),
        )
        .join(Candidate, Candidate.id == Judgment.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .where(*which, Judgment.revision > func.coalesce(Document.edited_revision, 0))
        .subquery()
    )
    return select(*(rows.c[name] for name in (*KEY, *REST))).where(rows.c.age == 1)


def _project(dialect: str) -> Any:
    """Return the statement that folds the judgments of `:project` from `:first` to `:last` into the table."""
    newest = newest_judgments(
        Judgment.project_id == bindparam("project"),
        Judgment.revision.between(bindparam("first"), bindparam("last")),
    )
    insert = (postgresql if dialect == "postgresql" else sqlite).insert(table_of(CurrentJudgment))
    put = insert.from_select([*KEY, *REST], newest, include_defaults=False)
    return put.on_conflict_do_update(
        index_elements=list(KEY), set_={name: put.excluded[name] for name in REST}
    )


_PROJECT = {dialect: Prepared(partial(_project, dialect)) for dialect in ("sqlite", "postgresql")}


def project_judgments(session: Session, project_id: int, revisions: range) -> None:
    """Fold judgments that were just appended into what counts now."""
    statement = _PROJECT[session.get_bind().dialect.name]
    # The newest of each part takes the place of what earlier parts said: a database sorts few rows at once.
    for some in batches(revisions, AT_ONCE):
        statement.rows(session, {"project": project_id, "first": some[0], "last": some[-1]})


def void_judgments(session: Session, document_ids: Sequence[int]) -> None:
    """Leave out what was said about documents whose text was just edited; the event is written already."""
    for some in batches(document_ids):
        theirs = select(Candidate.id).where(Candidate.document_id.in_(some))
        session.execute(
            delete(CurrentJudgment)
            .where(CurrentJudgment.candidate_id.in_(theirs))
            .execution_options(synchronize_session=False)
        )


def rebuild_current_judgments(session: Session) -> int:
    """Form the whole projection again from the ledger, and return how many rows it has."""
    heads = select(LedgerHead.project_id, LedgerHead.revision).order_by(LedgerHead.project_id)
    # Nobody appends meanwhile.
    projects = session.execute(heads.with_for_update()).all()
    session.execute(delete(CurrentJudgment).execution_options(synchronize_session=False))
    for project_id, head in projects:
        project_judgments(session, project_id, range(1, head + 1))
    return session.scalar(select(func.count()).select_from(CurrentJudgment)) or 0


def in_ledger(current: type[CurrentJudgment], judgment: type[Judgment] = Judgment) -> Clause:
    """Return what joins a current judgment with its row of the ledger."""
    return and_(judgment.project_id == current.project_id, judgment.revision == current.revision)


def settles(judgment: type[CurrentJudgment | Judgment]) -> Clause:
    """Return what makes a row say something: a grade, or that it cannot be judged; a cleared one does not."""
    return or_(judgment.grade.is_not(None), judgment.reason != Reason.CLEARED)


def judged_by(
    annotator: Number, *kinds: Number, candidate: Any = None
) -> tuple[type[CurrentJudgment], Clause]:
    """Return a new alias of the table, and what makes its row one of an annotator's about a candidate.

    Parameters
    ----------
    kinds
        As what they rated it; a rating that counts by default.
    candidate
        The statement's candidate by default.
    """
    own = aliased(CurrentJudgment)
    return own, and_(
        own.candidate_id == (Candidate.id if candidate is None else candidate),
        own.annotator_id == annotator,
        or_(*(own.kind == kind for kind in kinds or (RATING,))),
    )


def is_settled_by(annotator: Number, kind: Number = RATING) -> Clause:
    """Return whether an annotator has rated the statement's candidate, or said that it cannot be judged."""
    own, is_own = judged_by(annotator, kind)
    return exists().where(is_own, settles(own)).correlate_except(own)


def is_rated_as(annotator: Number, *kinds: Origin) -> Clause:
    """Return whether an annotator ever rated the statement's candidate as one of some checks."""
    own, is_own = judged_by(annotator, *(int(kind) for kind in kinds))
    return exists().where(is_own).correlate_except(own)


def ratings_of_candidate(
    *, but: Number | None = None, role: Origin | None = None, only_blind: bool = False
) -> Any:
    """Return how many annotators have graded the statement's candidate, as a scalar subquery.

    Parameters
    ----------
    but
        An annotator who is left out.
    role
        Count only ratings with this role.
    only_blind
        Count only blind ratings.
    """
    given, is_given = _given(only_blind=only_blind)
    wanted = select(func.count()).where(is_given)
    if role is not None:
        wanted = wanted.where(given.role == role)
    if but is not None:
        wanted = wanted.where(given.annotator_id != but)
    return wanted.correlate_except(given).scalar_subquery()


def spread_of_candidate(*, only_blind: bool = False) -> Any:
    """Return how far the grades of the statement's candidate lie apart, as a scalar subquery."""
    given, is_given = _given(only_blind=only_blind)
    spread = func.coalesce(func.max(given.grade) - func.min(given.grade), 0)
    return select(spread).where(is_given).correlate_except(given).scalar_subquery()


def decision_on_candidate() -> Any:
    """Return the grade that was decided last for the statement's candidate, as a scalar subquery."""
    given = aliased(CurrentJudgment)
    last = select(given.grade).where(
        given.candidate_id == Candidate.id, given.kind == int(Origin.ADJUDICATION)
    )
    return last.order_by(given.revision.desc()).limit(1).correlate_except(given).scalar_subquery()


def is_graded() -> Clause:
    """Return whether somebody has graded the statement's candidate."""
    given, is_given = _given()
    return exists().where(is_given).correlate_except(given)


def _given(*, only_blind: bool = False) -> tuple[type[CurrentJudgment], Clause]:
    given = aliased(CurrentJudgment)
    is_given = and_(given.candidate_id == Candidate.id, given.kind == RATING, given.grade.is_not(None))
    if only_blind:
        row = aliased(Judgment)
        is_given = and_(is_given, exists().where(in_ledger(given, row), row.blind).correlate(given))
    return given, is_given
