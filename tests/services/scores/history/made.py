"""Evidence made from a list of steps, without a database: for properties that must hold whatever happens."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

import numpy as np
from hypothesis import strategies as st

from app.models import EventKind, Origin
from app.services.collection.merged_documents import merges_at
from app.services.evidence.columns import Ledger
from app.services.evidence.state import Evidence
from app.services.evidence.structure import EventFact, RunFact, Structure, pool_bits, positions_of
from app.services.scoring_settings import ScoringSettings

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
QUERIES, DOCUMENTS, DEPTH, DEEPER = 3, 5, 2, 4
FIRST = ScoringSettings(scale_low=0, scale_high=3, k=DEPTH, threshold=1)
RULERS = [
    FIRST,
    replace(FIRST, gain="exponential"),
    replace(FIRST, ideal="pool"),
    replace(FIRST, consensus="mean"),
    replace(FIRST, only_blind=True, consensus="majority"),
    replace(FIRST, unjudged="complete", k=1),
]
# Versions of two rankers and a third: each list holds documents by number, best first; [] is silence.
LISTS = [
    [[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]],
    [[4, 3, 2, 1], [3, 4], [0, 2, 4, 1]],
    [[1, 0, 4, 2], [], [4, 3, 2, 1]],
    [[2], [1, 4, 0, 3], [3, 0]],
]
RANKERS = [1, 2, 1, 3]

STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("rate"),
            st.integers(0, QUERIES * DOCUMENTS - 1),
            st.integers(1, 3),
            st.integers(-1, 3),
            st.sampled_from([Origin.PLANNED] * 5 + [Origin.ADJUDICATION, Origin.REPEAT]),
            st.booleans(),
        ),
        st.tuples(st.sampled_from(["publish", "withdraw", "restore"]), st.integers(0, len(LISTS) - 1)),
        st.tuples(st.sampled_from(["retire", "return", "add"]), st.integers(0, QUERIES - 1)),
        st.tuples(st.just("edit"), st.integers(0, DOCUMENTS - 1)),
        st.tuples(st.just("merge"), st.integers(0, DOCUMENTS - 1), st.integers(0, DOCUMENTS - 1)),
        st.tuples(st.just("part"), st.integers(0, 2)),
        st.tuples(st.just("rule"), st.integers(0, len(RULERS) - 1)),
        st.tuples(st.just("deepen"), st.sampled_from([DEPTH, DEEPER])),
    ),
    max_size=40,
)
KINDS = {
    "withdraw": EventKind.RUN_WITHDRAWN,
    "restore": EventKind.RUN_RESTORED,
    "retire": EventKind.QUERY_RETIRED,
    "return": EventKind.QUERY_RESTORED,
    "edit": EventKind.DOCUMENTS_EDITED,
    "rule": EventKind.RULER_SET,
    "deepen": EventKind.DEPTH_CHANGED,
}


@dataclass
class _Told:
    """What the steps come to."""

    events: list[EventFact] = field(default_factory=list)
    rows: list[tuple[int, int, int, int, int, bool]] = field(default_factory=list)
    published: dict[int, int] = field(default_factory=dict)
    added: list[int] = field(default_factory=lambda: [1, 1, 10_000])
    depth: int = DEPTH
    merges: list[int] = field(default_factory=list)
    revision: int = 0

    def tell(self, kind: EventKind, payload: dict[str, Any]) -> None:
        self.revision += 1
        self.events.append(EventFact(self.revision, kind, None, payload, NOON))

    def take(self, step: tuple[Any, ...]) -> None:
        what, number, *rest = step
        if what == "rate":
            self.revision += 1
            annotator, grade, role, blind = rest
            self.rows.append((self.revision, number, annotator, grade, role, blind))
        elif what == "publish" and number not in self.published:
            self.tell(EventKind.RUN_PUBLISHED, {"run_id": number})
            self.published[number] = self.revision
        elif what == "add" and self.added[number] == 10_000:
            self.tell(EventKind.QUERIES_ADDED, {"count": 1})
            self.added[number] = self.revision
        elif what in {"withdraw", "restore"} and number in self.published:
            self.tell(KINDS[what], {"run_id": number})
        elif what in {"retire", "return"}:
            self.tell(KINDS[what], {"query_ids": [number]})
        elif what == "edit":
            self.tell(KINDS[what], {"document_ids": [number]})
        elif what == "merge" and number != rest[0]:
            self.tell(EventKind.DOCUMENTS_MERGED, {"document_ids": [number, rest[0]]})
            self.merges.append(self.revision)
        elif what == "part" and number < len(self.merges):
            self.tell(EventKind.MERGE_UNDONE, {"revision": self.merges.pop(number)})
        elif what == "rule":
            self.tell(KINDS[what], {"ruler_id": number})
        elif what == "deepen":
            self.tell(KINDS[what], {"before": self.depth, "depth": number})
            self.depth = number


def evidence_from(steps: list[tuple[Any, ...]]) -> Evidence:
    """Return what the steps come to; at the beginning there are a ruler, two queries and the first run."""
    told = _Told()
    told.tell(EventKind.RULER_SET, {"ruler_id": 0})
    for step in [("publish", 0), *steps]:
        told.take(step)
    structure = _structure(told).merged(merges_at(told.events))
    columns = np.array(told.rows or np.zeros((0, 6)), dtype=np.int64)
    ledger = Ledger(*(columns[:, number] for number in range(5)), columns[:, 5].astype(bool))
    return Evidence(1, told.revision, structure, ledger, structure.indexes_of(ledger.candidate))


def _structure(told: _Told) -> Structure:
    order = sorted(told.published, key=told.published.__getitem__)
    documents = np.full((len(order), QUERIES, DEEPER), -1, dtype=np.int32)
    for place, number in enumerate(order):
        for query, listed in enumerate(LISTS[number]):
            documents[place, query, : len(listed)] = listed
    query = np.repeat(np.arange(QUERIES), DOCUMENTS).astype(np.int32)
    document = np.tile(np.arange(DOCUMENTS), QUERIES).astype(np.int32)
    positions = positions_of(documents, query, document, QUERIES)
    return Structure(
        query_id=np.arange(QUERIES),
        query_name=tuple(f"q{number}" for number in range(QUERIES)),
        added=np.array(told.added),
        weight=np.ones(QUERIES),
        candidate_id=np.arange(len(query), dtype=np.int32),
        query=query,
        document=document,
        runs=tuple(
            RunFact(
                n,
                RANKERS[n],
                f"ranker {RANKERS[n]}",
                "system",
                RANKERS[n],
                f"v{n}",
                "",
                told.published[n],
                NOON,
            )
            for n in order
        ),
        positions=positions[:DEPTH],
        pools=pool_bits(positions, [DEPTH, DEEPER], len(query)),
        lengths=np.array([[len(listed) for listed in LISTS[n]] for n in order], dtype=np.int32),
        events=tuple(told.events),
        rulers=dict(enumerate(RULERS)),
        depth=told.depth,
    )
