"""Which checks of an annotator are due: gold answers, and answers that they rated long ago."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from sqlalchemy import Integer, Select, and_, bindparam, func, select
from sqlalchemy.orm import Session

from app.models.assignment import Assignment, AssignmentCandidate
from app.models.candidate import Candidate
from app.models.document import Document
from app.models.gold import Gold
from app.models.judgment import Disclosure, Flag, JudgmentNote, Origin
from app.models.person import Membership, Person, Role
from app.models.project import Project
from app.models.query import Query
from app.scoring.arrays import Ints
from app.scoring.seeds import hash_words, seed_of
from app.sentences import message
from app.services.assignment.eligibility import Eligibility, PersonRatings
from app.services.assignment.wanted import BatchRequest, is_check, is_leased
from app.services.collection.files import refuse_archived
from app.services.current_judgments import COUNTED, RATING
from app.services.errors import InvalidError, NotFoundError
from app.services.evidence.state import Evidence
from app.services.prepared import Prepared
from app.services.projects.assignment_settings import quality_of

# The owners who have to agree, if the project has as many.
AGREED_BY = 2


@dataclass(frozen=True)
class GoldAnswer:
    """An answer that somebody called gold: what each owner said, and the grade in force, if there is one."""

    candidate_id: int
    query_id: int
    query: str
    title: str
    declared: tuple[tuple[str, int], ...]
    grade: int | None


def declare_gold(
    session: Session, project: Project, public_id: str, grade: int | None, *, actor_id: int
) -> int:
    """Let an owner say which grade an answer has beyond doubt, and return its query.

    None takes back what they said.

    :raise NotFoundError: There is no such answer in this project.
    :raise InvalidError: It is neither the lowest nor the highest grade: a middle one is met too often by
        chance.
    :raise ConflictError: The project is archived.
    """
    refuse_archived(project)
    candidate = session.scalar(
        select(Candidate).where(Candidate.project_id == project.id, Candidate.public_id == public_id)
    )
    if candidate is None:
        raise NotFoundError("There is no such answer in this project.")
    if grade is not None and grade not in {project.scale_low, project.scale_high}:
        raise InvalidError(
            message(
                "A gold answer has the grade %(low)s or %(high)s, not %(grade)s: "
                "people would often get one between them right by luck.",
                low=project.scale_low,
                high=project.scale_high,
                grade=grade,
            ),
            code="gold_grade",
        )
    declared = session.get(Gold, (candidate.id, actor_id))
    if declared is not None and grade is None:
        session.delete(declared)
    elif declared is not None and grade is not None:
        declared.grade = grade
    elif grade is not None:
        session.add(Gold(candidate_id=candidate.id, person_id=actor_id, project_id=project.id, grade=grade))
    session.flush()
    return candidate.query_id


def gold_of(session: Session, project_id: int) -> dict[int, int]:
    """Return the gold answers in force: candidate -> grade.

    Two owners agree on each; one is enough in a project that has only one.
    """
    (owners,) = _owners.scalars(session, {"project": project_id})
    least = min(AGREED_BY, max(1, owners))
    return dict(_gold.rows(session, {"project": project_id, "least": least}))


@Prepared
def _gold() -> Select[int, int]:
    return (
        select(Gold.candidate_id, func.min(Gold.grade))
        .where(Gold.project_id == bindparam("project"))
        .group_by(Gold.candidate_id)
        .having(
            func.count() >= bindparam("least", type_=Integer), func.min(Gold.grade) == func.max(Gold.grade)
        )
        .order_by(Gold.candidate_id)
    )


def gold_answers(session: Session, project_id: int) -> list[GoldAnswer]:
    """Return the answers that owners called gold, question by question."""
    in_force = gold_of(session, project_id)
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    rows = session.execute(
        select(Gold.candidate_id, Query.id, Query.text, shown, Person.name, Gold.grade)
        .join(Candidate, Candidate.id == Gold.candidate_id)
        .join(Query, Query.id == Candidate.query_id)
        .join(Document, Document.id == Candidate.document_id)
        .join(Person, Person.id == Gold.person_id)
        .where(Gold.project_id == project_id)
        .order_by(Query.id, Gold.candidate_id, Person.name)
    )
    found: dict[int, GoldAnswer] = {}
    for number, query_id, query, title, name, grade in rows:
        declared = (*found[number].declared, (name, grade)) if number in found else ((name, grade),)
        found[number] = GoldAnswer(number, query_id, query, title or "", declared, in_force.get(number))
    return list(found.values())


@dataclass(frozen=True)
class GoldChoice:
    """An answer of a question, and the grade that one owner called beyond doubt, if they did."""

    public_id: str
    title: str
    declared: int | None


def gold_choices(session: Session, project_id: int, query_id: int, person_id: int) -> list[GoldChoice]:
    """Return the answers of a question that can be shown, by title, with what a person said about each."""
    shown = func.coalesce(func.nullif(Document.title, ""), func.substr(Document.text, 1, 70))
    rows = session.execute(
        select(Candidate.public_id, shown, Gold.grade)
        .join(Document, Document.id == Candidate.document_id)
        .outerjoin(Gold, and_(Gold.candidate_id == Candidate.id, Gold.person_id == person_id))
        .where(
            Candidate.project_id == project_id,
            Candidate.query_id == query_id,
            Document.content_hash.is_not(None),
            Document.retired_revision.is_(None),
        )
        .order_by(shown, Candidate.id)
    )
    return [GoldChoice(*row) for row in rows]


@Prepared
def _owners() -> Select[int]:
    return select(func.count()).where(
        Membership.project_id == bindparam("project"), Membership.role == Role.OWNER.value
    )


# An answer is asked again after this many others.
LATER = 50
# This many checks that found no batch of their question make a batch of their own.
OVERDUE = 3


@dataclass
class Checks:
    """The checks that are left to be given to one person, and how many of each kind are due.

    Attributes
    ----------
    waiting
        Kind -> its candidates, each with its query, in the order in which they are taken.
    due
        Kind -> how many.
    anchors
        For somebody who begins: a query and two gold answers of it, one of each end of the scale. They come
        before everything else, and are part of the share of gold.
    """

    waiting: dict[str, list[tuple[int, int]]]
    due: dict[str, int]
    anchors: tuple[int, tuple[int, int]] | None = None

    def take(self, query_id: int, most: int) -> dict[int, str]:
        """Return up to `most` checks that are due and belong to a query, and leave them out from now on."""
        taken: dict[int, str] = {}
        for kind, candidates in self.waiting.items():
            here = [one for one in candidates if one[1] == query_id and one[0] not in taken]
            chosen = here[: max(0, min(self.due[kind], most - len(taken)))]
            taken |= {candidate_id: kind for candidate_id, _ in chosen}
            self.due[kind] -= len(chosen)
            self.waiting[kind] = [one for one in candidates if one not in chosen]
        return taken

    def take_alone(self, most: int) -> tuple[int, dict[int, str]] | None:
        """Return a query and its checks that come in a batch of their own: anchors, or where many are due."""
        if self.anchors is not None:
            (query_id, both), self.anchors = self.anchors, None
            self.waiting["gold"] = [one for one in self.waiting["gold"] if one[0] not in both]
            return query_id, dict.fromkeys(both, "gold")
        late = [kind for kind, due in self.due.items() if due >= OVERDUE and self.waiting[kind]]
        if not late:
            return None
        query_ids = [query_id for kind in late for _, query_id in self.waiting[kind]]
        # The query with the most of them; of equals the one that is met first.
        query_id = max(dict.fromkeys(query_ids), key=query_ids.count)
        return query_id, self.take(query_id, most)


def checks_for(
    session: Session, evidence: Evidence, request: BatchRequest, eligibility: Eligibility, own: PersonRatings
) -> Checks:
    """Return the checks of a person that are due now."""
    project, person_id = request.project, request.person_id
    quality = quality_of(project)
    gold = gold_of(session, project.id) if quality.gold else {}
    if not gold and not quality.repeats:
        return Checks({}, {})
    held = _held(session, request)
    first = _first_graded(evidence, person_id)
    seed = seed_of("checks", project.shuffle_secret.hex(), person_id)
    given = {role: own.of(role).candidate_index for role in (Origin.GOLD, Origin.REPEAT)}
    answers = len(first) + len(given[Origin.GOLD])
    known = _gold_indexes(evidence, eligibility, list(gold))
    again = _repeat_indexes(eligibility, own, first) if quality.repeats else np.zeros(0, dtype=np.int64)
    again = np.setdiff1d(again, given[Origin.REPEAT])
    again = np.setdiff1d(
        again, evidence.structure.indexes_of(_said_more(session, project.id, person_id, held))
    )
    known_in_turn = _in_turn(evidence, known, seed)
    return Checks(
        {"gold": known_in_turn, "repeat": _in_turn(evidence, again, seed)},
        {
            "gold": _due(quality.gold, answers, len(given[Origin.GOLD]), held, "gold"),
            "repeat": _due(quality.repeats, answers, len(given[Origin.REPEAT]), held, "repeat"),
        },
        None if _has_begun(session, request) else _anchors(known_in_turn, gold),
    )


def _has_begun(session: Session, request: BatchRequest) -> bool:
    earlier = select(Assignment.id).where(
        Assignment.project_id == request.project.id, Assignment.person_id == request.person_id
    )
    return session.scalar(earlier.limit(1)) is not None


def _anchors(in_turn: list[tuple[int, int]], grade_of: dict[int, int]) -> tuple[int, tuple[int, int]] | None:
    """Return the first query with gold of both kinds, and one answer of each; gold has no other grades."""
    by_query: dict[int, dict[int, int]] = {}
    for candidate_id, query_id in in_turn:
        ends = by_query.setdefault(query_id, {})
        ends.setdefault(grade_of[candidate_id], candidate_id)
        if len(ends) > 1:
            high, low = (ends[grade] for grade in sorted(ends, reverse=True))
            return query_id, (high, low)
    return None


def _due(share: float, answers: int, given: int, held: dict[int, str], kind: str) -> int:
    return int(share * answers + 1e-9) - given - list(held.values()).count(kind)


def _held(session: Session, request: BatchRequest) -> dict[int, str]:
    """Return the candidates of the checks that a person has on lease, and their kinds."""
    rows = session.execute(
        select(AssignmentCandidate.candidate_id, AssignmentCandidate.arm)
        .join(Assignment, Assignment.id == AssignmentCandidate.assignment_id)
        .where(
            Assignment.project_id == request.project.id,
            Assignment.person_id == request.person_id,
            is_leased(Assignment, request.now),
            is_check(AssignmentCandidate),
        )
    )
    return {row.candidate_id: row.arm for row in rows}


def _first_graded(evidence: Evidence, person_id: int) -> Ints:
    """Return the revisions at which a person first graded each candidate, ascending."""
    ledger = evidence.ledger
    mine = (ledger.annotator == person_id) & (evidence.candidate_index >= 0) & np.isin(ledger.role, COUNTED)
    graded = np.flatnonzero(mine & (ledger.grade >= 0))
    _, first = np.unique(evidence.candidate_index[graded], return_index=True)
    return np.sort(ledger.revision[graded[first]])


def _gold_indexes(evidence: Evidence, eligibility: Eligibility, candidate_ids: list[int]) -> Ints:
    """Return the gold answers that a person may meet: new to them, and with all the ratings they want."""
    indexes = evidence.structure.indexes_of(np.array(candidate_ids, dtype=np.int64))
    indexes = indexes[indexes >= 0]
    usable = eligibility.shown & eligibility.allowed & ~eligibility.mine & ~eligibility.is_wanting
    return indexes[usable[indexes]]


def _repeat_indexes(eligibility: Eligibility, own: PersonRatings, first: Ints) -> Ints:
    """Return the answers that a person graded long enough ago, and that stand as they were."""
    last = own.of(RATING)
    later = len(first) - np.searchsorted(first, last.revision, side="right")
    again = last.candidate_index[(last.grade >= 0) & (later >= LATER)]
    return again[eligibility.shown[again] & eligibility.allowed[again]]


def _said_more(session: Session, project_id: int, person_id: int, held: dict[int, str]) -> Ints:
    """Return the candidates that are on lease, noted or flagged: a note would show that it is a repeat.

    And those of which the person knows what others gave: they would not be asked blindly.
    """
    noted = select(JudgmentNote.candidate_id).where(
        JudgmentNote.project_id == project_id, JudgmentNote.annotator_id == person_id
    )
    flagged = select(Flag.candidate_id).where(
        Flag.project_id == project_id, Flag.person_id == person_id, Flag.candidate_id.is_not(None)
    )
    told = select(Disclosure.candidate_id).where(
        Disclosure.project_id == project_id, Disclosure.person_id == person_id
    )
    left_out = (one for wanted in (noted, flagged, told) for one in session.scalars(wanted))
    return np.array([*held, *left_out], dtype=np.int64)


def _in_turn(evidence: Evidence, indexes: Ints, seed: int) -> list[tuple[int, int]]:
    """Return candidates and their queries in a random order of this person's own."""
    structure = evidence.structure
    candidates = structure.candidate_id[indexes]
    queries = structure.query_id[structure.query[indexes]]
    order = np.lexsort((candidates, hash_words(seed, candidates)))
    return list(zip(candidates[order].tolist(), queries[order].tolist(), strict=True))
