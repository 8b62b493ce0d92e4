"""The pool: candidates, and the union of the active runs' top answers that the stored pool follows.

Another depth is a ledger event that re-forms the pool and takes no judgment away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from sqlalchemy import ColumnElement, Select, bindparam, delete, exists, func, or_, select, update
from sqlalchemy.orm import Session

from app.models.adjudication import AdjudicationRequest, AdjudicationView
from app.models.assignment import AssignmentCandidate
from app.models.base import now_utc
from app.models.candidate import Candidate, random_public_id
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.gold import Gold
from app.models.judgment import Flag, Judgment, JudgmentNote
from app.models.project import Project
from app.models.ranker import Ranker
from app.models.remark_resolution import RemarkResolution
from app.models.request import Request
from app.models.run import Ranking, Run
from app.scoring.arrays import Flags, Ints
from app.services.bulk import (
    batches,
    insert_missing,
    lock_project,
    numbers_as_rows,
    read_columns,
    stream,
    table_of,
    update_where_id,
)
from app.services.collection.files import ImportStep
from app.services.errors import InvalidError
from app.services.ledger import record_event
from app.services.prepared import Prepared
from app.services.scoring_settings import get_ruler

SPAN = 1 << 32


@dataclass(frozen=True)
class Places:
    """Query-document pairs, each once, by query and then by document, with their best place.

    Attributes
    ----------
    key
        int64 (pairs,): query number * 2^32 + document number, ascending.
    rank
        int16 (pairs,): 1 is the first place.
    """

    key: Ints
    rank: Ints

    def __len__(self) -> int:
        return len(self.key)

    @property
    def query(self) -> Ints:
        """int64 (pairs,): the queries' numbers."""
        return self.key // SPAN

    @property
    def document(self) -> Ints:
        """int64 (pairs,): the documents' numbers."""
        return self.key % SPAN

    def only(self, kept: Flags) -> Places:
        """Return some of the pairs."""
        return Places(self.key[kept], self.rank[kept])

    def joined(self, other: Places) -> Places:
        """Return the pairs of both, each at its better place; the order of the two does not matter."""
        if not len(self) or not len(other):
            return other if not len(self) else self
        return best_places(np.concatenate((self.key, other.key)), np.concatenate((self.rank, other.rank)))


NO_PLACES = Places(np.zeros(0, np.int64), np.zeros(0, np.int16))


def best_places(key: Ints, rank: Ints) -> Places:
    """Return each pair once, at its best place."""
    order = np.lexsort((rank, key))
    ordered = key[order]
    first = np.ones(len(ordered), dtype=np.bool_)
    first[1:] = ordered[1:] != ordered[:-1]
    return Places(ordered[first], rank[order][first])


def pairs_of(query: Ints, document: Ints) -> Ints:
    """Return one number for each pair: int64 (pairs,)."""
    return query.astype(np.int64) * SPAN + document


DEEPEST_POOL = 100
MANUAL = "manual"


def pooled_depth(kind: str, depth: int) -> int:
    """Return how many answers of each list of a run are pooled: what people added is in no order."""
    return DEEPEST_POOL if kind == MANUAL else depth


def places_of_run(session: Session, run_id: int, depth: int) -> Places:
    """Return the top documents of one run; those of a manual one are all at the first place."""
    kind = session.scalar(select(Ranker.kind).join(Run).where(Run.id == run_id)) or ""
    wanted = select(Ranking.query_id, func.substr(Ranking.document_ids, 1, 4 * pooled_depth(kind, depth)))
    keys, ranks = [], []
    for query, packed in stream(session, wanted.where(Ranking.run_id == run_id)):
        document = np.frombuffer(bytes(packed), dtype="<i4")
        keys.append(query * SPAN + document.astype(np.int64))
        ranks.append(np.arange(1, len(document) + 1, dtype=np.int16))
    if not keys:
        return NO_PLACES
    rank = np.concatenate(ranks)
    return best_places(np.concatenate(keys), np.ones_like(rank) if kind == MANUAL else rank)


def pool_places(session: Session, project_id: int, depth: int) -> Places:
    """Return the pool that the project's active runs form at a depth; their order does not matter.

    Merged documents are still apart: see `with_merged`.
    """
    return union_of(places_of_run(session, run, depth) for run in active_runs(session, project_id))


def union_of(parts: Iterable[Places]) -> Places:
    """Return the pairs of all parts, each at its best place."""
    union = NO_PLACES
    for part in parts:
        union = union.joined(part)
    return union


def active_runs(session: Session, project_id: int) -> list[int]:
    """Return the numbers of the runs that are published and not withdrawn."""
    wanted = select(Run.id).where(Run.project_id == project_id, Run.state == "published").order_by(Run.id)
    return list(session.scalars(wanted))


def merged_documents(session: Session, project_id: int) -> dict[int, int]:
    """Return which document represents each merged one, by number; mostly there is none."""
    return dict(_merged.rows(session, {"project": project_id}))


@Prepared
def _merged() -> Select[int, int | None]:
    return select(Document.id, Document.merged_into).where(
        Document.project_id == bindparam("project"), Document.merged_into.is_not(None)
    )


def with_merged(session: Session, project_id: int, places: Places) -> Places:
    """Return places with every merged document replaced by the one that represents it."""
    heads = merged_documents(session, project_id)
    if not heads or not len(places):
        return places
    numbers = np.array(sorted(heads), dtype=np.int64)
    head = np.array([heads[number] for number in numbers.tolist()], dtype=np.int64)
    document = places.document
    at = np.minimum(np.searchsorted(numbers, document), len(numbers) - 1)
    document = np.where(numbers[at] == document, head[at], document)
    return best_places(pairs_of(places.query, document), places.rank)


PAIRS_A_STEP = 2_000
KEY = ("project_id", "query_id", "document_id")
USES = (
    Judgment,
    AssignmentCandidate,
    JudgmentNote,
    Flag,
    Gold,
    AdjudicationRequest,
    AdjudicationView,
    RemarkResolution,
    Request,
)
COLUMNS = (
    Candidate.id,
    Candidate.query_id,
    Candidate.document_id,
    Candidate.in_pool,
    Candidate.best_rank,
)


@dataclass(frozen=True)
class StoredCandidates:
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
        """Return the place of each pair, -1 where it is no candidate: intp (keys,)."""
        if not len(self.key):
            return np.full(len(keys), -1, dtype=np.intp)
        at = np.minimum(np.searchsorted(self.key, keys), len(self.key) - 1)
        return np.where(self.key[at] == keys, at, -1)

    def at(self, place: Ints) -> tuple[Ints, Flags]:
        """Return the number and whether it is pooled of the row at each place, -1 and False for none."""
        number, pooled = np.full(len(place), -1, dtype=np.int64), np.zeros(len(place), dtype=np.bool_)
        there = place >= 0
        number[there], pooled[there] = self.id[place[there]], self.pooled[place[there]]
        return number, pooled


def stored_candidates(session: Session, project_id: int) -> StoredCandidates:
    """Return the candidates of a project as arrays."""
    wanted = select(*COLUMNS).where(Candidate.project_id == project_id)
    kinds = (np.int64, np.int32, np.int32, np.bool_, np.int16)
    number, query, document, pooled, rank = read_columns(session, wanted, kinds)
    key = pairs_of(query, document)
    del query, document
    order = np.argsort(key, kind="stable")
    return StoredCandidates(number[order], key[order], pooled[order], rank[order])


def is_used() -> ColumnElement[bool]:
    """Return the condition that somebody was assigned a candidate, judged it or said something of it."""
    return or_(*(exists().where(use.candidate_id == Candidate.id) for use in USES))


def is_unused() -> ColumnElement[bool]:
    """Return the condition that a candidate is outside the pool, and nobody was assigned or judged it.

    An import that stops half way leaves such ones.
    """
    return Candidate.in_pool.is_(False) & ~is_used()


def unused_candidates(session: Session) -> list[int]:
    """Return the numbers of all candidates that are unused."""
    return list(session.scalars(select(Candidate.id).where(is_unused())))


def drop_unused(numbers: Sequence[int]) -> Iterator[ImportStep]:
    """Yield the steps that remove those of some candidates that are still unused."""

    def drop(session: Session, some: Sequence[int]) -> None:
        session.execute(delete(Candidate).where(Candidate.id.in_(some), is_unused()))

    for some in batches(numbers):
        yield ImportStep(len(some), partial(drop, some=some))


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


def candidate_steps(project_id: int, key: Ints) -> Iterator[ImportStep]:
    """Yield the steps that make candidates of pairs, each short enough for people who rate meanwhile."""
    for first in range(0, len(key), PAIRS_A_STEP):
        some = key[first : first + PAIRS_A_STEP]
        add = partial(add_candidates, project_id=project_id, query=some // SPAN, document=some % SPAN)
        yield ImportStep(len(some), add)


AT_ONCE = 50_000


@dataclass(frozen=True)
class PoolChange:
    """What a new state of the runs changes about the stored pool; candidates' numbers throughout.

    Attributes
    ----------
    joins, leaves
        int64: candidates that enter the pool and that leave it.
    moves
        int64: members whose best place is another one.
    rank_of_joins, rank_of_moves
        int16: their new best places.
    """

    joins: Ints
    rank_of_joins: Ints
    moves: Ints
    rank_of_moves: Ints
    leaves: Ints


def change_of_pool(session: Session, project: Project, places: Places, *, extend: bool = False) -> PoolChange:
    """Return what changes when the pool is exactly these places; missing candidates are made.

    With `extend` the places are added to the pool instead.
    """
    places = with_merged(session, project.id, places)
    stored = stored_candidates(session, project.id)
    missing = stored.find(places.key) < 0
    if missing.any():
        new = places.only(missing)
        add_candidates(session, project.id, new.query, new.document)
        stored = stored_candidates(session, project.id)
    at = stored.find(places.key)
    pooled, was = stored.pooled[at], stored.rank[at]
    moved = pooled & ((was > places.rank) if extend else (was != places.rank))
    gone = np.zeros(len(stored.id), dtype=np.bool_) if extend else stored.pooled.copy()
    gone[at] = False
    return PoolChange(
        joins=stored.id[at[~pooled]],
        rank_of_joins=places.rank[~pooled],
        moves=stored.id[at[moved]],
        rank_of_moves=places.rank[moved],
        leaves=stored.id[gone],
    )


def apply_change(session: Session, change: PoolChange, revision: int) -> None:
    """Write a change of the pool that happened at a revision."""
    away = {"in_pool": False, "best_rank": 0, "pooled_revision": None}
    update_where_id(session, Candidate, change.leaves, away)
    joining = {"in_pool": True, "pooled_revision": revision}
    _give_ranks(session, change.joins, change.rank_of_joins, joining)
    _give_ranks(session, change.moves, change.rank_of_moves, {})
    for known in [row for row in session if isinstance(row, Candidate)]:
        session.expire(known)


def form_pool(
    session: Session, project: Project, kind: EventKind, payload: dict[str, Any], *, actor_id: int | None
) -> tuple[Event, PoolChange]:
    """Make the pool what the active runs form now, with the event that changed them; return both."""
    change = change_of_pool(session, project, pool_places(session, project.id, project.pool_depth))
    event = record_event(session, project.id, kind, payload, actor_id=actor_id)
    apply_change(session, change, event.revision)
    return event, change


def _give_ranks(session: Session, ids: Ints, ranks: Ints, values: dict[str, Any]) -> None:
    table = table_of(Candidate)
    order = np.argsort(ids)  # in the order of the rows: each page is touched once
    for first in range(0, len(order), AT_ONCE):
        some = order[first : first + AT_ONCE]
        rows = numbers_as_rows(session, id=ids[some], rank=ranks[some])
        session.execute(update(table).where(table.c.id == rows.c.id).values(best_rank=rows.c.rank, **values))


def check_depth(depth: int) -> None:
    """Refuse a pool depth that nobody could rate.

    :raise InvalidError: It is below 1 or above 100.
    """
    if not 1 <= depth <= DEEPEST_POOL:
        raise InvalidError(
            f"A pool depth of {depth} is not possible: choose 1 to {DEEPEST_POOL}.",
            code="depth",
            field="pool_depth",
            value=str(depth),
            remedy=f"Choose 1 to {DEEPEST_POOL}.",
        )


def prepare_depth(session: Session, project: Project, depth: int) -> Iterator[ImportStep]:
    """Return the steps that make a deeper pool's candidates, so that `change_depth` is short afterwards.

    They can be left out, or abandoned: a candidate outside the pool is given to nobody.
    """
    places = with_merged(session, project.id, pool_places(session, project.id, depth))
    new = places.only(stored_candidates(session, project.id).find(places.key) < 0)
    return candidate_steps(project.id, new.key)


def change_depth(
    session: Session, project: Project, depth: int, *, actor_id: int | None = None
) -> PoolChange | None:
    """Set the pool depth, re-form the pool, and return what changed; None if it is the depth already.

    :raise InvalidError: Nobody could rate so deep a pool, or the ruler's cutoff reads deeper.
    """
    check_depth(depth)
    project = lock_project(session, project.id)
    before = project.pool_depth
    if depth == before:
        return None
    k = get_ruler(session, project.id).k
    if depth < k:
        raise InvalidError(
            f"The pool depth {depth} is less than k, the number of top answers that are scored: {k}.",
            code="k_above_depth",
            field="pool_depth",
            value=str(depth),
            remedy=f"Choose {k} or more, or a smaller k.",
        )
    project.pool_depth = depth
    session.flush()
    change = change_of_pool(session, project, pool_places(session, project.id, depth))
    payload = {"before": before, "depth": depth, "new_candidates": len(change.joins)}
    event = record_event(session, project.id, EventKind.DEPTH_CHANGED, payload, actor_id=actor_id)
    apply_change(session, change, event.revision)
    return change
