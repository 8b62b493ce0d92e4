"""What the next look will be, once what stands in its way is judged: the walk may then go further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.milestones import due_look, walk_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags
    from app.scoring.milestones import Look, Milestone, OpenBlock


@dataclass(frozen=True)
class Forecast:
    """The look that comes once the open block is judged, if all undecided queries of it become scored.

    Attributes
    ----------
    stretch, ready
        The queries of the open block, and those of them that are ready today.
    n
        The scored queries walked by then: the walk does not stop at the block's end where the queries
        behind it are ready already.
    look
        The look that is due then; ``None`` where even so too few queries are scored for one.
    """

    stretch: int
    ready: int
    n: int
    look: Look | None

    @property
    def is_ready(self) -> bool:
        """Whether every query of the open block is ready."""
        return self.ready == self.stretch


def forecast_of(
    taken: Sequence[Look],
    block: OpenBlock,
    *,
    ready: Flags,
    possible: Flags,
    last: Milestone = "all",
) -> Forecast:
    """Return the look that judging the open block leads to.

    Parameters
    ----------
    taken, last
        As for `due_look`.
    block
        The open block of the walk along that order.
    ready
        bool (queries,) in the plan's order.
    possible
        bool (queries,): covered by all compared runs, and scored or, where judging the block can still
        decide it, undecided.
    """
    filled = ready.copy()
    filled[block.places] = True
    then = walk_of(filled, possible, np.ones_like(possible))
    return Forecast(
        stretch=block.end,
        ready=int(np.count_nonzero(ready[: block.end])),
        n=then.n,
        look=due_look(then, taken, last),
    )
