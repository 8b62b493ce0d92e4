"""The judgments of a project in revision order, as columns.

Pages that show scores read here what counts now, as `current_judgment` holds it, so that everything on them
is of one moment. Merged documents are one answer, of which the newest word counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike
from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    Text,
    bindparam,
    case,
    cast,
    func,
    literal_column,
    select,
    type_coerce,
)
from sqlalchemy.orm import Session

from app.models.judgment import Judgment, Origin, Reason
from app.scoring.arrays import ROOMY, SPARSE, Flags, Ints, compact
from app.services.bulk import CHUNK
from app.services.current_judgments import COUNTED, RATING
from app.services.prepared import Prepared


class Lookup:
    """The place of each of some distinct numbers.

    A table with a cell for every number in between is quicker than a search; it is used while it stays
    small.
    """

    def __init__(self, numbers: Ints) -> None:
        self._numbers = numbers
        self._least = int(numbers.min(initial=0)) if len(numbers) else 0
        span = int(numbers.max(initial=-1)) - self._least + 1
        self._table: Ints | None = None
        self._order: Ints = np.zeros(0, dtype=np.int64)
        if span <= ROOMY + SPARSE * len(numbers):
            self._table = np.full(span + 1, -1, dtype=np.int32)
            self._table[numbers - self._least] = np.arange(len(numbers), dtype=np.int32)
        else:
            self._order = np.argsort(numbers, kind="stable")

    def places(self, wanted: Ints) -> Ints:
        """Return the place of each wanted number, -1 for unknown ones: int32."""
        if self._table is None:
            return self._searched(wanted)
        # What lies outside reads the last cell of the table, which is always empty.
        place = wanted.astype(np.int64) - self._least
        place[(place < 0) | (place >= len(self._table))] = -1
        return self._table.take(place)

    def _searched(self, wanted: Ints) -> Ints:
        found = np.searchsorted(self._numbers, wanted, sorter=self._order)
        place = self._order.take(np.minimum(found, len(self._order) - 1))
        return np.where(self._numbers.take(place) == wanted, place, -1).astype(np.int32)


def roles_that_count(*, machines: bool) -> tuple[Origin, ...]:
    """Return the roles whose grades count, with or without what machines say."""
    return (*COUNTED, Origin.MACHINE) if machines else COUNTED


CLEARED, DECLINED = -1, -2
"""Grades of rows that hold none: the rating was taken back, or the annotator could not judge."""


@dataclass(frozen=True, eq=False)
class Column:
    """A column of whole numbers: the kind of its array, and the bits of its values above the least."""

    value: Any
    kind: DTypeLike
    bits: int = 31
    least: int = 0


REVISION = Column(Judgment.revision, np.int64, 44)
COLUMNS = (
    REVISION,
    Column(Judgment.candidate_id, np.int32),
    Column(Judgment.annotator_id, np.int32),
    Column(
        func.coalesce(Judgment.grade, case((Judgment.reason == Reason.CLEARED, CLEARED), else_=DECLINED)),
        np.int8,
        8,
        DECLINED,
    ),
    Column(Judgment.role, np.int8, 4),
    Column(cast(Judgment.blind, Integer), np.bool_, 1),
)
ROOM = 63
"""Bits of a whole number in a database, its sign aside."""
FEW = 10_000
"""Up to so many revisions rows are read one by one."""
# As text, not as a value, which prepared statements cannot hold.
COMMA: Any = literal_column("','")


@dataclass(frozen=True)
class Ledger:
    """Judgment rows in revision order; all arrays have shape (rows,).

    Attributes
    ----------
    revision
        int64.
    candidate, annotator
        int32: the database's numbers.
    grade
        int8: the grade; `CLEARED` or `DECLINED` where there is a reason instead.
    role
        int8: see `app.models.Origin`.
    blind
        bool: False for ratings by people who could see rankers.
    """

    revision: Ints
    candidate: Ints
    annotator: Ints
    grade: Ints
    role: Ints
    blind: Flags

    def __len__(self) -> int:
        return len(self.revision)

    def extended(self, more: Ledger) -> Ledger:
        """Return these rows followed by newer ones."""
        return Ledger(
            *(np.concatenate((getattr(self, name), getattr(more, name))) for name in self.__annotations__)
        )


def read_ledger(session: Session, project_id: int, *, head: int, after: int = 0) -> Ledger:
    """Return the judgments with a revision above `after`, up to the head of the session's snapshot."""
    if head - after < FEW:
        rows = _rows.rows(session, {"project": project_id, "after": after})
        found = zip(*rows, strict=True) if rows else [()] * len(COLUMNS)
        return Ledger(*(np.array(part, dtype=one.kind) for part, one in zip(found, COLUMNS, strict=True)))
    return Ledger(*read_judgments(session, COLUMNS, project_id=project_id, after=after, last=head))


@Prepared
def _rows() -> Select[Any]:
    return (
        select(*(one.value for one in COLUMNS))
        .where(Judgment.project_id == bindparam("project"), Judgment.revision > bindparam("after"))
        .order_by(Judgment.revision)
    )


def read_judgments(
    session: Session, columns: Sequence[Column], *, project_id: int, after: int, last: int
) -> list[Any]:
    """Return columns of very many judgments by revision, which is the first of them; none may be null.

    The database puts several columns into one number, and writes the numbers of a part as one text: a third
    of the work of handing over a million rows one by one.
    """
    groups = _groups(columns)
    texts = [func.aggregate_strings(cast(_number(group), Text), COMMA) for group in groups]
    wanted = select(*texts).where(
        Judgment.project_id == project_id,
        Judgment.revision > bindparam("first"),
        Judgment.revision <= bindparam("last"),
    )
    parts = {one: [np.zeros(0, dtype=one.kind)] for one in columns}
    for first in range(after, last, CHUNK):
        row = session.connection().execute(wanted, {"first": first, "last": min(first + CHUNK, last)}).one()
        found = [np.fromstring(text or "", dtype=np.int64, sep=",") for text in row]
        # All texts are in one order, mostly that of the revisions; no database promises which.
        order = np.argsort(found[0], kind="stable")
        for group, numbers in zip(groups, found, strict=True):
            left = numbers[order]
            for one in reversed(group):
                parts[one].append(((left & ((1 << one.bits) - 1)) + one.least).astype(one.kind))
                left >>= one.bits
    return [np.concatenate(part) for part in parts.values()]


def _groups(columns: Sequence[Column]) -> list[list[Column]]:
    """Return the columns in groups that have room in one number, each in the first that has room for it."""
    groups: list[list[Column]] = []
    for one in columns:
        group = next((group for group in groups if sum(it.bits for it in group) + one.bits <= ROOM), None)
        if group is None:
            groups.append([one])
        else:
            group.append(one)
    return groups


def _number(group: Sequence[Column]) -> ColumnElement[int]:
    """Return one number of the values of some columns, the first in its highest bits."""
    first, *others = (type_coerce(one.value, BigInteger) - one.least for one in group)
    for one, value in zip(group[1:], others, strict=True):
        first = first * (1 << one.bits) + value
    return first


def kinds_of(role: Ints) -> Ints:
    """Return of which kind judgments are, as `current_judgments.kind_of` has it: integers (rows,)."""
    return np.where(np.isin(role, COUNTED), RATING, role)


def current_rows(ledger: Ledger, candidate_index: Ints, outdated: Flags) -> Flags:
    """Return which rows are the newest of candidate, annotator and kind, whose text is current: (rows,)."""
    current = np.zeros(len(ledger), dtype=np.bool_)
    current[_newest(ledger, candidate_index, np.flatnonzero(~outdated & (candidate_index >= 0)))] = True
    return current


def _newest(ledger: Ledger, candidate_index: Ints, rows: Ints) -> Ints:
    """Return which of some rows are the newest of candidate, annotator and kind."""
    annotator = ledger.annotator[rows]
    key = candidate_index[rows].astype(np.int64) * (int(annotator.max(initial=0)) + 1) + annotator
    key = key << 3 | kinds_of(ledger.role[rows])
    numbers, size = compact(key)
    newest = np.zeros(size, dtype=np.int64)
    # Of several rows the last one stays.
    newest[numbers] = rows
    return newest[numbers]


def extended_current(current: Flags, ledger: Ledger, candidate_index: Ints) -> Flags:
    """Return the same for a ledger of which the first rows are known already; no text was edited since."""
    newer = candidate_index[len(current) :]
    found = np.append(current, newer >= 0)
    # One more for the place -1 of what is no candidate.
    is_moved = np.zeros(int(candidate_index.max(initial=-1)) + 2, dtype=np.bool_)
    is_moved[newer[newer >= 0]] = True
    rows = np.flatnonzero(is_moved.take(candidate_index) & found)
    found[rows] = False
    found[_newest(ledger, candidate_index, rows)] = True
    return found
