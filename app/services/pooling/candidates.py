"""Candidate rows: what is stored of pairs, and how new ones come in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import exists, or_, select

from app.models import (
    AssignmentCandidate,
    Candidate,
    Flag,
    Gold,
    Handling,
    Hearing,
    Judgment,
    JudgmentNote,
    Referral,
    Request,
    now_utc,
)
from app.models.candidate import random_public_id
from app.services.bulk import batches, insert_missing
from app.services.evidence.rows import read_integers
from app.services.pooling.places import pairs_of

if TYPE_CHECKING:
    from sqlalchemy import ColumnElement
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Flags, Ints

KEY = ("project_id", "query_id", "document_id")
USES = (Judgment, AssignmentCandidate, JudgmentNote, Flag, Gold, Referral, Hearing, Handling, Request)
COLUMNS = (
    Candidate.id,
    Candidate.query_id,
    Candidate.document_id,
    Candidate.in_pool,
    Candidate.best_rank,
)


@dataclass(frozen=True)
class Stored:
    """A project's candidate rows in order of their pairs; all arrays have shape (rows,).

    Attributes
    ----------
    id, key
        int64: the row's number and its pair.
    pooled
        bool: whether it is in the pool.
    rank
        int16: its best place, 0 outside the pool.
    """

    id: Ints
    key: Ints
    pooled: Flags
    rank: Ints

    def find(self, keys: Ints) -> Ints:
        """Return where each pair stands, -1 where it is no candidate: intp (keys,)."""
        if not len(self.key):
            return np.full(len(keys), -1, dtype=np.intp)
        at = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        return np.where(self.key[at] == keys, at, -1)


def stored_candidates(session: Session, project_id: int) -> Stored:
    """Return the candidates of a project as arrays."""
    rows = read_integers(session, select(*COLUMNS).where(Candidate.project_id == project_id), len(COLUMNS))
    key = pairs_of(rows[:, 1], rows[:, 2])
    order = np.argsort(key, kind="stable")
    return Stored(
        rows[order, 0], key[order], rows[order, 3].astype(np.bool_), rows[order, 4].astype(np.int16)
    )


def is_used() -> ColumnElement[bool]:
    """Return the condition that somebody was assigned a candidate, judged it or said something of it."""
    return or_(*(exists().where(use.candidate_id == Candidate.id) for use in USES))


def add_candidates(session: Session, project_id: int, query: Ints, document: Ints) -> None:
    """Make candidates of pairs; those that are there already stay as they are. None enters the pool yet."""
    into = insert_missing(session, Candidate, KEY)
    now = now_utc()
    for pairs in batches(list(zip(query.tolist(), document.tolist(), strict=True))):
        rows = [
            {
                "project_id": project_id,
                "query_id": query_id,
                "document_id": document_id,
                "public_id": random_public_id(),
                "in_pool": False,
                "best_rank": 0,
                "created_at": now,
            }
            for query_id, document_id in pairs
        ]
        session.execute(into, rows)
