"""A run that is scored without being registered: the project as it would be after an import."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.models import now_utc
from app.services.evidence.adding import depth_needed, with_run
from app.services.evidence.lookup import Lookup
from app.services.evidence.structure import RunFact
from app.services.external_ids import UNKNOWN

if TYPE_CHECKING:
    from app.services.evidence import Evidence
    from app.services.runs.planning import RunPlan


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
    depth = depth_needed(structure)
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
