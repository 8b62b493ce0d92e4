"""The rest: answers that stand in no pool and that nobody has judged; and a draw from them by chance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import or_, select

from app.models import Candidate, Document, Judgment
from app.scoring.seeds import hash_words, random_words, unit_floats
from app.services.evidence.rows import read_integers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy.orm import Session

    from app.scoring.arrays import Ints

SMALL = 2_000_000
"""Up to so many pairs the rest is laid out; of more, pairs are drawn until enough lie in it."""


@dataclass(frozen=True)
class Drawn:
    """Pairs drawn from the rest, as numbers of queries and documents, integers (pairs,); and its size."""

    query: Ints
    document: Ints
    rest: int


def draw(session: Session, project_id: int, query_ids: Sequence[int], size: int, seed: int) -> Drawn:
    """Return some pairs of the rest of some queries, each equally likely; all of them where they are few.

    Only documents with a text are drawn: others could not be rated.
    """
    queries = np.array(sorted(query_ids), dtype=np.int64)
    documents = read_integers(
        session,
        select(Document.id)
        .where(
            Document.project_id == project_id,
            Document.content_hash.is_not(None),
            Document.retired_revision.is_(None),
            Document.merged_into.is_(None),
        )
        .order_by(Document.id),
        1,
    )[:, 0]
    known = _known(session, project_id, queries, documents)
    every = len(queries) * len(documents)
    rest = every - len(known)
    chosen = _chosen(every, known, min(size, rest), seed)
    wide = max(len(documents), 1)
    return Drawn(queries[chosen // wide], documents[chosen % wide], rest)


def _known(session: Session, project_id: int, queries: Ints, documents: Ints) -> Ints:
    """Return the pairs that are pooled or judged, as places in a table of queries by documents, ascending."""
    judged = select(Judgment.revision).where(Judgment.candidate_id == Candidate.id).exists()
    wanted = select(Candidate.query_id, Candidate.document_id).where(
        Candidate.project_id == project_id, or_(Candidate.in_pool, judged)
    )
    if len(queries) == 1:
        wanted = wanted.where(Candidate.query_id == int(queries[0]))
    rows = read_integers(session, wanted, 2)
    rows = rows[np.isin(rows[:, 0], queries) & np.isin(rows[:, 1], documents)]
    place = np.searchsorted(queries, rows[:, 0]) * len(documents) + np.searchsorted(documents, rows[:, 1])
    return np.unique(place)


def _chosen(every: int, known: Ints, size: int, seed: int) -> Ints:
    if every <= SMALL:
        rest = np.setdiff1d(np.arange(every), known, assume_unique=True)
        return rest[np.argsort(hash_words(seed, rest), kind="stable")[:size]]
    found = np.zeros(0, dtype=np.int64)
    count = 2 * size
    while len(found) < size:
        # The same words and more of them: what was drawn before is drawn again, in the same order.
        drawn = (unit_floats(random_words(seed, count)) * every).astype(np.int64)
        _, first = np.unique(drawn, return_index=True)
        drawn = drawn[np.sort(first)]
        found = drawn[~np.isin(drawn, known)][:size]
        count *= 2
    return found
