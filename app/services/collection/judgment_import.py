"""Import grades as judgments of their sources.

The sources are annotators who never sign in, members of their project. Documents and candidates are written
in chunks, then all judgments in one transaction.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.errors import visible
from app.formats.values import OFF_SCALE
from app.models.base import now_utc
from app.models.document import Document
from app.models.event import EventKind
from app.models.judgment import Origin, Reason
from app.models.person import Membership, Person, PersonKind, Role
from app.models.project import Project
from app.scoring.arrays import Flags, Ints
from app.sentences import Message, message
from app.services.accounts.memberships import give_role
from app.services.bulk import batches, each_of, lock_project
from app.services.collection.documents import document_steps, drop_staged, publish_documents
from app.services.collection.files import (
    UNKNOWN,
    ImportStep,
    numbers_of,
    numbers_of_queries,
    refuse_archived,
)
from app.services.collection.judgment_files import (
    CLEARED,
    NO_GRADE,
    NOT_JUDGED,
    UUID_BYTES,
    JudgmentColumns,
    JudgmentOptions,
    JudgmentsImported,
    Uuids,
    among,
    current_grades,
    grade_or_reason,
    log_contradictions,
    log_lines,
    stored_uuids,
    times_undone,
    uuid_of,
    uuids_of,
)
from app.services.collection.pool import candidate_steps, pairs_of, stored_candidates
from app.services.collection.run_import import refuse_if_removed
from app.services.errors import InvalidError
from app.services.ledger import append_judgments, head_of, record_event

# Few enough that what is compared of them at once takes little memory.
LINES_A_PART = 50_000
LEAST_SAME = 10
"""So many grades, all the same as another source's, may be that source's own."""


def find_source(
    session: Session, project_id: int, name: str, kind: PersonKind = PersonKind.IMPORTED
) -> Person | None:
    """Return the project's non-person annotator of this name, or None."""
    return session.scalars(
        select(Person)
        .join(Membership, Membership.person_id == Person.id)
        .where(Membership.project_id == project_id, Person.kind == kind.value, Person.name == name)
        .order_by(Person.id)
    ).first()


def kind_of_source(session: Session, project_id: int, name: str, wanted: str | None) -> PersonKind:
    """Return as what a file's annotator speaks; where nothing is wanted, as before, or for people.

    :raise InvalidError: The name has spoken as the other kind: ratings never change sides by an import.
    """
    sides = (PersonKind.IMPORTED, PersonKind.MACHINE)
    known = [kind for kind in sides if find_source(session, project_id, name, kind) is not None]
    if wanted is None:
        return known[0] if known else PersonKind.IMPORTED
    kind = PersonKind(wanted)
    if known and kind not in known:
        raise InvalidError(
            message(
                "Ratings under the name %(name)s came from %(before)s before: give this file's annotator "
                "another name, or say that %(before)s gave these too.",
                name=repr(name),
                before=message("a machine") if kind is PersonKind.IMPORTED else message("people"),
            ),
            code="annotator",
            field="annotator",
            value=name,
            remedy="Give the annotator another name, or change kind.",
        )
    return kind


def find_or_add_source(
    session: Session, project_id: int, name: str, kind: PersonKind = PersonKind.IMPORTED
) -> Person:
    """Return the project's non-person annotator of this name; a new one becomes a member.

    :raise InvalidError: The name cannot be one.
    """
    found = find_source(session, project_id, name, kind)
    if found is not None:
        return found
    if not name.strip() or len(name) > 200 or not name.isprintable():
        raise InvalidError(
            "An annotator's name has 1 to 200 characters on one line.",
            code="annotator",
            field="annotator",
            value=visible(name),
            remedy="Give a name of 1 to 200 characters.",
        )
    person = Person(kind=kind.value, name=name)
    session.add(person)
    session.flush()
    give_role(session, project_id, person.id, Role.ANNOTATOR)
    return person


@dataclass(frozen=True)
class JudgmentPlan:
    """Checked judgments in terms of the project.

    Attributes
    ----------
    query, document
        int32: the number of each query and document of the file, -1 where the project has none.
    kept
        int32: places of the lines that are not left out.
    kinds
        What each annotator of kept lines is.
    revision
        The project's revision when they were checked.
    """

    project_id: int
    found: JudgmentColumns
    options: JudgmentOptions
    query: Ints
    document: Ints
    kept: Ints
    kinds: dict[str, PersonKind]
    revision: int

    def unknown_documents(self) -> Ints:
        """Return the places of the documents that kept lines name and the project lacks."""
        used = np.zeros(len(self.document), dtype=np.bool_)
        used[self.found.document[self.kept]] = True
        return np.flatnonzero(used & (self.document == UNKNOWN)).astype(np.int32)

    def names(self) -> list[str]:
        """Return whose judgments are kept."""
        return [self.found.annotators[at] for at in np.unique(self.found.annotator[self.kept])]


class Pending(NamedTuple):
    """The lines to append, and for each the numbers of its candidate and annotator and its id of 16 bytes."""

    lines: Ints
    candidate: Ints
    annotator: Ints
    uuids: bytearray
    replaced: int
    declined: int
    outside_pool: int

    def result(self, plan: JudgmentPlan) -> JudgmentsImported:
        """Return the counts of an import that appends these."""
        found = plan.found
        return JudgmentsImported(
            added=len(self.lines) - self.replaced,
            replaced=self.replaced,
            declined=self.declined,
            unchanged=len(plan.kept) - len(self.lines),
            skipped_lines=found.unknown_lines + len(found) - len(plan.kept),
            negative_lines=found.negative_lines,
            mapped_lines=found.mapped_lines,
            unrated_lines=found.unrated_lines,
            repeated=found.repeated,
            new_documents=len(plan.unknown_documents()),
            outside_pool=self.outside_pool,
            annotators=tuple(plan.names()),
            columns_left_out=found.problems.columns_left_out,
            hints=tuple(found.problems.hints),
        )


def plan_judgments(
    session: Session, project: Project, found: JudgmentColumns, options: JudgmentOptions
) -> JudgmentPlan:
    """Return what importing these judgments will do; nothing is written.

    Unknown ids and grades off the scale go to the log of the file: `find_pending` refuses them together with
    what contradicts earlier judgments.

    :raise InvalidError: An annotator's name is known as of the other kind.
    """
    refuse_archived(project)
    query = numbers_of_queries(session, project.id, found.query_ids)
    document = numbers_of(session, Document, project.id, found.document_ids)
    known = (query != UNKNOWN)[found.query]
    log_lines(session, project, found, options, known=known, document=document)
    kept = np.flatnonzero(known).astype(np.int32)
    names = [found.annotators[at] for at in np.unique(found.annotator[kept])]
    try:
        kinds = {name: kind_of_source(session, project.id, name, options.kind) for name in names}
    except InvalidError:
        found.problems.raise_if_any()
        raise
    head = head_of(session, project.id)
    return JudgmentPlan(project.id, found, options, query, document, kept, kinds, head)


def find_pending(session: Session, plan: JudgmentPlan, document: Ints) -> Pending:
    """Return the judgments that are not there yet, as the session sees the project.

    Parameters
    ----------
    document
        int32: the number of every document of the file, -1 for those that are still to be added.

    :raise FormatError: Lines are wrong, or contradict what the same annotator's present judgments say and may
        not replace them; all of it is reported.
    """
    found = plan.found
    numbers = _annotator_numbers(session, plan)
    known = numbers[numbers != UNKNOWN].tolist()
    others = OtherSources(session, plan)
    stored = stored_candidates(session, plan.project_id)
    current = current_grades(session, plan.project_id, known)
    present = stored_uuids(session, plan.project_id, known)
    undone, undone_at_all = times_undone(session, plan.project_id, found.file_hash)
    columns, uuids = tuple(array("i") for _ in range(3)), bytearray()
    replaced = declined = outside_pool = 0
    # Numbers of a scale that is not mapped yet contradict nothing.
    off_scale = [one.value for one in found.problems.problems if one.code == OFF_SCALE]
    contradicts = not plan.options.replace and not any(value.isdigit() for value in off_scale)
    for lines in batches(plan.kept, LINES_A_PART):
        place = stored.find(pairs_of(plan.query[found.query[lines]], document[found.document[lines]]))
        candidate, pooled = stored.at(place)
        annotator = numbers[found.annotator[lines]]
        before = current.at(pairs_of(annotator, candidate))
        now = grade_or_reason(found.grade[lines], found.reason[lines])
        news = np.flatnonzero(before != now)
        own = _uuids_of_lines(found, lines[news], undone)
        is_fresh = ~among(present, own)
        # Another file replaced these, and its import was undone: this file gives them back.
        if (cleared := ~is_fresh & (before[news] == CLEARED)).any():
            own = own.copy()
            own[cleared] = _uuids_of_lines(found, lines[news[cleared]], undone_at_all + 1)
            is_fresh = ~among(present, own)
        news = news[is_fresh]
        others.compare(lines[news], annotator[news], candidate[news], now[news])
        if contradicts:
            log_contradictions(found, lines[news], before[news])
        for column, values in zip(columns, (lines, candidate, annotator), strict=True):
            column.frombytes(values[news].astype(np.intc).tobytes())
        uuids += own[is_fresh].tobytes()
        is_new = (before[news] == NOT_JUDGED) | (before[news] == CLEARED)
        replaced += int(np.count_nonzero(~is_new))
        declined += int(np.count_nonzero(is_new & (now[news] < 0)))
        outside_pool += int(np.count_nonzero(~pooled[news]))
    found.problems.raise_if_any()
    if hint := others.hint():
        found.problems.hint(hint)
    kept, candidates, annotators = (np.frombuffer(column, np.intc) for column in columns)
    return Pending(kept, candidates, annotators, uuids, replaced, declined, outside_pool)


class OtherSources:
    """Tells whether a file repeats another source's ratings, or rates the same answers."""

    def __init__(self, session: Session, plan: JudgmentPlan) -> None:
        people = session.execute(
            select(Person.id, Person.name)
            .join(Membership, Membership.person_id == Person.id)
            .where(Membership.project_id == plan.project_id, Person.kind == PersonKind.IMPORTED.value)
        )
        self.names = {row.id: row.name for row in people}
        self._said = current_grades(session, plan.project_id, [*self.names])
        # A machine's ratings stand beside those of people, and count only once they are allowed.
        are_people = [plan.kinds.get(name) is PersonKind.IMPORTED for name in plan.found.annotators]
        self._annotator, self._are_people = plan.found.annotator, np.array(are_people, dtype=np.bool_)
        # By annotator: answers that both rated, and those of them with the same grade.
        self._both, self._same = Counter[int](), Counter[int]()

    def compare(self, lines: Ints, annotator: Ints, candidate: Ints, now: Ints) -> None:
        """Count how others rated the candidates of new lines, which say `now` about them."""
        is_rating = self._are_people[self._annotator[lines]] & (now >= 0)
        for number in self.names:
            theirs = self._said.at(pairs_of(np.full(len(candidate), number), candidate))
            both = is_rating & (annotator != number) & (theirs >= 0)
            self._both[number] += int(np.count_nonzero(both))
            self._same[number] += int(np.count_nonzero(both & (theirs == now)))

    def hint(self) -> Message | None:
        """Return what the file's owner should know about the other annotator with the most answers in common.

        First of all about one who agrees in all of them.
        """
        alike = [one for one, both in self._both.items() if LEAST_SAME <= both == self._same[one]]
        common = alike or [one for one, both in self._both.items() if both]
        if not common:
            return None
        one = max(common, key=self._both.__getitem__)
        if not alike:
            return message(
                "“%(name)s” has already rated %(n)s of these answers. Both ratings count.",
                n=f"{self._both[one]:,}",
                name=visible(self.names[one]),
            )
        return message(
            "%(n)s of these ratings are the same as those of “%(name)s”. If the same people gave them, "
            "they count twice.",
            n=f"{self._both[one]:,}",
            name=visible(self.names[one]),
        )


def _annotator_numbers(session: Session, plan: JudgmentPlan) -> Ints:
    """Return the number of each annotator of the file: int64, -1 for new ones and those of no kept line."""
    people = [
        find_source(session, plan.project_id, name, plan.kinds[name]) if name in plan.kinds else None
        for name in plan.found.annotators
    ]
    return np.array([UNKNOWN if person is None else person.id for person in people], dtype=np.int64)


def _uuids_of_lines(found: JudgmentColumns, lines: Ints, undone: int) -> Uuids:
    return uuids_of(
        b"".join(uuid_of(found.file_hash, found.line_name(line), undone) for line in lines.tolist())
    )


@dataclass
class JudgmentImport:
    """The writing of planned judgments.

    Attributes
    ----------
    result
        What will be done; after the last step what was done.
    """

    plan: JudgmentPlan
    result: JudgmentsImported
    actor_id: int | None = None
    document: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.document = self.plan.document.copy()

    @property
    def total(self) -> int:
        """How many rows the steps write at most."""
        return self.result.new_documents + 2 * (self.result.added + self.result.replaced)

    def steps(self) -> Iterator[ImportStep]:
        """Yield the steps, each for a transaction of its own; only the last appends judgments.

        A step must be written before the next one is asked for: later ones build on what it found.
        """
        if not self.total:
            return
        plan, found, kept = self.plan, self.plan.found, self.plan.kept
        yield from document_steps(found.document_ids, plan.unknown_documents(), self.document)
        pairs = self._pairs(known=plan.document[found.document[kept]] != UNKNOWN)
        yield from candidate_steps(plan.project_id, pairs)
        yield ImportStep(self.result.added + self.result.replaced, self._record, publishes=True)

    def clean(self) -> Iterator[ImportStep]:
        """Yield the steps that remove documents that were not published."""
        return drop_staged(self._new_documents())

    def _new_documents(self) -> Ints:
        numbers = self.document[self.plan.unknown_documents()]
        return np.asarray(numbers[numbers != UNKNOWN])

    def _pairs(self, known: Flags) -> Ints:
        """Return the queries with their documents of some kept lines, each once."""
        plan, kept = self.plan, self.plan.kept[known]
        return np.unique(
            pairs_of(plan.query[plan.found.query[kept]], self.document[plan.found.document[kept]])
        )

    def _record(self, session: Session) -> None:
        plan = self.plan
        project = lock_project(session, plan.project_id)
        refuse_if_removed(session, project, plan.revision)
        new = self._new_documents()
        if len(new):
            publish_documents(session, project.id, new)
            pairs = self._pairs(known=plan.document[plan.found.document[plan.kept]] == UNKNOWN)
            for step in candidate_steps(project.id, pairs):
                step.write(session)
        people = [find_or_add_source(session, project.id, name, plan.kinds[name]).id for name in plan.names()]
        pending = find_pending(session, plan, self.document)
        self.result = replace(pending.result(plan), new_documents=self.result.new_documents)
        if not len(pending.lines):
            return
        append_judgments(session, project.id, _rows(plan, pending), len(pending.lines))
        payload = {
            "annotator_ids": people,
            "count": len(pending.lines),
            "file": plan.found.file,
            "file_hash": plan.found.file_hash.hex(),
        }
        event = record_event(
            session, project.id, EventKind.JUDGMENTS_IMPORTED, payload, actor_id=self.actor_id
        )
        self.result = replace(self.result, revision=event.revision)


def _rows(plan: JudgmentPlan, pending: Pending) -> Iterator[dict[str, Any]]:
    found, now = plan.found, now_utc()
    machines = [plan.kinds.get(name) is PersonKind.MACHINE for name in found.annotators]
    for at, (line, candidate, annotator) in enumerate(
        each_of(pending.lines, pending.candidate, pending.annotator)
    ):
        grade, reason = int(found.grade[line]), int(found.reason[line])
        yield {
            "candidate_id": candidate,
            "annotator_id": annotator,
            "grade": None if grade == NO_GRADE else grade,
            "reason": Reason(reason) if reason else None,
            "client_uuid": bytes(pending.uuids[at * UUID_BYTES : (at + 1) * UUID_BYTES]),
            "judged_at": found.time(line, now),
            "received_at": now,
            "role": Origin.MACHINE if machines[found.annotator[line]] else Origin.PLANNED,
        }


def prepare_judgments(
    session: Session,
    project: Project,
    found: JudgmentColumns,
    options: JudgmentOptions,
    *,
    actor_id: int | None = None,
) -> JudgmentImport:
    """Return an import whose file was compared with the project; nothing is written.

    :raise FormatError: Ids are unknown, grades are off the scale, or they contradict earlier ones; all of it
        is reported.
    """
    plan = plan_judgments(session, project, found, options)
    pending = find_pending(session, plan, plan.document)
    return JudgmentImport(plan, pending.result(plan), actor_id)
