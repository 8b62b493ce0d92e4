"""What the rating page shows: nothing of a ranker, rank, score or other person."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, and_, bindparam, exists, func, select
from sqlalchemy.orm import Session, aliased

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.judgment import CurrentJudgment, Flag, Judgment, JudgmentNote, Origin, Reason
from app.models.project import Project
from app.models.query import Query
from app.services.assignment.batch_lifecycle import get_assignment, is_reserved
from app.services.assignment.batches import OtherParts, other_parts
from app.services.assignment.passes import passes_on_query, unrated_of_query
from app.services.assignment.wanted import PERSON
from app.services.collection.answer_fields import AnswerFields
from app.services.collection.pictures import ShownPicture, shown_pictures
from app.services.current_judgments import in_ledger, judged_by, kind_in_batch
from app.services.judging.rating import wording_of
from app.services.prepared import Prepared
from app.services.projects.words import ShownAnswer, written_as

LETTERS = "ABCDEFGHIJKL"


@dataclass(frozen=True, kw_only=True)
class RatedAnswer(ShownAnswer):
    """One answer as its annotator sees it.

    `last_id` names the own rating that `grade` comes from; `rated_at` is when that arrived.
    """

    grade: int | None = None
    reason: str | None = None
    last_id: UUID | None = None
    rated_at: datetime | None = None
    note: str = ""
    flagged: bool = False

    @property
    def is_settled(self) -> bool:
        """Return whether it is rated or passed on."""
        return self.grade is not None or self.reason is not None

    @property
    def is_untouched(self) -> bool:
        """Return whether its annotator has said nothing of it, and never did."""
        return not (self.is_settled or self.last_id or self.note or self.flagged)


@dataclass(frozen=True, kw_only=True)
class BatchPage:
    """One batch as its annotator sees it; `ordinal` counts this person's own questions.

    `declined` is why they cannot judge the question, on whichever of its batches they said so;
    `stays_declined` tells whether that holds, or would hold, with every answer of this page rated.
    `better_elsewhere` tells whether they gave an answer outside the batch more than the lowest grade,
    `is_reserved` whether it is theirs, or will be when the question is no longer declined or left for later,
    `is_open` whether they are at work on it: it is neither done nor left, and its lease runs.
    `wording` is that of the question (`wording_of`).
    """

    batch: int
    state: str
    declined: str | None
    stays_declined: bool
    query: str
    intent: str
    flagged: bool
    ordinal: int
    answers: tuple[RatedAnswer, ...]
    wording: str
    parts: OtherParts = field(default_factory=OtherParts)
    better_elsewhere: bool = False
    is_reserved: bool = True
    is_open: bool = True

    @property
    def settled(self) -> int:
        """The number of answers that are done: rated, or marked “can’t judge”."""
        return sum(answer.is_settled for answer in self.answers)

    @property
    def is_retired(self) -> bool:
        """Whether the question is retired: ratings of it are kept, but count in no score."""
        return not self.wording

    @property
    def is_declined(self) -> bool:
        """Whether they cannot judge the question, and have not rated all of it since."""
        return self.declined is not None and (self.settled < len(self.answers) or self.stays_declined)

    def has_better(self, lowest: int) -> bool:
        """Tell whether an answer of the question, here or elsewhere, got more than the lowest grade."""
        return self.better_elsewhere or any(
            answer.grade is not None and answer.grade > lowest for answer in self.answers
        )


def batch_page(
    session: Session, project_id: int, person_id: int, batch: int, *, ahead: bool = False
) -> BatchPage:
    """Return one of a person's own batches, in their own order; `ahead` if it is rated after those at hand.

    :raise NotFoundError: There is no such batch among this person's.
    """
    assignment = get_assignment(session, project_id, person_id, batch)
    rows = _answers.rows(session, {"person": person_id, "assignment": assignment.id})
    values = {
        "project": project_id,
        "person": person_id,
        "query": assignment.query_id,
        "assignment": assignment.id,
    }
    around = _around.row(session, values)
    fields = AnswerFields.of(around.options)
    pictures = shown_pictures(session, project_id, fields, {row.public_id: row.extra for row in rows})
    answers = tuple(_card(row, fields, pictures) for row in rows)
    parts = other_parts(session, assignment, ahead=ahead)
    # Most questions are not declined: what that takes to know is asked for those that are.
    stays_declined = (
        parts.more > 0
        if around.declined is None
        else _stays_declined(session, assignment, sum(not answer.is_settled for answer in answers))
    )
    return BatchPage(
        batch=batch,
        state=assignment.state,
        declined=around.declined,
        stays_declined=stays_declined,
        query=around.text,
        intent=around.intent,
        flagged=bool(around.flags),
        ordinal=around.ordinal,
        answers=answers,
        wording=wording_of(around.text, around.intent, around.retired_revision),
        parts=parts,
        better_elsewhere=bool(around.better),
        is_reserved=around.declined is not None or is_reserved(session, assignment),
        is_open=assignment.state == "open" and assignment.lease_end > now_utc(),
    )


@Prepared
def _answers() -> Select[*tuple[object, ...]]:
    own = aliased(Judgment)
    now, is_now = judged_by(PERSON, kind_in_batch(AssignmentCandidate.arm))
    is_noted = and_(JudgmentNote.candidate_id == Candidate.id, JudgmentNote.annotator_id == PERSON)
    flags = (
        select(func.count())
        .where(
            Flag.candidate_id == Candidate.id,
            Flag.person_id == PERSON,
            Flag.state == "open",
        )
        .correlate(Candidate)
        .scalar_subquery()
    )
    return (
        select(
            Candidate.public_id,
            AssignmentCandidate.place,
            *shown_columns(),
            own.grade,
            own.reason,
            own.client_uuid,
            own.received_at.label("rated_at"),
            JudgmentNote.text.label("note"),
            flags.label("flags"),
        )
        .select_from(AssignmentCandidate)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .join(Document, Document.id == Candidate.document_id)
        .outerjoin(now, is_now)
        .outerjoin(own, in_ledger(now, own))
        .outerjoin(JudgmentNote, is_noted)
        .where(AssignmentCandidate.assignment_id == bindparam("assignment"))
        .order_by(AssignmentCandidate.place)
    )


def shown_columns() -> tuple[Any, ...]:
    """Return the columns that an answer is shown from."""
    return Document.title, Document.text, Document.url, Document.source, Document.extra


def shown_of(row: Row[*tuple[object, ...]], fields: AnswerFields) -> dict[str, Any]:
    """Return what a row says of an answer: of the columns that are kept, those that an owner has chosen."""
    facts = row._asdict()
    extra = facts.pop("extra")
    return {**facts, **fields.shown(extra, facts["title"], facts["url"]), **written_as(extra)}


def _card(
    row: Row[*tuple[object, ...]], fields: AnswerFields, pictures: dict[str, ShownPicture]
) -> RatedAnswer:
    facts = shown_of(row, fields)
    uuid, note, flags, reason = (facts.pop(name) for name in ("client_uuid", "note", "flags", "reason"))
    return RatedAnswer(
        letter=LETTERS[facts["place"] - 1],
        last_id=UUID(bytes=bytes(uuid)) if uuid else None,
        note=note or "",
        flagged=bool(flags),
        picture=pictures.get(facts["public_id"]),
        reason=None if reason in {None, Reason.CLEARED} else reason.name.lower(),
        **facts,
    )


@Prepared
def _around() -> Select[*tuple[Any, ...]]:
    # Of a batch: its question, the person's flags on it, and its number among their own.
    flags = select(func.count()).where(
        Flag.query_id == bindparam("query"),
        Flag.person_id == PERSON,
        Flag.candidate_id.is_(None),
        Flag.state == "open",
    )
    # Different questions, up to the first batch of this one: one that comes again keeps its number.
    own = (Assignment.person_id == PERSON, Assignment.project_id == bindparam("project"))
    here = select(func.min(Assignment.id)).where(*own, Assignment.query_id == bindparam("query"))
    first = here.correlate(None).scalar_subquery()
    ordinal = select(func.count(Assignment.query_id.distinct())).where(*own, Assignment.id <= first)
    declined = select(func.max(Assignment.declined)).where(*own, Assignment.query_id == bindparam("query"))
    here_too = exists().where(
        AssignmentCandidate.assignment_id == bindparam("assignment"),
        AssignmentCandidate.candidate_id == CurrentJudgment.candidate_id,
    )
    better = (
        select(func.count())
        .select_from(CurrentJudgment)
        .join(Candidate, Candidate.id == CurrentJudgment.candidate_id)
        .where(
            CurrentJudgment.annotator_id == PERSON,
            CurrentJudgment.kind != Origin.ADJUDICATION,
            CurrentJudgment.grade > Project.scale_low,
            Candidate.query_id == Query.id,
            ~here_too.correlate(CurrentJudgment),
        )
        .correlate(Query, Project)
    )
    return (
        select(
            Query.text,
            Query.intent,
            Query.retired_revision,
            Project.options,
            better.scalar_subquery().label("better"),
            flags.scalar_subquery().label("flags"),
            declined.correlate(None).scalar_subquery().label("declined"),
            ordinal.scalar_subquery().label("ordinal"),
        )
        .join(Project, Project.id == Query.project_id)
        .where(Query.id == bindparam("query"))
    )


def _stays_declined(session: Session, assignment: Assignment, left: int) -> bool:
    """Return whether a declined question is so still, or would be with a batch’s `left` answers rated."""
    query, person = assignment.query_id, assignment.person_id
    if left:
        unrated = unrated_of_query(query, person).with_only_columns(func.count())
        return (session.scalar(unrated) or 0) > left
    own = (Assignment.query_id == query, Assignment.person_id == person)
    return session.scalar(select(Assignment.id).where(*own, passes_on_query()).limit(1)) is not None


def preview_page(session: Session, project_id: int) -> BatchPage | None:
    """Return a page like an annotator's first one, for an owner to look at; nothing of it is leased.

    The answers come in the order of their random ids.
    """
    query = session.scalar(
        select(Query)
        .join(Candidate, Candidate.query_id == Query.id)
        .join(Document, Document.id == Candidate.document_id)
        .where(
            Query.project_id == project_id,
            Query.retired_revision.is_(None),
            Candidate.in_pool,
            Document.content_hash.is_not(None),
        )
        .order_by(Query.id)
        .limit(1)
    )
    if query is None:
        return None
    shown = (
        select(Candidate.public_id, *shown_columns())
        .join(Document, Document.id == Candidate.document_id)
        .where(Candidate.query_id == query.id, Candidate.in_pool, Document.content_hash.is_not(None))
        .order_by(Candidate.public_id)
        .limit(len(LETTERS))
    )
    project, rows = session.get_one(Project, project_id), session.execute(shown).all()
    fields = AnswerFields.of(project.options)
    pictures = shown_pictures(session, project_id, fields, {row.public_id: row.extra for row in rows})
    answers = tuple(
        RatedAnswer(
            place=place,
            letter=LETTERS[place - 1],
            picture=pictures.get(row.public_id),
            **shown_of(row, fields),
        )
        for place, row in enumerate(rows, start=1)
    )
    return BatchPage(
        batch=0,
        state="open",
        declined=None,
        stays_declined=False,
        query=query.text,
        intent=query.intent,
        flagged=False,
        ordinal=1,
        answers=answers,
        wording=wording_of(query.text, query.intent, None),
    )


MINUTE = 60_000
# So long without a rating is a break.
BREAK = timedelta(minutes=10)
MOST_RATINGS = 600
HINT_AFTER = 45
# The hint goes away by itself after some minutes: it is said once per stretch, not on every page.
HINT_FOR = 4


def break_hint(session: Session, project_id: int, person_id: int, now: datetime) -> int | None:
    """Return the active minutes since the last break, for a soft hint to rest, or None while none is due."""
    values = {"project": project_id, "person": person_id}
    # As a rule no hint is due, and the times need not be read one by one.
    if _last_active.row(session, values).ms < HINT_AFTER * MINUTE:
        return None
    spent, later = 0, now
    for at, active_ms in _last_times.rows(session, values):
        if later - at > BREAK:
            break
        spent, later = spent + active_ms, at
    minutes = spent // MINUTE
    return minutes if minutes >= HINT_AFTER and minutes % HINT_AFTER < HINT_FOR else None


@Prepared
def _last_active() -> Select[int]:
    return select(func.coalesce(func.sum(_last_times.build().subquery().c.active_ms), 0).label("ms"))


@Prepared
def _last_times() -> Select[datetime, int]:
    return (
        select(Judgment.received_at, Judgment.active_ms)
        .where(Judgment.project_id == bindparam("project"), Judgment.annotator_id == PERSON)
        .order_by(Judgment.revision.desc())
        .limit(MOST_RATINGS)
    )


def has_rated(session: Session, project_id: int, person_id: int) -> bool:
    """Return whether a person has ever rated in a project."""
    return _any_of_mine.row(session, {"project": project_id, "person": person_id}) is not None


@Prepared
def _any_of_mine() -> Select[int]:
    mine = Judgment.annotator_id == PERSON, Judgment.project_id == bindparam("project")
    return select(Judgment.revision).where(*mine).limit(1)
