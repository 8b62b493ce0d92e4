"""The judgments of a project in revision order, as columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, case, func, select

from app.models import Judgment, Origin, Reason
from app.services.current_judgments import COUNTED
from app.services.evidence.rows import read_columns

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags, Ints


def roles_that_count(*, machines: bool) -> tuple[Origin, ...]:
    """Return the roles whose grades count, with or without what machines say."""
    return (*COUNTED, Origin.MACHINE) if machines else COUNTED


CLEARED, DECLINED = -1, -2
"""Grades of rows that hold none: the rating was taken back, or the annotator could not judge."""


# Built once: it is asked at every rating.
ROWS = (
    select(
        Judgment.revision,
        Judgment.candidate_id,
        Judgment.annotator_id,
        func.coalesce(Judgment.grade, case((Judgment.reason == Reason.CLEARED, CLEARED), else_=DECLINED)),
        Judgment.role,
        Judgment.blind,
    )
    .where(Judgment.project_id == bindparam("project"), Judgment.revision > bindparam("after"))
    .order_by(Judgment.revision)
)
KINDS = (np.int64, np.int32, np.int32, np.int8, np.int8, np.bool_)


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
        int8: the grade; `CLEARED` or `DECLINED` where a reason stands instead.
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


def read_ledger(session: Session, project_id: int, *, after: int = 0) -> Ledger:
    """Return the judgments with a revision above `after`, up to the session's snapshot."""
    return Ledger(*read_columns(session, ROWS, KINDS, project=project_id, after=after))
