"""Everything that annotators say beside their grades, as one statement that others are put together from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlalchemy import (
    Integer,
    and_,
    case,
    cast,
    func,
    literal,
    null,
    or_,
    select,
    type_coerce,
    union_all,
)

from app.models import (
    Assignment,
    Candidate,
    CurrentJudgment,
    Flag,
    Handling,
    Judgment,
    JudgmentNote,
    Person,
    Reason,
)
from app.services.current_judgments import RATING, in_ledger

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement, Select, Subquery

# "pass" is "can't judge", of an answer or of a whole question.
KINDS = ("flag", "note", "pass")
STATES = ("open", "resolved")


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """Which remarks are meant. Empty words mean all of them.

    Attributes
    ----------
    person
        The public id of whoever said it.
    keys
        Remarks by their keys; None for every one that the others allow.
    """

    state: str = ""
    kind: str = ""
    person: str = ""
    keys: tuple[str, ...] | None = None


def said_in(project_id: int) -> Subquery:
    """Return all remarks of a project: flags that stand, notes, and what is passed on now.

    `source` and `number` together name a remark within its project.
    """
    parts = (_flags(project_id), _notes(project_id), _passes(project_id), _passed_questions(project_id))
    return union_all(*parts).subquery("said")


def handled_as(said: Subquery, project_id: int) -> ColumnElement[bool]:
    """Return what joins a remark with what was done about it."""
    return and_(
        Handling.project_id == project_id,
        Handling.kind == said.c.kind,
        Handling.person_id == said.c.person_id,
        Handling.query_id == said.c.query_id,
        or_(
            Handling.candidate_id == said.c.candidate_id,
            and_(Handling.candidate_id.is_(None), said.c.candidate_id.is_(None)),
        ),
        # What was said later is another remark.
        Handling.said_at == said.c.said_at,
    )


def chosen(said: Subquery, project_id: int, wanted: Wanted, *columns: Any) -> Select[*tuple[Any, ...]]:
    """Return a statement over the remarks that are wanted, with whoever said them and what was done."""
    resolved = or_(said.c.is_resolved == 1, func.coalesce(Handling.state, "") == "resolved")
    statement = (
        select(*columns)
        .select_from(said)
        .join(Person, Person.id == said.c.person_id)
        .outerjoin(Handling, handled_as(said, project_id))
    )
    if wanted.state == "open":
        statement = statement.where(~resolved)
    elif wanted.state == "resolved":
        statement = statement.where(resolved)
    if wanted.kind:
        statement = statement.where(said.c.kind == wanted.kind)
    if wanted.person:
        statement = statement.where(Person.public_id == wanted.person)
    if wanted.keys is not None:
        statement = statement.where(_has_key(said, wanted.keys))
    return statement


def key_of(source: str, number: int) -> str:
    """Return the word that names a remark within its project."""
    return f"{source}-{number}"


def _has_key(said: Subquery, keys: tuple[str, ...]) -> ColumnElement[bool]:
    numbers: dict[str, list[int]] = {}
    for key in keys:
        source, _, number = key.partition("-")
        if number.isascii() and number.isdigit() and len(number) < 16:
            numbers.setdefault(source, []).append(int(number))
    clauses = [and_(said.c.source == source, said.c.number.in_(some)) for source, some in numbers.items()]
    return or_(*clauses) if clauses else literal(0) == 1


# The columns of all parts of the union, in one order; the first part names them.


def _flags(project_id: int) -> Select[*tuple[Any, ...]]:
    return select(
        literal("flag").label("source"),
        literal("flag").label("kind"),
        Flag.id.label("number"),
        Flag.person_id.label("person_id"),
        Flag.query_id.label("query_id"),
        Flag.candidate_id.label("candidate_id"),
        Flag.text.label("text"),
        literal("").label("reason"),
        Flag.created_at.label("said_at"),
        case((Flag.state == "resolved", 1), else_=0).label("is_resolved"),
    ).where(Flag.project_id == project_id, Flag.state != "withdrawn")


def _notes(project_id: int) -> Select[*tuple[Any, ...]]:
    return (
        select(
            literal("note"),
            literal("note"),
            JudgmentNote.id,
            JudgmentNote.annotator_id,
            Candidate.query_id,
            JudgmentNote.candidate_id,
            JudgmentNote.text,
            literal(""),
            JudgmentNote.updated_at,
            literal(0),
        )
        .join(Candidate, Candidate.id == JudgmentNote.candidate_id)
        .where(JudgmentNote.project_id == project_id)
    )


def _passes(project_id: int) -> Select[*tuple[Any, ...]]:
    names = ((type_coerce(Judgment.reason, Integer) == int(one), one.name.lower()) for one in Reason)
    return (
        select(
            literal("pass"),
            literal("pass"),
            Judgment.revision,
            Judgment.annotator_id,
            Candidate.query_id,
            Judgment.candidate_id,
            literal(""),
            case(*names, else_=""),
            Judgment.received_at,
            literal(0),
        )
        .select_from(CurrentJudgment)
        .join(Judgment, in_ledger(CurrentJudgment))
        .join(Candidate, Candidate.id == CurrentJudgment.candidate_id)
        .where(
            CurrentJudgment.project_id == project_id,
            CurrentJudgment.kind == RATING,
            CurrentJudgment.grade.is_(None),
            CurrentJudgment.reason != Reason.CLEARED,
        )
    )


def _passed_questions(project_id: int) -> Select[*tuple[Any, ...]]:
    return select(
        literal("question"),
        literal("pass"),
        Assignment.id,
        Assignment.person_id,
        Assignment.query_id,
        cast(null(), Integer),
        literal(""),
        Assignment.declined,
        Assignment.dealt_at,
        literal(0),
    ).where(Assignment.project_id == project_id, Assignment.declined.is_not(None))
