"""How far the present plan has come: queries walked, looks taken, the look that is due, what is next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from app.scoring.look_forecast import forecast_of
from app.scoring.milestones import Milestone, due_look, next_milestone, open_block, ready_queries, walk_of
from app.services.comparison.looks import looks_of
from app.services.comparison.plans import order_of, plan_for

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.scoring.look_forecast import Forecast
    from app.scoring.milestones import Look, OpenBlock, Walk
    from app.services.comparison.basis import Basis
    from app.services.comparison.looks import TakenLook
    from app.services.comparison.plans import Plan


KEPT_AS = "plan_state"


@dataclass(frozen=True)
class PlanState:
    """A plan as it stands at one moment.

    Attributes
    ----------
    order
        int (n,): the places of its queries, in order.
    walk
        Over that order.
    taken
        Its looks so far, oldest first.
    due
        The look that is due now.
    milestone
        The next one; None after the last look.
    block
        The stretch of the order that would reach it.
    forecast
        The look that comes once that stretch is rated; None after the last look.
    """

    plan: Plan
    order: Ints
    walk: Walk
    taken: tuple[TakenLook, ...]
    due: Look | None
    milestone: Milestone | None
    block: OpenBlock | None
    forecast: Forecast | None

    @property
    def walked(self) -> Ints:
        """The places of the scored queries walked, in order."""
        return self.order[self.walk.places]

    @property
    def waiting(self) -> Ints:
        """The places of the queries whose ratings bring the next milestone nearer."""
        return self.order[self.block.places] if self.block else np.zeros(0, dtype=np.int64)


def state_of(basis: Basis) -> PlanState | None:
    """Return how far the plan of a basis's runs has come; None for fewer than two runs.

    It is worked out once for a basis, which never changes.
    """
    if len(basis.board.runs) < 2:
        return None
    found: dict[str, Any] = vars(basis)
    if KEPT_AS not in found:
        found[KEPT_AS] = _state_of(basis)
    state: PlanState = found[KEPT_AS]
    return state


def _state_of(basis: Basis) -> PlanState:
    plan = plan_for(basis.evidence, basis.places)
    order = order_of(basis.evidence, plan)
    taken = tuple(looks_of(basis.evidence, plan))
    looks = [look.look for look in taken]
    ready = ready_queries(basis.weight_judged[:, order], complete=basis.complete)
    covered: Flags = np.asarray(basis.covered.all(axis=0))[order]
    scored = covered & basis.board.scored[order]
    walk = walk_of(ready, scored, covered)
    possible = covered & basis.possible[order]
    block = open_block(walk, looks, ready=ready, possible=possible, last=plan.last)
    # What is ready already is not decided by the ratings that the next look waits for.
    decided = np.where(ready, scored, possible)
    return PlanState(
        plan=plan,
        order=order,
        walk=walk,
        taken=taken,
        due=due_look(walk, looks, plan.last),
        milestone=next_milestone(walk, looks, plan.last),
        block=block,
        forecast=None
        if block is None
        else forecast_of(looks, block, ready=ready, possible=decided, last=plan.last),
    )
