"""How far an annotator is in a project: their own doing, and what is left for them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

import numpy as np
from sqlalchemy import ColumnElement, func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.judgment import CurrentJudgment, Flag, Judgment, Origin
from app.models.person import Membership, Person, PersonKind, Role
from app.models.project import Project
from app.scoring.speed import LEAST_TIMED
from app.services.assignment.eligibility import open_work_for
from app.services.assignment.query_assignments import left_of_target
from app.services.assignment.wanted import BatchRequest, is_leased
from app.services.current_judgments import in_ledger, is_settled_by, kind_in_batch, settles
from app.services.evidence.state import Evidence

# An estimate of minutes needs this many rated questions behind it.
QUESTIONS_FOR_ESTIMATE = 5
# The pace is that of the newest ones.
NEWEST = 100


@dataclass(frozen=True, kw_only=True)
class AnnotatorProgress:
    """One person's progress in one project.

    Attributes
    ----------
    queries_left, waiting
        Questions and answers that are left for this person; those they have begun are among them.
    share
        How many of the waiting answers are about this person's own share, where others rate here as well:
        those they have begun, and what is left for all, divided by all.
    is_to_target
        Whether fewer of them are counted than are open, since this person's target is reached then.
    first
        How many of the waiting answers have no rating and are on nobody else's page: for owners only, since
        to a blind annotator it would tell checks and second ratings from first ones.
    queries_rated, done, passed
        Questions with at least one own rating; answers rated or passed on, as today's number counts them;
        and those of them that were passed on.
    parked
        Batches left for later.
    begun
        The oldest open batch with something left, or None.
    at_hand
        The batch to go on with where nothing new is assigned: the begun one, or the first left for later.
    flags
        Answers and questions that they have flagged.
    minutes
        How long the own share will take at their own pace; None before five rated questions, or where few of
        the newest answers were rated one by one, with a measured time.
    """

    queries_left: int
    waiting: int
    share: int
    is_to_target: bool
    first: int
    queries_rated: int
    done: int
    passed: int
    parked: int
    begun: int | None
    at_hand: int | None
    flags: int
    minutes: int | None


def progress_of(
    session: Session,
    project_id: int,
    person_id: int,
    *,
    evidence: Evidence,
    now: datetime | None = None,
    decides: bool = False,
) -> AnnotatorProgress:
    """Return how far a person is in a project.

    Parameters
    ----------
    evidence
        What is left is counted on it.
    decides
        As in `open_work_for`.

    :raise sqlalchemy.exc.NoResultFound: There is no such project.
    """
    now = now or now_utc()
    project = session.get_one(Project, project_id)
    held = _held(session, project_id, person_id, now)
    open_work = open_work_for(session, evidence, BatchRequest(project, person_id, now), decides=decides)
    done, passed, questions = _own_counts(session, project_id, person_id)
    most = left_of_target(session, project, person_id)
    to_come = open_work.answers if most is None else min(open_work.answers, max(most - len(held), 0))
    waiting = to_come + len(held)
    held_at = evidence.structure.indexes_of(np.array([one.candidate_id for one in held], dtype=np.int64))
    begun = min((one.batch for one in held if not one.is_parked), default=None)
    pace = _pace(session, evidence, person_id) if questions >= QUESTIONS_FOR_ESTIMATE else None
    share = len(held) + _share_of(session, project, to_come)
    return AnnotatorProgress(
        queries_left=len({*open_work.query_id.tolist(), *(one.query_id for one in held)}),
        waiting=waiting,
        share=share,
        is_to_target=to_come < open_work.answers,
        first=min(open_work.first, to_come) + int(open_work.untaken[held_at[held_at >= 0]].sum()),
        queries_rated=questions,
        done=done,
        passed=passed,
        parked=len({one.batch for one in held if one.is_parked}),
        begun=begun,
        at_hand=begun or min((one.batch for one in held), default=None),
        flags=_open_flags(session, project_id, person_id),
        minutes=None if pace is None else -(-round(pace * share) // 60_000),
    )


def _share_of(session: Session, project: Project, answers: int) -> int:
    """Return one annotator's share of answers that are left for all: each is wanted from some of them."""
    annotators = session.scalar(
        select(func.count())
        .select_from(Membership)
        .join(Person, Person.id == Membership.person_id)
        .where(
            Membership.project_id == project.id,
            Membership.role == Role.ANNOTATOR,
            Person.kind == PersonKind.PERSON.value,
        )
    )
    people = max(1, annotators or 0)
    return -(-answers * min(project.overlap, people) // people)


class _Held(NamedTuple):
    query_id: int
    batch: int
    is_parked: bool
    candidate_id: int


def _held(session: Session, project_id: int, person_id: int, now: datetime) -> list[_Held]:
    """Return the unsettled answers on lease."""
    rows = session.execute(
        select(Assignment.query_id, Assignment.batch, Assignment.state, Candidate.id)
        .join(AssignmentCandidate, AssignmentCandidate.assignment_id == Assignment.id)
        .join(Candidate, Candidate.id == AssignmentCandidate.candidate_id)
        .where(
            Assignment.project_id == project_id,
            Assignment.person_id == person_id,
            is_leased(Assignment, now),
            ~is_settled_by(person_id, kind_in_batch(AssignmentCandidate.arm)),
        )
    )
    return [_Held(query, batch, state == "parked", candidate) for query, batch, state, candidate in rows]


def _own_counts(session: Session, project_id: int, person_id: int) -> tuple[int, int, int]:
    own = CurrentJudgment
    rated, passed, questions = session.execute(
        select(
            func.count(),
            func.count(own.reason),
            func.count(Candidate.query_id.distinct()),
        )
        .join(Candidate, Candidate.id == own.candidate_id)
        .where(*_settled_by(project_id, person_id))
    ).one()
    return rated, passed, questions


def _settled_by(project_id: int, person_id: int) -> list[ColumnElement[bool]]:
    """Return what makes a current judgment one of a person's answers that are done.

    Checks are counted as well: to annotators they are answers like any other.
    """
    own = CurrentJudgment
    return [
        own.project_id == project_id,
        own.annotator_id == person_id,
        settles(own),
        own.kind != Origin.ADJUDICATION,
    ]


def _pace(session: Session, evidence: Evidence, person_id: int) -> float | None:
    """Return the mean active time of the newest answers that were rated one by one, in ms.

    A mean, since the page beside it says the sum. None where most of them were rated in one step or without
    a measured time: by that sum, an answer takes far less.
    """
    own = CurrentJudgment
    newest = (
        select(own.revision, Judgment.active_ms)
        .join(Judgment, in_ledger(own))
        .where(*_settled_by(evidence.project_id, person_id), own.revision <= evidence.revision)
        .order_by(own.revision.desc())
        .limit(NEWEST)
    )
    rows = np.array([tuple(row) for row in session.execute(newest)], dtype=np.int64).reshape(-1, 2)
    times = rows[~evidence.in_steps(rows[:, 0]) & (rows[:, 1] > 0), 1]
    return float(times.mean()) if len(times) >= max(LEAST_TIMED, len(rows) / 2) else None


def _open_flags(session: Session, project_id: int, person_id: int) -> int:
    wanted = select(func.count()).where(
        Flag.project_id == project_id, Flag.person_id == person_id, Flag.state == "open"
    )
    return session.scalar(wanted) or 0
