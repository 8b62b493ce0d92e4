"""What every annotator says about every answer, with when, where and how fast.

Scores need no times and places, so evidence does not hold them. Past rows never change: what was read once is
kept with the evidence, and only newer rows are read.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np
from sqlalchemy import BigInteger, Float, cast, extract, func, select
from sqlalchemy.orm import Session

from app.models.judgment import Judgment, Origin
from app.models.person import Membership, Person, PersonKind, Role
from app.scoring.arrays import Flags, Ints, compact
from app.scoring.speed import hasty_flags
from app.services.current_judgments import COUNTED
from app.services.errors import NotFoundError
from app.services.evidence.columns import CLEARED, DECLINED, REVISION, Column, read_judgments
from app.services.evidence.state import Evidence
from app.services.judging.own_ratings import given_at

KEPT = "annotators.sheet"
COLUMNS = (
    REVISION,
    Column(Judgment.place, np.int16, 15),
    Column(Judgment.batch, np.int32),
    Column(Judgment.active_ms, np.int32),
)
GIVEN_AT = given_at(Judgment)
SECOND = cast(extract("epoch", GIVEN_AT), BigInteger)
# A third of the time. Its milliseconds are rounded, so that no second is missed by a hair.
SECOND_OF_SQLITE = cast((func.julianday(GIVEN_AT, type_=Float) - 2_440_587.5) * 86_400 + 0.0005, BigInteger)


@dataclass(frozen=True)
class RatingMetadata:
    """One row for each row of the ledger; all arrays have shape (rows,).

    Attributes
    ----------
    place, batch
        integers: the place at which the answer was shown, in which batch; 0 for files.
    active_ms
        int32: the time that was really spent, 0 where none was taken.
    second
        int64: when it was given (see `given_at`), in seconds since 1970.
    """

    place: Ints
    batch: Ints
    active_ms: Ints
    second: Ints

    def __len__(self) -> int:
        return len(self.place)

    def until(self, rows: int) -> RatingMetadata:
        """Return the first rows."""
        return RatingMetadata(*(getattr(self, one.name)[:rows] for one in fields(self)))

    def extended(self, more: list[Ints]) -> RatingMetadata:
        """Return these rows followed by newer ones."""
        pairs = zip(fields(self), more, strict=True)
        return RatingMetadata(*(np.concatenate((getattr(self, one.name), column)) for one, column in pairs))


NOTHING = RatingMetadata(
    np.zeros(0, np.int16), np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int64)
)


def sheet_of(session: Session, evidence: Evidence) -> RatingMetadata:
    """Return the columns that belong to the evidence's ledger.

    The session may see a later moment than the evidence; rows beyond it are left out.
    """
    held: RatingMetadata = evidence.memory.kept.get(KEPT, NOTHING)
    rows = len(evidence.ledger)
    if len(held) < rows:
        after = int(evidence.ledger.revision[len(held) - 1]) if len(held) else 0
        second = SECOND_OF_SQLITE if session.get_bind().dialect.name == "sqlite" else SECOND
        _, *more = read_judgments(
            session,
            (*COLUMNS, Column(second, np.int64, 40)),
            project_id=evidence.project_id,
            after=after,
            last=evidence.revision,
        )
        held = held.extended(more)
        evidence.memory.kept[KEPT] = held
    return held if len(held) == rows else held.until(rows)


DECLINED_COLUMN = -1


@dataclass(frozen=True)
class CurrentRatings:
    """One row for each annotator and answer, in the order in which they were first settled.

    Attributes
    ----------
    annotator, candidate_index
        integers (n,): the database's number, and the place of the candidate.
    column
        int8 (n,): the grade as a column of the scale, -1 for "can't judge".
    first, last
        integers (n,): the rows of the ledger where it was first said, and where it was said as it is now.
    planned
        bool (n,): asked for by the plan: no extra rating that a disagreement opened, and no machine's.
    ms
        int64 (n,): active milliseconds over all changes of mind, 0 where no time was taken.
    """

    annotator: Ints
    candidate_index: Ints
    column: Ints
    first: Ints
    last: Ints
    planned: Flags
    ms: Ints

    def __len__(self) -> int:
        return len(self.annotator)

    @property
    def graded(self) -> Flags:
        """Which rows hold a grade."""
        return np.asarray(self.column >= 0)

    def only(self, kept: Flags | Ints) -> CurrentRatings:
        """Return some of the rows."""
        return CurrentRatings(*(getattr(self, name)[kept] for name in self.__annotations__))


def given_of(
    evidence: Evidence, sheet: RatingMetadata | None = None, roles: tuple[Origin, ...] = COUNTED
) -> CurrentRatings:
    """Return what counts today, from everybody whose ratings have one of these roles.

    What was said about the text of a document before it was edited, and what was taken back, is left out.
    Merged documents are one answer, for which the latest rating counts. Without a sheet all times are 0.
    """
    ledger = evidence.ledger
    rows = np.flatnonzero(np.isin(ledger.role, roles) & (evidence.candidate_index >= 0) & ~evidence.outdated)
    annotator, candidate_index = ledger.annotator[rows], evidence.candidate_index[rows]
    key = candidate_index.astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    numbers, size = compact(key)
    first_of = np.zeros(size, dtype=np.int64)
    # Backwards: of several rows the first one stays.
    first_of[numbers[::-1]] = np.arange(len(rows))[::-1]
    last = np.flatnonzero(evidence.current[rows] & (ledger.grade[rows] != CLEARED))
    first = first_of[numbers[last]]
    order = np.argsort(first)
    first, last = first[order], last[order]
    ms = np.zeros(len(last), dtype=np.int64)
    if sheet is not None:
        own = np.where(evidence.in_steps(ledger.revision), 0, sheet.active_ms)
        times = np.bincount(numbers, weights=own[rows], minlength=size)
        ms = times[numbers[last]].astype(np.int64)
    grade = ledger.grade[rows[last]]
    lowest = evidence.ruler_at().scale_low
    return CurrentRatings(
        annotator=annotator[first],
        candidate_index=candidate_index[first],
        column=np.where(grade == DECLINED, DECLINED_COLUMN, grade - lowest).astype(np.int8),
        first=rows[first],
        last=rows[last],
        planned=ledger.role[rows[first]] == Origin.PLANNED,
        ms=ms,
    )


def hasty_rows(given: CurrentRatings) -> Flags:
    """Return which grades were given too fast: bool (n,); "can't judge" takes no reading and never is."""
    found = np.zeros(len(given), dtype=np.bool_)
    for number in np.flatnonzero(np.bincount(given.annotator)):
        rows = np.flatnonzero((given.annotator == number) & given.graded)
        found[rows] = hasty_flags(given.ms[rows], given.column[rows])
    return found


Result = TypeVar("Result")


def kept_until_moved(evidence: Evidence, name: str, make: Callable[[], Result]) -> Result:
    """Return `make()`, or what it returned before at this revision.

    It must depend on the evidence alone: names and roles of people change without a revision.
    """
    key = f"annotators.{name}"
    held: tuple[int, Result] | None = evidence.memory.kept.get(key)
    if held is None or held[0] != evidence.revision:
        held = (evidence.revision, make())
        evidence.memory.kept[key] = held
    return held[1]


SOURCES = (PersonKind.IMPORTED, PersonKind.MACHINE)
"""Kinds that only files speak for."""


@dataclass(frozen=True)
class AnnotatorFact:
    """One annotator; `number` is that of the ledger, `public_id` the one in addresses."""

    number: int
    public_id: str
    name: str
    kind: PersonKind
    role: Role | None

    @property
    def is_source(self) -> bool:
        """Return whether files speak for them: they are compared with people, not counted among them."""
        return self.kind in SOURCES


def annotators_of(session: Session, evidence: Evidence) -> list[AnnotatorFact]:
    """Return everybody who has rated, and the annotators who have not begun, by name."""
    rated = np.flatnonzero(np.bincount(evidence.ledger.annotator)).tolist()
    rows = session.execute(
        select(Person.id, Person.public_id, Person.name, Person.kind, Membership.role)
        .outerjoin(
            Membership, (Membership.person_id == Person.id) & (Membership.project_id == evidence.project_id)
        )
        .where(Person.id.in_(rated) | (Membership.role == Role.ANNOTATOR.value))
        .order_by(Person.name, Person.id)
    )
    return [
        AnnotatorFact(number, public_id, name, PersonKind(kind), Role(role) if role else None)
        for number, public_id, name, kind, role in rows
    ]


def get_annotator(session: Session, evidence: Evidence, public_id: str) -> AnnotatorFact:
    """Return one annotator of a project.

    :raise NotFoundError: Nobody there has this id.
    """
    for one in annotators_of(session, evidence):
        if one.public_id == public_id:
            return one
    raise NotFoundError("There is no such annotator in this project.")
