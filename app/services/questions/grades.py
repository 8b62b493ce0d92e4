"""The grades of one question's answers, as its page shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from app.services.evidence.state import consensus_at

if TYPE_CHECKING:
    from app.scoring.consensus import Consensus
    from app.services.evaluation import Scoreboard
    from app.services.evidence import Evidence


class Grades:
    """The consensus of one question's candidates, by document number; merged documents share theirs."""

    def __init__(self, evidence: Evidence, board: Scoreboard, place: int) -> None:
        self.place = place
        cells = np.flatnonzero(evidence.structure.query == place)
        consensus: Consensus = consensus_at(evidence, board.ruler, board.revision)
        lowest = board.ruler.scale_low
        self.cells = cells
        self.documents: list[int] = evidence.structure.document[cells].tolist()
        self.heads = evidence.structure.heads
        stands = evidence.structure.stands
        held = cells if stands is None else stands[cells]
        self.held: list[int] = held.tolist()
        heads = [self.head_of(number) for number in self.documents]
        self.pooled = dict(zip(heads, board.judged.pooled[held].tolist(), strict=True))
        self.middle: dict[int, tuple[int, int]] = {
            number: (int(low) + lowest, int(high) + lowest)
            for number, low, high in zip(heads, consensus.low[held], consensus.high[held], strict=True)
            if low >= 0
        }

    def head_of(self, document_id: int) -> int:
        """Return the document that stands for a merged one, or itself."""
        return self.heads.get(document_id, document_id)

    def of(self, document_id: int) -> tuple[int | None, int | None]:
        """Return the two middle grades of a document, None where it is not rated."""
        return self.middle.get(self.head_of(document_id), (None, None))
