"""What to deal next, worked out on the evidence before the write session opens: no arithmetic under its lock.

A proposal may be overtaken. `deal_batch` takes it only if it still holds, and somebody asks again.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from sqlalchemy import select

from app.models import BatchHead
from app.scoring.priority_batches import Desk
from app.scoring.priority_batches import deal_batch as choose_batch
from app.scoring.seeds import seed_of
from app.services.assignment.checks import Checks, checks_for
from app.services.assignment.draw_log import draw_log
from app.services.assignment.free import free_for
from app.services.assignment.openings import in_depth_order
from app.services.assignment.race import race_of
from app.services.assignment.slots import BATCH_SIZE, Turn
from app.services.quality import quality_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.priority_batches import Batch
    from app.services.assignment.free import Free
    from app.services.evidence import Evidence

DAY = 86_400.0
LOOKED_AHEAD = 3
# In a batch with other answers.
MOST_CHECKS = 3


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """A batch as it should be dealt.

    Attributes
    ----------
    query_id, kind
        Its query, and why this one: ``depth``, ``race``, ``milestone``, ``drawn``, ``waiting``, ``check``,
        ``chosen``.
    number
        The number that it was worked out for: under another one it is not dealt. None in depth order.
    arms
        Candidate -> why it is in the batch; empty in depth order, where the database chooses.
    checks
        Candidate -> ``gold`` or ``repeat``: what measures the annotator, and fills no slot.
    drawable, share
        Of a drawn batch: how many answers the draw could give, and the share its query had.
    draw
        Of a drawn batch: which answers these are, as `draw_log` puts it.
    """

    query_id: int
    kind: str = "depth"
    number: int | None = None
    arms: dict[int, str] = field(default_factory=dict)
    checks: dict[int, str] = field(default_factory=dict)
    drawable: int | None = None
    share: float | None = None
    draw: dict[str, Any] | None = None


def proposals_for(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, most: int = 1
) -> list[Proposal]:
    """Return what to deal to a person next, and after that; nothing where nothing is left for them."""
    if project.state != "open":
        return []
    number = batch_number(session, project.id)
    free = free_for(session, evidence, project, person_id, now)
    checks = checks_for(session, evidence, Turn(project, person_id, now), free)
    found = _found(evidence, project, free, number, now)
    return [proposal for _, proposal in zip(range(most), _checked(found, checks), strict=False)]


def coming_for(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, most: int
) -> list[Proposal]:
    """Return what would be dealt to a person next, a question at a time, in the order of dealing: for owners.

    The first is the batch that is dealt next. The others are what the person is dealt if they ask for that
    question now (`proposal_of_query`), with the kind it would have in its turn. Checks are left out: what
    measures somebody is not told beforehand. Neither does a drawn batch name its query, for who knew it
    could evade the draw: its `query_id` is 0, and it has no arms.
    """
    if project.state != "open":
        return []
    # A question may come several times in turn.
    found = proposals_for(session, evidence, project, person_id, now, most=LOOKED_AHEAD * most)
    free = free_for(session, evidence, project, person_id, now)
    number = batch_number(session, project.id)
    if found and found[0].kind == "check":
        # Overdue checks come alone and take a number; what comes after them is worked out as for that one.
        number += 1
        later = _found(evidence, project, free, number, now)
        found = [proposal for _, proposal in zip(range(LOOKED_AHEAD * most), later, strict=False)]
    kept: dict[int, Proposal] = {}
    for proposal in found:
        shown = _unnamed(proposal) if proposal.kind == "drawn" else replace(proposal, checks={})
        kept.setdefault(shown.query_id, shown)
    coming = list(kept.values())[:most]
    for place, one in enumerate(coming[1:], 1):
        asked = _of_query(evidence, project, free, number, now, query_id=one.query_id)
        if asked is not None:
            coming[place] = replace(asked, kind=one.kind)
    return coming


def _unnamed(drawn: Proposal) -> Proposal:
    return Proposal(query_id=0, kind=drawn.kind, number=drawn.number, drawable=drawn.drawable)


def proposal_of_query(
    session: Session, evidence: Evidence, project: Project, person_id: int, now: datetime, *, query_id: int
) -> Proposal | None:
    """Return what to deal to a person who asks for one query; None where nothing of it is left for them.

    Within the query the rule chooses as ever. It is no draw and serves no turn: it is
    logged as ``chosen``.
    """
    if project.state != "open":
        return None
    free = free_for(session, evidence, project, person_id, now)
    return _of_query(evidence, project, free, batch_number(session, project.id), now, query_id=query_id)


def _of_query(
    evidence: Evidence, project: Project, free: Free, number: int, now: datetime, *, query_id: int
) -> Proposal | None:
    structure = evidence.structure
    mine = free.dealable & (structure.query_id[structure.query] == query_id)
    first = next(_found(evidence, project, replace(free, dealable=mine), number, now), None)
    if first is None:
        return None
    return replace(first, kind="chosen", number=None, drawable=None, share=None, draw=None)


def _found(
    evidence: Evidence, project: Project, free: Free, number: int, now: datetime
) -> Iterator[Proposal]:
    """Yield the batches by the project's own rule, without checks."""
    if quality_of(project).dealing == "depth":
        return _by_depth(evidence, free)
    return _by_race(evidence, project, free, number, now)


def batch_number(session: Session, project_id: int) -> int:
    """Return the number of the last batch dealt in a project."""
    return session.scalar(select(BatchHead.number).where(BatchHead.project_id == project_id)) or 0


def _checked(found: Iterator[Proposal], checks: Checks) -> Iterator[Proposal]:
    """Yield the proposals with the checks that are due; some come alone, as long as work is left."""
    for proposal in found:
        alone = checks.take_alone(BATCH_SIZE)
        if alone is not None:
            yield Proposal(query_id=alone[0], kind="check", checks=alone[1])
            # What follows was worked out for the number that this one takes.
            return
        mine = checks.take(proposal.query_id, MOST_CHECKS)
        # What chance and what was opened chose stands first; the checks take the last places.
        kept = list(proposal.arms.items())[: BATCH_SIZE - len(mine)]
        yield replace(proposal, arms=dict(kept), checks=mine)


def _by_depth(evidence: Evidence, free: Free) -> Iterator[Proposal]:
    for query_id in in_depth_order(evidence, free.dealable).queries:
        yield Proposal(query_id=query_id)


def _by_race(
    evidence: Evidence, project: Project, free: Free, number: int, now: datetime
) -> Iterator[Proposal]:
    desk = _desk(evidence, free, now)
    seed = dealing_seed(project)
    while True:
        number += 1
        batch = choose_batch(desk, number, seed=seed, size=BATCH_SIZE)
        if batch is None:
            return
        yield _proposal(evidence, desk, batch, number)
        left = desk.dealable.copy()
        left[batch.items] = False
        desk = replace(desk, dealable=left)


def dealing_seed(project: Project) -> int:
    """Return the seed of everything that dealing leaves to chance, ties included."""
    return seed_of("dealing", project.shuffle_secret.hex())


def _desk(evidence: Evidence, free: Free, now: datetime) -> Desk:
    structure, race = evidence.structure, race_of(evidence, now)
    return Desk(
        query=structure.query,
        key=structure.candidate_id,
        priority=race.priority,
        dealable=free.dealable,
        unjudged=free.ratings == 0,
        opened=free.taken > 0,
        waited=(now.timestamp() - race.pooled_since) / DAY,
        block=race.block[structure.query],
    )


def _proposal(evidence: Evidence, desk: Desk, batch: Batch, number: int) -> Proposal:
    candidates = evidence.structure.candidate_id[batch.items].tolist()
    drawn = batch.kind == "drawn"
    return Proposal(
        query_id=int(evidence.structure.query_id[batch.query]),
        kind=batch.kind,
        number=number,
        arms=dict(zip(candidates, batch.arms, strict=True)),
        drawable=len(batch.drawable) if drawn else None,
        share=batch.share,
        draw=draw_log(evidence, desk.unjudged, batch.drawable) if drawn else None,
    )
