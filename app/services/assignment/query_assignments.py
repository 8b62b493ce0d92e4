"""Certain questions for certain annotators: which ones, and up to how many answers.

Annotators without such a choice get any question. It narrows what is assigned from then on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.candidate import Candidate
from app.models.event import EventKind
from app.models.person import Membership, Role
from app.models.project import Project
from app.models.query import Query
from app.sentences import message
from app.services.accounts.audit import record
from app.services.assignment.wanted import is_check
from app.services.bulk import lock_project
from app.services.current_judgments import is_settled_by
from app.services.errors import InvalidError, NotFoundError
from app.services.ledger import record_event

OPTION = "query_assignments"
MOST = 1_000_000


@dataclass(frozen=True)
class QueryAssignment:
    """What one annotator is given: questions with one of the tags, and those named; all if neither is given.

    Attributes
    ----------
    queries
        Numbers of questions.
    target
        The number of answers after which nothing more is assigned; None for no limit.
    """

    tags: tuple[str, ...] = ()
    queries: tuple[int, ...] = ()
    target: int | None = None


def query_assignments_of(project: Project) -> dict[int, QueryAssignment]:
    """Return which queries go to whom in a project, by the annotator's number."""
    stored: dict[str, dict[str, Any]] = project.options.get(OPTION, {})
    return {
        int(number): QueryAssignment(tuple(one["tags"]), tuple(one["queries"]), one["target"])
        for number, one in stored.items()
    }


def assign_queries(
    session: Session,
    project: Project,
    person_id: int,
    *,
    tags: Iterable[str] = (),
    queries: Iterable[str] = (),
    target: int | None = None,
    actor_id: int | None = None,
) -> QueryAssignment:
    """Give an annotator certain questions, in place of what they were given before.

    :raise NotFoundError: No annotator in this project has this number.
    :raise InvalidError: A tag or a question is unknown, or the target is no number of answers; the sentence
        names it.
    """
    _check_person(session, project, person_id)
    wanted = QueryAssignment(
        tags=_known_tags(session, project, tags),
        queries=_known_queries(session, project, queries),
        target=target,
    )
    if target is not None and not 1 <= target <= MOST:
        raise InvalidError(
            message("A target of %(target)s answers is not possible: give 1 or more.", target=target),
            code="target",
        )
    if wanted == QueryAssignment():
        raise InvalidError("Give tags, questions or a target.", code="tags")
    stored = {"tags": list(wanted.tags), "queries": list(wanted.queries), "target": target}
    _store(session, project, person_id, stored, actor_id)
    return wanted


def clear_query_assignment(
    session: Session, project: Project, person_id: int, *, actor_id: int | None = None
) -> None:
    """Let an annotator get any question again.

    :raise NotFoundError: They get any question already.
    """
    if person_id not in query_assignments_of(project):
        raise NotFoundError("This annotator already gets all questions.")
    _store(session, project, person_id, None, actor_id)


def settled_of(session: Session, person_id: int, query_ids: Iterable[int]) -> int:
    """Return how many answers of some questions a person has rated or passed on."""
    settled = (
        select(func.count())
        .select_from(Candidate)
        .where(Candidate.query_id.in_(list(query_ids)), is_settled_by(person_id))
    )
    return session.scalar(settled) or 0


def queries_for(session: Session, project: Project, person_id: int) -> set[int] | None:
    """Return the questions that may be given to a person; None for any.

    None are once the target is reached, or will be when what they have open is done.
    """
    given = query_assignments_of(project).get(person_id)
    if given is None:
        return None
    found = queries_of(session, project, given)
    if given.target is None:
        return found
    left = given.target - settled_of(session, person_id, found)
    return found if left > 0 and left > _open_of(session, person_id, found) else set()


def left_of_target(session: Session, project: Project, person_id: int) -> int | None:
    """Return how many answers a person rates until the target is reached; None without one."""
    given = query_assignments_of(project).get(person_id)
    if given is None or given.target is None:
        return None
    settled = settled_of(session, person_id, queries_of(session, project, given))
    return max(given.target - settled, 0)


def _open_of(session: Session, person_id: int, query_ids: Iterable[int]) -> int:
    """Return how many answers of some questions a person has still to do on pages not left for later."""
    wanted = (
        select(func.count())
        .select_from(Candidate)
        .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .where(
            Assignment.person_id == person_id,
            Assignment.query_id.in_(list(query_ids)),
            Assignment.state == "open",
            Assignment.lease_end > now_utc(),
            ~is_check(AssignmentCandidate),
            ~is_settled_by(person_id),
        )
    )
    return session.scalar(wanted) or 0


def queries_of(session: Session, project: Project, given: QueryAssignment) -> set[int]:
    """Return the questions that somebody is given, whether its target is reached or not."""
    rows = session.execute(select(Query.id, Query.tags).where(Query.project_id == project.id))
    if not given.tags and not given.queries:
        return {number for number, _ in rows}
    named, tags = set(given.queries), set(given.tags)
    return {number for number, own in rows if number in named or tags.intersection(own or ())}


def _check_person(session: Session, project: Project, person_id: int) -> None:
    membership = session.get(Membership, (person_id, project.id))
    if membership is None or membership.role not in {Role.OWNER.value, Role.ANNOTATOR.value}:
        raise NotFoundError("No annotator in this project has this number.")


def _known_tags(session: Session, project: Project, tags: Iterable[str]) -> tuple[str, ...]:
    wanted = tuple(dict.fromkeys(tags))
    known = {tag for own in _columns(session, project, Query.tags) for tag in own or ()}
    for tag in wanted:
        if tag not in known:
            raise InvalidError(
                message("No question has the tag %(tag)s: use a tag of this project.", tag=repr(tag)),
                code="tags",
            )
    return wanted


def _known_queries(session: Session, project: Project, names: Iterable[str]) -> tuple[int, ...]:
    wanted = tuple(dict.fromkeys(names))
    rows = session.execute(select(Query.external_id, Query.id).where(Query.project_id == project.id))
    known = {row[0]: row[1] for row in rows} if wanted else {}
    for name in wanted:
        if name not in known:
            raise InvalidError(
                message("There is no question %(name)s: use its id as imported.", name=repr(name)),
                code="queries",
            )
    return tuple(known[name] for name in wanted)


def _columns(session: Session, project: Project, column: Any) -> list[Any]:
    return list(session.scalars(select(column).where(Query.project_id == project.id)))


def _store(
    session: Session, project: Project, person_id: int, stored: dict[str, Any] | None, actor_id: int | None
) -> None:
    project = lock_project(session, project.id)
    others = {key: one for key, one in project.options.get(OPTION, {}).items() if key != str(person_id)}
    chosen = others if stored is None else {**others, str(person_id): stored}
    project.options = {**project.options, OPTION: chosen}
    payload = {
        "person_id": person_id,
        "queries": None if stored is None else len(stored["queries"]),
        "tags": None if stored is None else len(stored["tags"]),
        "target": None if stored is None else stored["target"],
    }
    record_event(session, project.id, EventKind.QUERIES_ASSIGNED, payload, actor_id=actor_id)
    record(
        session,
        AuditKind.SETTINGS_CHANGED,
        person_id=person_id,
        project_id=project.id,
        what=["who_rates_what"],
        queries=payload["queries"],
        tags=payload["tags"],
        target=payload["target"],
    )
