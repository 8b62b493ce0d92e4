"""Taking a look: worked out without any lock, written in one short transaction, never twice.

A rating never waits for a test. Whoever reads a page or ends an import finds out that a look is due,
works it out from evidence alone, and then writes two rows at most under the lock of the ledger's head.
If somebody else was faster, or the runs, queries or ruler moved meanwhile, nothing is written, and the
next reader finds out anew.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sqlalchemy import select

from app.models import Event, EventKind, LedgerHead
from app.scoring.bounds import difference_bounds, run_bounds
from app.scoring.looks import take_look
from app.scoring.means import exact_sums
from app.scoring.seeds import seed_of
from app.services.comparison.kept_bounds import block_of
from app.services.comparison.looks import look_payload, tested_places
from app.services.comparison.plans import plan_payload
from app.services.comparison.walking import state_of
from app.services.evidence.structure import QUIET
from app.services.ledger import record_event

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.scoring.arrays import Floats, Ints
    from app.scoring.milestones import Look
    from app.scoring.verdict import PairLook
    from app.services.comparison.basis import Basis
    from app.services.comparison.plans import Plan
    from app.services.comparison.walking import PlanState

# After these the look would be of another moment, or has been taken.
UNSETTLING = [kind.value for kind in EventKind if kind not in QUIET or kind in {"plan", "look"}]

MOST_EXACT = 200_000
"""Pairs times queries whose exact bounds a look works out: about a second of work."""


@dataclass(frozen=True)
class DueWork:
    """What is to be written: a plan that is not declared yet, or a look with its result, or both."""

    project_id: int
    revision: int
    ruler_id: int
    plan: Plan
    look: Look | None
    said: dict[str, Any]


def find_due(basis: Basis) -> DueWork | None:
    """Return what is due at this moment, worked out; None where there is nothing to write."""
    state = state_of(basis)
    if state is None or not len(state.order) or (state.plan.revision is not None and state.due is None):
        return None
    return DueWork(
        project_id=basis.evidence.project_id,
        revision=basis.evidence.revision,
        ruler_id=_ruler_id(basis),
        plan=state.plan,
        look=state.due,
        said=_result(basis, state, state.due) if state.due else {},
    )


def record_due(session: Session, due: DueWork) -> bool:
    """Write what is due, and tell whether it was; it is not if somebody was faster or the ground moved."""
    # The same row that every rating takes its number from: nobody can write in between.
    session.execute(
        select(LedgerHead.revision).where(LedgerHead.project_id == due.project_id).with_for_update()
    ).one()
    if _has_moved(session, due):
        return False
    declared = due.plan.revision
    if declared is None:
        payload = plan_payload(due.ruler_id, due.plan)
        declared = record_event(session, due.project_id, EventKind.PLAN, payload).revision
    if due.look is not None:
        said = look_payload(declared, due.revision, due.look, ruler_id=due.ruler_id, **due.said)
        record_event(session, due.project_id, EventKind.LOOK, said)
    return True


def _has_moved(session: Session, due: DueWork) -> bool:
    newer = select(Event.revision).where(
        Event.project_id == due.project_id, Event.revision > due.revision, Event.kind.in_(UNSETTLING)
    )
    return session.scalar(newer.limit(1)) is not None


def _ruler_id(basis: Basis) -> int:
    present = basis.board.ruler.fingerprint
    return max(
        number for number, ruler in basis.evidence.structure.rulers.items() if ruler.fingerprint == present
    )


def _result(basis: Basis, state: PlanState, look: Look) -> dict[str, Any]:
    """Return what the look says, with the runs in the order of their numbers."""
    rows = [basis.rows[number] for number in state.plan.run_ids]
    walked, baseline = state.walked, state.plan.baseline
    against = None if baseline is None else state.plan.run_ids.index(baseline)
    weights = [float(basis.weight_judged[row, walked].mean()) for row in rows]
    pairs: list[PairLook] = take_look(
        look,
        basis.values[rows][:, walked],
        seed=seed_of(basis.board.ruler.fingerprint, *state.plan.run_ids, look.n),
        baseline=against,
        bounds=_bounds(basis, rows, walked, against),
        weight_judged=np.array(weights),
        complete=basis.complete,
    )
    return {
        "run_ids": state.plan.run_ids,
        "baseline": baseline,
        "query_ids": basis.evidence.structure.query_id[walked].tolist(),
        "weight_judged": weights,
        "pairs": pairs,
    }


def _bounds(basis: Basis, rows: list[int], walked: Ints, baseline: int | None) -> list[tuple[float, float]]:
    """Return the mean bounds over the queries walked of the pairs that a look tests, in their order.

    Of very many pairs the exact ones would take minutes: the bounds of both runs, one minus the other, hold
    as well and are only wider. No claim rests on the difference: a query walked is ready, and grades that
    are as good as complete keep their sign by that alone.
    """
    first, second = tested_places(len(rows), baseline)
    if not basis.bounded:
        return [(-1.0, 1.0)] * len(first)
    block = block_of(basis, walked, rows)
    if len(first) * len(walked) <= MOST_EXACT:
        low, high = difference_bounds(block, first, second)
        return _mean_ends(low, high)
    low, high = run_bounds(block)
    ends = np.array(_mean_ends(low, high))
    return [(float(a), float(b)) for a, b in zip(*_subtracted(ends, first, second), strict=True)]


def _subtracted(ends: Floats, first: Ints, second: Ints) -> tuple[Floats, Floats]:
    return ends[second, 0] - ends[first, 1], ends[second, 1] - ends[first, 0]


def _mean_ends(low: Floats, high: Floats) -> list[tuple[float, float]]:
    """Return the exactly summed means of rows of bounds."""
    return [
        (a / low.shape[1], b / low.shape[1]) for a, b in zip(exact_sums(low), exact_sums(high), strict=True)
    ]
