"""Read a project's structure from one snapshot."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sqlalchemy import bindparam, func, select
from sqlalchemy.orm import Session

from app.models.candidate import Candidate
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.ruler import Ruler
from app.models.run import Ranking, Run
from app.scoring.arrays import Bits, Floats, Ints
from app.services.bulk import driver_rows, read_columns
from app.services.collection.merged_documents import merges_at
from app.services.collection.pool import DEEPEST_POOL, MANUAL
from app.services.evidence.columns import Lookup
from app.services.evidence.structure import EventFact, RunFact, Structure, pool_bits, positions_of
from app.services.scoring_settings import settings_of

# Built once: it is asked at every rating.
EVENTS = (
    select(Event.revision, Event.kind, Event.actor_id, Event.payload, Event.at)
    .where(Event.project_id == bindparam("project"), Event.revision > bindparam("after"))
    .order_by(Event.revision)
)
SIDE_BY_SIDE = 16
"""Runs whose whole lists are held at a time."""


def read_structure(session: Session, project: Project) -> Structure:
    """Return the structure in the session's snapshot."""
    events = read_events(session, project.id)
    rulers = {
        ruler.id: settings_of(ruler)
        for ruler in session.scalars(select(Ruler).where(Ruler.project_id == project.id))
    }
    query_id, names, added, weight = _read_queries(session, project.id)
    candidate_id, query, document = _read_candidates(session, project.id, query_id)
    runs = _read_runs(session, project.id)
    deep = max(ruler.k for ruler in rulers.values())
    positions, pools, lengths = _read_lists(
        session, runs, (query_id, query, document), deep, _pool_depths(project, events)
    )
    structure = Structure(
        query_id=query_id,
        query_name=names,
        added=added,
        weight=weight,
        candidate_id=candidate_id,
        query=query,
        document=document,
        runs=runs,
        positions=positions,
        pools=pools,
        lengths=lengths,
        events=events,
        rulers=rulers,
        depth=project.pool_depth,
        without_text=_read_without_text(session, project.id),
    )
    return structure.merged(merges_at(events))


def read_events(session: Session, project_id: int, *, after: int = 0) -> tuple[EventFact, ...]:
    """Return the events with a revision above `after`."""
    rows = session.execute(EVENTS, {"project": project_id, "after": after})
    return tuple(EventFact(*row) for row in rows)


def _pool_depths(project: Project, events: tuple[EventFact, ...]) -> list[int]:
    """Return every depth that the pool ever had."""
    changes = [event.payload for event in events if event.kind == EventKind.DEPTH_CHANGED]
    return sorted({project.pool_depth, *(change[name] for change in changes for name in ("before", "depth"))})


def _read_lists(
    session: Session,
    runs: tuple[RunFact, ...],
    layout: tuple[Ints, Ints, Ints],
    deep: int,
    depths: list[int],
) -> tuple[Ints, dict[int, Bits], Ints]:
    """Return the lists as a structure holds them; only a few runs are held in full at a time.

    `layout` are the numbers of the queries, and the query and the document of every candidate.
    """
    query_id, query, document = layout
    positions = np.full((deep, len(runs), len(query_id)), len(document), dtype=np.int32)
    lengths = np.zeros((len(runs), len(query_id)), dtype=np.int32)
    parts: list[dict[int, Bits]] = []
    for start in range(0, len(runs), SIDE_BY_SIDE):
        here = slice(start, start + SIDE_BY_SIDE)
        reach = max(deep, *depths, _longest_manual(session, runs[here]))
        documents, lengths[here] = read_rankings(session, runs[here], query_id, reach)
        found = positions_of(documents, query, document, len(query_id))
        positions[:, here] = found[:deep]
        parts.append(pool_bits(found, depths, len(document), [run.kind for run in runs[here]]))
    none = {depth: np.zeros((0, -(-len(document) // 8)), dtype=np.uint8) for depth in depths}
    pools = {depth: np.concatenate([none[depth], *(part[depth] for part in parts)]) for depth in depths}
    return positions, pools, lengths


def _longest_manual(session: Session, runs: Sequence[RunFact]) -> int:
    """Return how many answers the longest list of the manual runs has, as far as it is pooled."""
    manual = [run.id for run in runs if run.kind == MANUAL]
    longest = select(func.max(func.length(Ranking.document_ids))).where(Ranking.run_id.in_(manual))
    return min((session.scalar(longest) or 0) // 4, DEEPEST_POOL) if manual else 0


def _read_without_text(session: Session, project_id: int) -> Ints:
    hidden = Document.content_hash.is_(None) | Document.retired_revision.is_not(None)
    wanted = select(Document.id).where(Document.project_id == project_id, hidden)
    found: Ints = read_columns(session, wanted, (np.int64,))[0]
    return found


def _read_queries(session: Session, project_id: int) -> tuple[Ints, tuple[str, ...], Ints, Floats]:
    rows = session.execute(
        select(Query.id, Query.external_id, Query.added_revision, Query.weight).where(
            Query.project_id == project_id
        )
    ).all()
    # Byte order, the same on every database whatever its collation: means are added in this order.
    ordered = sorted(rows, key=lambda row: row.external_id.encode())
    numbers = np.array([row.id for row in ordered], dtype=np.int64)
    added = np.array([row.added_revision for row in ordered], dtype=np.int64)
    weight = np.array([row.weight for row in ordered], dtype=np.float64)
    return numbers, tuple(row.external_id for row in ordered), added, weight


def _read_candidates(session: Session, project_id: int, query_id: Ints) -> tuple[Ints, Ints, Ints]:
    wanted = select(Candidate.id, Candidate.query_id, Candidate.document_id).where(
        Candidate.project_id == project_id
    )
    number, query_number, document = read_columns(session, wanted, (np.int32, np.int32, np.int32))
    query = Lookup(query_id).places(query_number)
    # Sorted here: in SQL the same order would read the table at random.
    order = np.argsort(query.astype(np.int64) << 32 | document, kind="stable")
    return number[order], query[order], document[order]


def _read_runs(session: Session, project_id: int) -> tuple[RunFact, ...]:
    rows = session.execute(
        select(
            Run.id,
            Run.ranker_id,
            Ranker.name.label("ranker"),
            Ranker.kind,
            Ranker.mark,
            Run.version,
            Run.note,
            Run.revision,
            Run.registered_at,
        )
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Run.project_id == project_id, Run.state != "unpublished")
        .order_by(Run.revision)
    )
    return tuple(RunFact(**row._mapping) for row in rows)  # noqa: SLF001 - the documented way to names


def read_rankings(
    session: Session, runs: tuple[RunFact, ...], query_id: Ints, depth: int
) -> tuple[Ints, Ints]:
    """Return the lists of some runs, cut at a depth: documents (runs, queries, depth), and full lengths."""
    documents = np.full((len(runs), len(query_id), depth), -1, dtype=np.int32)
    lengths = np.zeros((len(runs), len(query_id)), dtype=np.int32)
    places = Lookup(query_id)
    for number, run in enumerate(runs):
        wanted = select(
            Ranking.query_id,
            func.length(Ranking.document_ids),
            func.substr(Ranking.document_ids, 1, 4 * depth),
        ).where(Ranking.run_id == run.id)
        rows = driver_rows(session, wanted).fetchall()
        if not rows:
            continue
        place = places.places(np.array([row[0] for row in rows], dtype=np.int64))
        lengths[number, place] = np.array([row[1] for row in rows], dtype=np.int64) // 4
        taken = np.array([len(row[2]) for row in rows], dtype=np.int64) // 4
        flat = np.frombuffer(b"".join(bytes(row[2]) for row in rows), dtype="<i4")
        start = np.concatenate(([0], np.cumsum(taken)[:-1]))
        rank = np.arange(len(flat)) - np.repeat(start, taken)
        documents[number, np.repeat(place, taken), rank] = flat
    return documents, lengths
