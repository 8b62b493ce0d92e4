"""What annotators said beside their ratings, listed for owners, answered and closed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Integer,
    Select,
    Subquery,
    and_,
    case,
    cast,
    delete,
    exists,
    func,
    literal,
    null,
    or_,
    select,
    tuple_,
    type_coerce,
    union_all,
    update,
)
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment
from app.models.base import UtcTime, now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Flag, Judgment, JudgmentNote, Reason
from app.models.person import Person, PersonKind
from app.models.project import Project
from app.models.query import Query
from app.models.remark_resolution import RemarkResolution
from app.sentences import message
from app.services.assignment.passes import AskedAgain, passes_on_query, release_chosen
from app.services.bulk import batches, lock_project
from app.services.current_judgments import RATING, decision_on_candidate, in_ledger
from app.services.errors import InvalidError
from app.services.judging.own_ratings import batch_of

# "pass" is "can't judge", of an answer or of a whole question.
KINDS = ("flag", "note", "pass")
STATES = ("open", "resolved")


@dataclass(frozen=True, kw_only=True)
class RemarkFilter:
    """Which remarks are meant. Empty words mean all of them.

    Attributes
    ----------
    person
        The public id of its author.
    keys
        Remarks by their keys; None for every one that the others allow.
    """

    state: str = ""
    kind: str = ""
    person: str = ""
    keys: tuple[str, ...] | None = None


def remarks(project_id: int) -> Subquery:
    """Return all remarks of a project: flags that stand, notes, and what is passed on now.

    `source` and `number` together name a remark within its project. A note on an answer that its author flags
    is one remark with the flag: `note_id` and `noted_at` tell of the note.
    """
    parts = (_flags(project_id), _notes(project_id), _passes(project_id), _passed_questions(project_id))
    return union_all(*parts).subquery("remark")


def resolution_of(remark: Subquery, project_id: int) -> ColumnElement[bool]:
    """Return what joins a remark with what was done about it."""
    return and_(
        RemarkResolution.project_id == project_id,
        RemarkResolution.kind == remark.c.kind,
        RemarkResolution.person_id == remark.c.person_id,
        RemarkResolution.query_id == remark.c.query_id,
        or_(
            RemarkResolution.candidate_id == remark.c.candidate_id,
            and_(RemarkResolution.candidate_id.is_(None), remark.c.candidate_id.is_(None)),
        ),
        # What was said later is another remark.
        RemarkResolution.said_at == remark.c.said_at,
    )


def is_resolved(remark: Subquery) -> ColumnElement[bool]:
    """Return whether a remark of `select_remarks` needs nothing more."""
    # What an owner reopened is open.
    usual = case((remark.c.is_resolved == 1, "resolved"), else_="open")
    # So is what got another note since.
    is_new = func.coalesce(remark.c.noted_at > RemarkResolution.updated_at, False)
    return and_(func.coalesce(RemarkResolution.state, usual) == "resolved", ~is_new)


def select_remarks(
    remark: Subquery, project_id: int, wanted: RemarkFilter, *columns: Any
) -> Select[*tuple[Any, ...]]:
    """Return a statement over the remarks that are wanted, with their authors and what was done."""
    resolved = is_resolved(remark)
    statement = (
        select(*columns)
        .select_from(remark)
        .join(Person, Person.id == remark.c.person_id)
        .outerjoin(RemarkResolution, resolution_of(remark, project_id))
    )
    if wanted.state == "open":
        statement = statement.where(~resolved)
    elif wanted.state == "resolved":
        statement = statement.where(resolved)
    if wanted.kind:
        is_kind = remark.c.kind == wanted.kind
        statement = statement.where(
            or_(is_kind, remark.c.note_id.is_not(None)) if wanted.kind == "note" else is_kind
        )
    if wanted.person:
        statement = statement.where(Person.public_id == wanted.person)
    if wanted.keys is not None:
        statement = statement.where(_has_key(remark, wanted.keys))
    return statement


def key_of(source: str, number: int) -> str:
    """Return the word that names a remark within its project."""
    return f"{source}-{number}"


def _has_key(remark: Subquery, keys: tuple[str, ...]) -> ColumnElement[bool]:
    numbers: dict[str, list[int]] = {}
    for key in keys:
        source, _, number = key.partition("-")
        if number.isascii() and number.isdigit() and len(number) < 16:
            numbers.setdefault(source, []).append(int(number))
    clauses = [and_(remark.c.source == source, remark.c.number.in_(some)) for source, some in numbers.items()]
    return or_(*clauses) if clauses else literal(0) == 1


_LATER = aliased(Flag)
_STANDS = Flag.state != "withdrawn"
# A note goes with the newest flag of its author.
_IS_NOTED = and_(
    JudgmentNote.candidate_id == Flag.candidate_id,
    JudgmentNote.annotator_id == Flag.person_id,
    ~exists().where(
        _LATER.candidate_id == Flag.candidate_id,
        _LATER.person_id == Flag.person_id,
        _LATER.id > Flag.id,
        _LATER.state != "withdrawn",
    ),
)


def _flags(project_id: int) -> Select[*tuple[Any, ...]]:
    flags = select(
        literal("flag").label("source"),
        literal("flag").label("kind"),
        Flag.id.label("number"),
        Flag.person_id.label("person_id"),
        Flag.query_id.label("query_id"),
        Flag.candidate_id.label("candidate_id"),
        func.coalesce(JudgmentNote.text, Flag.text).label("text"),
        literal("").label("reason"),
        Flag.created_at.label("said_at"),
        case((Flag.state == "resolved", 1), else_=0).label("is_resolved"),
        JudgmentNote.id.label("note_id"),
        JudgmentNote.updated_at.label("noted_at"),
    )
    return flags.outerjoin(JudgmentNote, _IS_NOTED).where(Flag.project_id == project_id, _STANDS)


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
            JudgmentNote.id,
            cast(null(), UtcTime),
        )
        .join(Candidate, Candidate.id == JudgmentNote.candidate_id)
        .where(JudgmentNote.project_id == project_id, ~exists().where(_IS_NOTED, _STANDS))
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
            # A decision gives the grade that was missing.
            case((decision_on_candidate().is_not(None), 1), else_=0),
            cast(null(), Integer),
            cast(null(), UtcTime),
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
        Assignment.lease_end,  # it ended when they said so
        literal(0),
        cast(null(), Integer),
        cast(null(), UtcTime),
    ).where(Assignment.project_id == project_id, passes_on_query())


EACH = 30


@dataclass(frozen=True, kw_only=True)
class Remark:
    """One flag, note or "can't judge", and what an owner did about it.

    Without a title it is about a whole question. `seen`: its annotator has read the reply; only one with an
    account can.
    """

    key: str
    kind: str
    person: str
    has_account: bool
    query_id: int
    query: str
    public_id: str | None
    title: str
    text: str
    reason: str
    at: datetime
    state: str
    reply: str
    seen: bool


def remarks_of(
    session: Session, project_id: int, wanted: RemarkFilter, *, first: int = 0, most: int = EACH
) -> list[Remark]:
    """Return the remarks that are wanted, newest first: one page of them."""
    remark = remarks(project_id)
    resolved = is_resolved(remark)
    rows = session.execute(
        select_remarks(
            remark,
            project_id,
            wanted,
            remark,
            Person.name.label("person"),
            Person.kind.label("person_kind"),
            Query.text.label("query"),
            Candidate.public_id,
            Document.title,
            func.substr(Document.text, 1, 120).label("start"),
            case((resolved, "resolved"), else_="open").label("state"),
            RemarkResolution.reply,
            RemarkResolution.seen_at,
        )
        .join(Query, Query.id == remark.c.query_id)
        .outerjoin(Candidate, Candidate.id == remark.c.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .order_by(remark.c.said_at.desc(), remark.c.source, remark.c.number.desc())
        .limit(most)
        .offset(first)
    )
    return [_remark(row) for row in rows]


def count_remarks(session: Session, project_id: int, wanted: RemarkFilter) -> int:
    """Return how many remarks are wanted."""
    return session.scalar(select_remarks(remarks(project_id), project_id, wanted, func.count())) or 0


def count_open(session: Session, project_id: int) -> int:
    """Return how many remarks nobody has resolved."""
    return count_remarks(session, project_id, RemarkFilter(state="open"))


def people_of(session: Session, project_id: int, wanted: RemarkFilter) -> list[tuple[str, str, int]]:
    """Return public id, name and number of remarks of each author of wanted remarks, whoever is chosen."""
    remark = remarks(project_id)
    everybody = replace(wanted, person="")
    columns: tuple[Any, ...] = (Person.public_id, Person.name, func.count())
    rows = session.execute(
        select_remarks(remark, project_id, everybody, *columns)
        .group_by(Person.id, Person.public_id, Person.name)
        .order_by(Person.name, Person.id)
    ).all()
    return [(row[0], row[1], row[2]) for row in rows]


def _remark(row: Any) -> Remark:
    return Remark(
        key=key_of(row.source, row.number),
        kind=row.kind,
        person=row.person,
        has_account=row.person_kind == PersonKind.PERSON,
        query_id=row.query_id,
        query=row.query,
        public_id=row.public_id,
        title=row.title or row.start or "",
        text=row.text,
        reason=row.reason or "",
        at=row.said_at,
        state=row.state,
        reply=row.reply or "",
        seen=row.seen_at is not None,
    )


TURNS = ("reply", "resolve", "reopen", "release", "erase")
LONGEST_REPLY = 2000


@dataclass(frozen=True)
class HandledRemarks:
    """How many remarks were meant, of how many a turn was possible; and what a release asks again."""

    meant: int
    done: int
    asked: AskedAgain | None = None


def handle_remarks(
    session: Session, project: Project, wanted: RemarkFilter, turn: str, *, actor_id: int, reply: str = ""
) -> HandledRemarks:
    """Do one thing about all remarks that are wanted, and return how many there were.

    A reply resolves what it answers. A release asks the same people again; only what is passed on can be
    released, where it is still assigned to anybody, and only notes can be erased: the text is gone for good,
    with what was replied to it.

    :raise InvalidError: The turn is not known, nothing is meant, or the reply is empty or too long.
    """
    reply = reply.strip()
    if turn not in TURNS:
        raise InvalidError(
            message(
                "%(turn)s cannot be done: choose one of %(turns)s.",
                turn=repr(turn[:40]),
                turns=", ".join(TURNS),
            )
        )
    if turn == "reply" and not 1 <= len(reply) <= LONGEST_REPLY:
        raise InvalidError(
            message(
                "A reply has 1 to %(most)s characters; this one has %(length)s.",
                most=LONGEST_REPLY,
                length=len(reply),
            )
        )
    project = lock_project(session, project.id)
    remark = remarks(project.id)
    rows = session.execute(
        select_remarks(
            remark, project.id, wanted, remark, RemarkResolution.id.label("resolution_id")
        ).order_by(remark.c.said_at)
    ).all()
    if not rows:
        raise InvalidError("Choose at least one remark.", code="nothing_chosen")
    if turn == "release":
        return _release(session, project, rows, actor_id)
    if turn == "erase":
        return HandledRemarks(len(rows), _erase(session, rows))
    state = "open" if turn == "reopen" else "resolved"
    _set_flags(session, rows, state)
    for row in rows:
        _set_handling(session, project.id, row, state=state, reply=reply, actor_id=actor_id)
    session.flush()
    return HandledRemarks(len(rows), len(rows))


def _set_flags(session: Session, rows: Sequence[Any], state: str) -> None:
    numbers = [row.number for row in rows if row.source == "flag"]
    for some in batches(numbers):
        session.execute(update(Flag).where(Flag.id.in_(some)).values(state=state))


def _set_handling(
    session: Session, project_id: int, row: Any, *, state: str, reply: str, actor_id: int
) -> None:
    resolution = session.get(RemarkResolution, row.resolution_id) if row.resolution_id else None
    if resolution is None:
        resolution = RemarkResolution(
            project_id=project_id,
            kind=row.kind,
            person_id=row.person_id,
            query_id=row.query_id,
            candidate_id=row.candidate_id,
            said_at=row.said_at,
        )
        session.add(resolution)
    now = now_utc()
    resolution.state, resolution.actor_id, resolution.updated_at = state, actor_id, now
    if reply:
        resolution.reply, resolution.replied_at, resolution.seen_at = reply, now, None


def _release(session: Session, project: Project, rows: Sequence[Any], actor_id: int) -> HandledRemarks:
    passed = [row for row in rows if row.kind == "pass"]
    if not passed:
        raise InvalidError("“Ask again” is only for “can’t judge”.", code="nothing_to_release")
    asked = release_chosen(
        session,
        project,
        revisions=[row.number for row in passed if row.source == "pass"],
        assignments=[row.number for row in passed if row.source == "question"],
        actor_id=actor_id,
    )
    return HandledRemarks(len(rows), len(passed) - asked.refused.total(), asked)


def _erase(session: Session, rows: Sequence[Any]) -> int:
    notes = [row for row in rows if row.note_id]
    if not notes:
        raise InvalidError("Only notes can be erased.", code="nothing_to_erase")
    for some in batches(notes):
        session.execute(delete(JudgmentNote).where(JudgmentNote.id.in_([row.note_id for row in some])))
        handled = [row.resolution_id for row in some if row.resolution_id]
        of_note = and_(
            RemarkResolution.kind == "note",
            tuple_(RemarkResolution.person_id, RemarkResolution.candidate_id).in_(
                [(row.person_id, row.candidate_id) for row in some]
            ),
        )
        session.execute(
            delete(RemarkResolution)
            .where(or_(RemarkResolution.id.in_(handled), of_note))
            .execution_options(synchronize_session=False)
        )
    return len(notes)


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One reply that its annotator has not marked as read; without a title it is about a whole question."""

    slug: str
    project: str
    batch: int | None
    public_id: str | None
    query: str
    title: str
    about: str
    reply: str
    at: datetime


def replies_to(session: Session, person_id: int, project_ids: Sequence[int]) -> list[Reply]:
    """Return the replies that a person has not marked as read, newest first."""
    batch = batch_of(RemarkResolution)
    rows = session.execute(
        select(
            Project.slug,
            Project.name.label("project"),
            batch.label("batch"),
            Candidate.public_id,
            Query.text.label("query"),
            func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70), "").label(
                "title"
            ),
            RemarkResolution.kind.label("about"),
            RemarkResolution.reply,
            RemarkResolution.replied_at.label("at"),
        )
        .select_from(RemarkResolution)
        .join(Project, Project.id == RemarkResolution.project_id)
        .join(Query, Query.id == RemarkResolution.query_id)
        .outerjoin(Candidate, Candidate.id == RemarkResolution.candidate_id)
        .outerjoin(Document, Document.id == Candidate.document_id)
        .where(
            RemarkResolution.person_id == person_id,
            RemarkResolution.project_id.in_(project_ids),
            RemarkResolution.replied_at.is_not(None),
            RemarkResolution.seen_at.is_(None),
        )
        .order_by(RemarkResolution.replied_at.desc(), RemarkResolution.id.desc())
        .limit(20)
    )
    return [Reply(**row._mapping) for row in rows]  # noqa: SLF001 - the documented way to names


def mark_replies_seen(session: Session, project_id: int, person_id: int) -> None:
    """Remember that a person has read all replies in a project."""
    session.execute(
        update(RemarkResolution)
        .where(
            RemarkResolution.project_id == project_id,
            RemarkResolution.person_id == person_id,
            RemarkResolution.replied_at.is_not(None),
            or_(RemarkResolution.seen_at.is_(None), RemarkResolution.seen_at < RemarkResolution.replied_at),
        )
        .values(seen_at=now_utc())
    )
