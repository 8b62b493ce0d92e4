"""Plans: what is compared, under which ruler, and in which order the queries are walked.

A plan is declared in the ledger before its first look, so that nobody can choose the moment of a test by
its outcome. The order of its queries follows from the ledger alone: it is drawn with a seed that knows
neither ratings nor scores.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from app.models import EventKind
from app.scoring.milestones import Milestone, extended_order
from app.scoring.seeds import seed_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from app.scoring.arrays import Ints
    from app.services.evidence import Evidence
    from app.services.evidence.structure import EventFact
    from app.services.rulers import RulerValues

GROWTH = {EventKind.QUERIES_ADDED, EventKind.QUERY_RESTORED}


@dataclass(frozen=True)
class Plan:
    """One comparison declared beforehand.

    Attributes
    ----------
    revision, at
        When it was declared; None while it is not in the ledger yet.
    ruler
        In force then; its unjudged policy may change within the plan, nothing else.
    run_ids
        The compared runs by their numbers, ascending.
    last
        The last milestone.
    baseline
        The run that the others are tested against; None where all pairs are tested.
    """

    revision: int | None
    at: datetime | None
    ruler: RulerValues
    run_ids: tuple[int, ...]
    last: Milestone = "all"
    baseline: int | None = None

    @property
    def core(self) -> str:
        """The fingerprint of what may not change within the plan."""
        return core_of(self.ruler)

    @property
    def seed(self) -> int:
        """The seed of its order of queries."""
        return seed_of("plan", self.core, *self.run_ids)

    def compares(self, *run_ids: int) -> bool:
        """Tell whether all these runs are among the compared ones."""
        return set(run_ids) <= set(self.run_ids)


def core_of(ruler: RulerValues) -> str:
    """Return the fingerprint of a ruler without its unjudged policy."""
    return replace(ruler, unjudged="open").fingerprint


def plans_of(evidence: Evidence) -> list[Plan]:
    """Return every plan of the ledger, oldest first."""
    return [_plan(evidence, event) for event in evidence.structure.events if event.kind == EventKind.PLAN]


def plan_for(evidence: Evidence, runs: Sequence[int]) -> Plan:
    """Return the plan of some runs, by their places, under the present ruler: declared already, or new.

    A plan that is in the ledger is gone on with: coming back to the same runs and ruler buys no new 5%.
    """
    ruler = evidence.ruler_at()
    run_ids = tuple(sorted(run.id for run in evidence.run_facts(runs)))
    new = Plan(None, None, ruler, run_ids)
    declared = [plan for plan in plans_of(evidence) if (plan.core, plan.run_ids) == (new.core, run_ids)]
    return next(iter(declared), new)


def plan_payload(ruler_id: int, plan: Plan) -> dict[str, Any]:
    """Return what the ledger keeps of a plan."""
    return {"ruler_id": ruler_id, "run_ids": list(plan.run_ids), "last": plan.last, "baseline": plan.baseline}


def order_of(evidence: Evidence, plan: Plan) -> Ints:
    """Return the places of the active queries in the order of the plan.

    The queries of its first day come in one seeded order, those added or restored later after them,
    shuffled among themselves. A retired query leaves its place empty.
    """
    begin = evidence.revision if plan.revision is None else plan.revision
    later = [
        event.revision
        for event in evidence.structure.events
        if event.revision > begin and event.kind in GROWTH
    ]
    numbers = evidence.structure.query_id
    order: Ints = np.zeros(0, dtype=np.int64)
    for revision in (begin, *later):
        order = extended_order(order, numbers[evidence.active_queries(revision)], seed=plan.seed)
    by_number = np.argsort(numbers, kind="stable")
    places = by_number[np.searchsorted(numbers, order, sorter=by_number)]
    return np.asarray(places[evidence.active_queries()[places]])


def _plan(evidence: Evidence, event: EventFact) -> Plan:
    said = event.payload
    ruler = evidence.structure.rulers[said["ruler_id"]]
    return Plan(event.revision, event.at, ruler, tuple(said["run_ids"]), said["last"], said.get("baseline"))
