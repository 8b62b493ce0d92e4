"""What was folded is kept up: after a few judgments only the candidates they are about are folded again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.models import Origin
from app.scoring.consensus import consensus_of
from app.scoring.regraded import regraded
from app.services.evidence.adjudicated import adjudicated_until
from app.services.evidence.changes import extended_changes
from app.services.evidence.current import extended_current

if TYPE_CHECKING:
    from app.scoring.arrays import Ints
    from app.scoring.judged import Judged
    from app.services.evidence.state import Evidence
    from app.services.rulers import RulerValues


def keep_up(grown: Evidence, before: Evidence) -> None:
    """Carry over to a grown evidence what the one before has folded, its own few newer rows added."""
    known, lowest = len(before.ledger), before.ruler_at().scale_low
    # Copies: other threads may fold something into the one before meanwhile.
    for counting, changes in before.folded_changes.copy().items():
        newer = extended_changes(
            changes,
            grown.ledger,
            grown.cell,
            grown.own,
            known=known,
            lowest=lowest,
            only_blind=counting[0],
            voids=grown.voids,
            machines=counting[1],
        )
        grown.folded_changes[counting] = newer
        if (counts := before.folded_counts.get(counting)) is not None:
            grown.folded_counts[counting] = newer.added_to(counts, len(changes.revision))
    for values, judged in before.folded_grades.copy().items():
        if (values.only_blind, values.machines) in grown.folded_counts:
            grown.folded_grades[values] = _kept_up(judged, grown, before, values)
    if "current" in vars(before) and len(grown.voids) == len(before.voids):
        vars(grown)["current"] = extended_current(before.current, grown.ledger, grown.cell)


def _kept_up(judged: Judged, grown: Evidence, before: Evidence, values: RulerValues) -> Judged:
    """Return the grades folded before, with those of the candidates that newer rows are about refolded."""
    counting = values.only_blind, values.machines
    first, known = len(before.folded_changes[counting].revision), len(before.ledger)
    # An adjudicator's decision is no change of counts.
    decisive = grown.ledger.role[known:] == Origin.ADJUDICATION
    moved = np.concatenate((grown.folded_changes[counting].cell[first:], grown.cell[known:][decisive]))
    if not len(cells := np.unique(moved)):
        return judged
    decided = _decided(grown, cells, only_blind=values.only_blind)
    counts = grown.folded_counts[counting][cells]
    return regraded(judged, cells, consensus_of(counts, values.consensus, decided))  # type: ignore[arg-type]


def _decided(evidence: Evidence, cells: Ints, *, only_blind: bool) -> Ints | None:
    """Return the column an adjudicator chose for each of some candidates, None without any."""
    decisions = evidence.decisions(only_blind=only_blind)
    chosen = adjudicated_until(decisions, evidence.structure.cells, evidence.revision)
    return None if chosen is None else chosen[cells]
