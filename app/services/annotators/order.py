"""Whether the place of an answer moved its grade, and the proof that places were drawn at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.order_effect import MARGIN, MARGIN_STARS, SHUFFLES, OrderEffect, Shown, order_effect_of
from app.scoring.order_proof import OrderProof, order_proof_of
from app.scoring.seeds import seed_of

if TYPE_CHECKING:
    from app.scoring.arrays import Ints
    from app.services.annotators.given import Given
    from app.services.annotators.sheet import Sheet
    from app.services.evidence import Evidence
    from app.services.evidence.structure import RunFact

WORK = 40_000_000
"""Grades times shuffles: more would keep whoever asks waiting for seconds."""
FEWEST_SHUFFLES = 399
NO_BLOCK = -1


@dataclass(frozen=True)
class OrderReport:
    """The finding about all annotators together, and one proof for each current run.

    `shuffles` is the number of random orders behind the finding, `level` that of each run's band.
    """

    effect: OrderEffect
    proofs: tuple[tuple[RunFact, OrderProof], ...]
    shuffles: int
    level: float


def order_report_of(evidence: Evidence, given: Given, sheet: Sheet, *, levels: int) -> OrderReport:
    """Return what the ledger says about order; gold, repeats and machines stay out."""
    graded = given.only(given.graded)
    shown = shown_of(graded, sheet)
    inside = max(1, int((shown.block != NO_BLOCK).sum()))
    shuffles = int(np.clip(WORK // inside, FEWEST_SHUFFLES, SHUFFLES))
    effect = order_effect_of(
        shown,
        seed=seed_of("order", evidence.project_id, inside),
        margin=MARGIN if levels == 4 else MARGIN_STARS,
        shuffles=shuffles,
    )
    runs = evidence.current_runs()
    level = 1 - 0.05 / max(1, len(runs))
    proofs = [_proof(evidence, graded, shown, run, level=level) for run in runs]
    facts = evidence.run_facts(runs)
    return OrderReport(effect, tuple(zip(facts, proofs, strict=True)), shuffles, level)


def shown_of(graded: Given, sheet: Sheet) -> Shown:
    """Return grades with the place at which each answer was first shown; a batch belongs to one person."""
    batch = sheet.batch[graded.first]
    known = (batch > 0) & (sheet.place[graded.first] > 0)
    return Shown(
        annotator=graded.annotator,
        item=graded.cell,
        block=np.where(known, batch, NO_BLOCK),
        place=sheet.place[graded.first],
        grade=graded.column.astype(np.float64),
    )


def _proof(evidence: Evidence, graded: Given, shown: Shown, run: int, *, level: float) -> OrderProof:
    rank = _ranks(evidence, run)[graded.cell]
    rows = np.flatnonzero((rank > 0) & (shown.block != NO_BLOCK))
    return order_proof_of(rank[rows], shown.place[rows], shown.block[rows], level=level)


def _ranks(evidence: Evidence, run: int) -> Ints:
    """Return the rank of every candidate in a run, 0 below the depth that evidence holds."""
    # Beyond the candidates stand the cells of no candidate, and of a merged one that is listed again.
    rank = np.zeros(evidence.structure.cells + 2, dtype=np.int64)
    for depth, cells in enumerate(evidence.structure.positions[:, run, :], start=1):
        rank[cells] = depth
    return rank[: evidence.structure.cells]
