"""What to assign next, worked out on the evidence before the write session opens, not under its lock.

A proposal may be overtaken. `deal_batch` takes it only if it still holds, and somebody asks again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import bindparam, select

from app.models import Assignment, BatchHead
from app.scoring.priority_batches import RATED, Numbers, next_batch
from app.services.assignment.checks import Checks, checks_for
from app.services.assignment.desk import dealing_seed, desk_for
from app.services.assignment.eligibility import free_for
from app.services.assignment.slots import BATCH_SIZE, Turn

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.priority_batches import Batch, Desk
    from app.services.evidence import Evidence

LOOKED_AHEAD = 3
# In a batch with other answers.
MOST_CHECKS = 3
# Built once: it is asked at every rating.
NUMBERS = select(BatchHead.odd, BatchHead.even).where(BatchHead.project_id == bindparam("project"))


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A batch as it should be assigned.

    Attributes
    ----------
    query_id, kind
        Its query, and why this one: ``requested``, ``finish``, ``front``, ``waiting``, ``random``, ``check``,
        ``chosen``.
    number
        The number that it was worked out for: where it is not the next one any more, it is not assigned. None
        where any number will do.
    arms
        Candidate -> ``answer``, or ``second`` where it has a rating; empty where the database chooses.
    checks
        Candidate -> ``gold`` or ``repeat``: what measures the annotator, and fills no slot.
    """

    query_id: int
    kind: str = "front"
    number: int | None = None
    arms: dict[int, str] = field(default_factory=dict)
    checks: dict[int, str] = field(default_factory=dict)


def proposals_for(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, most: int = 1
) -> list[Proposal]:
    """Return what to assign to a person next, and after that; nothing where nothing is left for them."""
    turn = Turn(project, person_id, now)
    free = free_for(session, evidence, project, person_id, now)
    desk = desk_for(session, evidence, project, free, now)
    checks = checks_for(session, evidence, turn, free)
    found = _found(
        evidence, turn, desk, next_numbers(session, project.id), begun_query(session, evidence, turn)
    )
    return [proposal for _, proposal in zip(range(most), _checked(found, checks), strict=False)]


def coming_for(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, most: int
) -> list[Proposal]:
    """Return what comes next for a person, each question once, in its order: for owners.

    Checks are left out: what measures somebody is not told beforehand.
    """
    turn = Turn(project, person_id, now)
    desk = desk_for(session, evidence, project, free_for(session, evidence, project, person_id, now), now)
    begun = begun_query(session, evidence, turn)
    found = _found(evidence, turn, desk, next_numbers(session, project.id), begun)
    kept: dict[int, Proposal] = {}
    # A question may come several times in turn.
    for _, proposal in zip(range(LOOKED_AHEAD * most), found, strict=False):
        kept.setdefault(proposal.query_id, proposal)
        if len(kept) == most:
            break
    return list(kept.values())


def proposal_of_query(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, query_id: int
) -> Proposal | None:
    """Return what to assign to a person who asks for one query; None where nothing of it is left for them.

    Within the query the rule chooses as ever. It serves no turn: it is logged as ``chosen``.
    """
    structure = evidence.structure
    free = free_for(session, evidence, project, person_id, now)
    here = free.shown & (structure.query_id[structure.query] == query_id)
    desk = desk_for(session, evidence, project, replace(free, shown=here), now)
    numbers = next_numbers(session, project.id)
    first = next(_found(evidence, Turn(project, person_id, now), desk, numbers, None), None)
    return None if first is None else replace(first, kind="chosen", number=None)


def next_numbers(session: Session, project_id: int) -> Numbers:
    """Return the next odd and the next even number of a project's batches."""
    row = session.execute(NUMBERS, {"project": project_id}).one_or_none()
    return Numbers(*row) if row else Numbers()


def begun_query(session: Session, evidence: Evidence, turn: Turn) -> int | None:
    """Return the place of the query that a person's last batch was finishing, or None."""
    last = session.execute(
        select(Assignment.kind, Assignment.query_id)
        .where(Assignment.project_id == turn.project.id, Assignment.person_id == turn.person_id)
        .order_by(Assignment.id.desc())
        .limit(1)
    ).one_or_none()
    if last is None or last.kind != "finish":
        return None
    places = np.flatnonzero(evidence.structure.query_id == last.query_id)
    return int(places[0]) if len(places) else None


def _checked(found: Iterator[Proposal], checks: Checks) -> Iterator[Proposal]:
    """Yield the proposals with the checks that are due; some come alone, as long as work is left."""
    for proposal in found:
        alone = checks.take_alone(BATCH_SIZE)
        if alone is not None:
            yield Proposal(query_id=alone[0], kind="check", checks=alone[1])
            # What follows was worked out for the number that this one takes.
            return
        mine = checks.take(proposal.query_id, MOST_CHECKS)
        # What the batch is for comes first; the checks take the last places.
        kept = list(proposal.arms.items())[: BATCH_SIZE - len(mine)]
        yield replace(proposal, arms=dict(kept), checks=mine)


def _found(
    evidence: Evidence, turn: Turn, desk: Desk, numbers: Numbers, begun: int | None
) -> Iterator[Proposal]:
    """Yield the batches by the project's own rule, without checks."""
    seed = dealing_seed(turn.project)
    while (batch := next_batch(desk, numbers, seed=seed, begun=begun, size=BATCH_SIZE)) is not None:
        yield _proposal(evidence, desk, batch)
        left = desk.dealable.copy()
        left[batch.items] = False
        desk, numbers = replace(desk, dealable=left), numbers.after(batch.number)
        begun = batch.query if batch.kind == "finish" else None


def _proposal(evidence: Evidence, desk: Desk, batch: Batch) -> Proposal:
    structure = evidence.structure
    arms = ["second" if state == RATED else "answer" for state in desk.touched[batch.items]]
    return Proposal(
        query_id=int(structure.query_id[batch.query]),
        kind=batch.kind,
        number=batch.number,
        arms=dict(zip(structure.candidate_id[batch.items].tolist(), arms, strict=True)),
    )
