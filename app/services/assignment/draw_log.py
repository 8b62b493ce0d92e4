"""What a draw could give, kept beside its batch: an estimate over drawn batches needs the very answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Ints
    from app.services.evidence import Evidence


def draw_log(evidence: Evidence, unjudged: Flags, drawable: Ints) -> dict[str, Any]:
    """Return which unjudged pool answers a draw could give, as a JSON object.

    ``revision`` is that of the evidence it was worked out on. Then the candidate ids, ascending, of
    whichever are fewer: ``could``, those it could give, or ``could_not``, the unjudged pool answers of that
    revision that it could not (on lease, withheld, or unfit for the annotator).

    Parameters
    ----------
    unjudged
        bool (items,): without a grade that counts.
    drawable
        integers: the items that the draw could give.
    """
    others = evidence.pooled() & unjudged
    others[drawable] = False
    could_not = np.flatnonzero(others)
    name, items = ("could_not", could_not) if len(could_not) < len(drawable) else ("could", drawable)
    ids = np.sort(evidence.structure.candidate_id[items]).tolist()
    return {"revision": evidence.revision, name: ids}
