"""A run that is not registered, as evidence: the project as it would be after the import."""

from __future__ import annotations

import numpy as np

from app.models.base import now_utc
from app.scoring.arrays import Bits, Ints
from app.services.collection.files import UNKNOWN
from app.services.collection.pool import pooled_depth
from app.services.collection.run_import import RunPlan
from app.services.evidence.columns import Lookup
from app.services.evidence.state import Evidence
from app.services.evidence.structure import RunFact, Structure, pool_bits, positions_of


def with_run(
    evidence: Evidence, run: RunFact, documents: Ints, lengths: Ints, *, without_text: frozenset[int]
) -> Evidence:
    """Return the evidence with a run more, the last one; what it brings into the pool is unrated.

    Documents that stand below the pool depth in the lists of other runs alone stay no candidates, though
    this run may pool them.

    Parameters
    ----------
    documents
        int32 (queries, depth): numbers of documents, -1 below the end of a list, `depth_needed` deep.
    lengths
        int32 (queries,): how many documents were returned.
    without_text
        The documents of this run that the project lacks.
    """
    structure = _with_run(evidence.structure, run, documents, lengths, without_text)
    candidate_index = structure.indexes_of(evidence.ledger.candidate)
    return Evidence(evidence.project_id, evidence.revision, structure, evidence.ledger, candidate_index)


def depth_needed(structure: Structure, kind: str) -> int:
    """Return how deep the lists of a run are read: to the deepest cutoff and the deepest pool."""
    return max(len(structure.positions), *(pooled_depth(kind, depth) for depth in structure.pools))


def _with_run(
    structure: Structure, run: RunFact, documents: Ints, lengths: Ints, without_text: frozenset[int]
) -> Structure:
    plain = structure.plain or structure
    key, moved = _candidates_with(plain, documents[:, : pooled_depth(run.kind, structure.depth)])
    query, document = (key >> 32).astype(np.int32), (key & 0xFFFFFFFF).astype(np.int32)
    number = np.full(len(key), -1, dtype=np.int32)
    number[moved] = plain.candidate_id
    new = number < 0
    number[new] = int(plain.candidate_id.max(initial=0)) + 1 + np.arange(int(new.sum()))
    own = positions_of(documents[None], query, document, len(plain.query_id))
    known = np.append(moved, len(key)).astype(np.int32).take(plain.positions)
    laid = {name: getattr(plain, name) for name in Structure.__annotations__} | {
        "candidate_id": number,
        "query": query,
        "document": document,
        "runs": (*plain.runs, run),
        "positions": np.concatenate((known, own[: len(known)]), axis=1),
        "pools": _pools_with(plain, pool_bits(own, list(plain.pools), len(key), [run.kind]), moved, len(key)),
        "lengths": np.concatenate((plain.lengths, lengths[None])),
        "without_text": np.union1d(plain.without_text, list(without_text)).astype(np.int64),
        "events": structure.events,
    }
    return Structure(**laid).merged(structure.merges)


def _candidates_with(plain: Structure, top: Ints) -> tuple[Ints, Ints]:
    """Return all candidates by (query, document) as one number each, and where the known ones stand."""
    known = plain.query.astype(np.int64) << 32 | plain.document
    query, rank = np.nonzero(top >= 0)
    key = np.union1d(known, query.astype(np.int64) << 32 | top[query, rank])
    return key, np.searchsorted(key, known)


def _pools_with(
    plain: Structure, added: dict[int, Bits], moved: Ints, candidate_count: int
) -> dict[int, Bits]:
    """Return which candidates each run brings into a pool, those of one run more last."""
    found = {}
    for depth, bits in plain.pools.items():
        rows = np.zeros((len(bits) + 1, -(-candidate_count // 8)), dtype=np.uint8)
        rows[-1] = added[depth][0]
        for run, packed in enumerate(bits):
            held = np.zeros(candidate_count, dtype=np.uint8)
            held[moved] = np.unpackbits(packed, count=plain.candidate_count)
            rows[run] = np.packbits(held)
        found[depth] = rows
    return found


def evidence_with(evidence: Evidence, plan: RunPlan) -> Evidence:
    """Return the evidence with a planned run as its last one, the newest version of its ranker.

    Queries that came after the evidence was read are left out.
    """
    lists, structure = plan.lists, evidence.structure
    place = Lookup(structure.query_id).places(plan.query)
    known = place >= 0
    lengths = np.zeros(len(structure.query_id), dtype=np.int32)
    lengths[place[known]] = lists.lengths[known]
    # Unknown documents get numbers that no other has.
    highest = max(int(plan.document.max(initial=0)), int(structure.document.max(initial=0)))
    stand_in = highest + 1 + np.arange(len(plan.document))
    number = np.where(plan.document == UNKNOWN, stand_in, plan.document).astype(np.int32)
    depth = depth_needed(structure, plan.options.kind)
    rank = np.arange(lists.lines) - np.repeat(lists.starts[:-1], lists.lengths)
    row = np.repeat(place, lists.lengths)
    top = (rank < depth) & (row >= 0)
    documents = np.full((len(structure.query_id), depth), -1, dtype=np.int32)
    documents[row[top], rank[top]] = number[lists.document[top]]
    unknown = frozenset(stand_in[plan.unknown_documents()].tolist())
    return with_run(evidence, _fact(evidence, plan), documents, lengths, without_text=unknown)


def same_lists(evidence: Evidence, place: int) -> set[int]:
    """Return the places of the other runs with the lists of one, as deep as the deepest cutoff."""
    positions, lengths = evidence.structure.positions, evidence.structure.lengths
    alike = (positions == positions[:, [place]]).all(axis=(0, 2)) & (lengths == lengths[place]).all(axis=1)
    return set(np.flatnonzero(alike).tolist()) - {place}


def _fact(evidence: Evidence, plan: RunPlan) -> RunFact:
    """Return the run as it would be registered, called like its file."""
    runs = evidence.structure.runs
    same = [run for run in runs if run.ranker == plan.options.ranker]
    return RunFact(
        id=max((run.id for run in runs), default=0) + 1,
        ranker_id=same[0].ranker_id if same else max((run.ranker_id for run in runs), default=0) + 1,
        ranker=plan.options.ranker,
        kind=plan.options.kind,
        mark=same[0].mark if same else max((run.mark for run in runs), default=-1) + 1,
        version=plan.lists.file,
        note="",
        revision=evidence.revision,
        registered_at=now_utc(),
    )
