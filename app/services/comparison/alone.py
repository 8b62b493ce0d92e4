"""The sign-flip test of one pair alone: a reading beside the verdict, kept for as long as its scores stay.

It takes a tenth of a second on thousands of queries. What was tested before is known by its content, so an
unchanged page asks nothing anew, and any change of a score does.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from app.scoring.seeds import seed_of
from app.scoring.significance import compare_rankers
from app.scoring.verdict import LEAST_QUERIES

if TYPE_CHECKING:
    from app.scoring.significance import PairTests
    from app.services.comparison.basis import Basis
    from app.services.comparison.pairs import PairVerdict

MOST_KEPT = 256

_lock = threading.Lock()
_shelf: OrderedDict[tuple[int, bytes], PairTests] = OrderedDict()


def pair_alone(basis: Basis, pair: PairVerdict) -> PairTests | None:
    """Return the test of a pair on all its common queries, not adjusted for others; None with too few."""
    if pair.n < LEAST_QUERIES:
        return None
    ids = sorted((pair.first.id, pair.second.id))
    seed = seed_of(basis.board.ruler.fingerprint, *ids, pair.n)
    scores = basis.values[list(pair.rows)][:, pair.queries]
    key = (seed, hashlib.sha256(scores.tobytes()).digest())
    with _lock:
        kept = _shelf.get(key)
    # Worked out outside the lock: two that ask at once both work, and nobody waits for another pair.
    tests = kept or compare_rankers(scores, seed=seed)
    with _lock:
        _shelf[key] = tests
        _shelf.move_to_end(key)
        while len(_shelf) > MOST_KEPT:
            _shelf.popitem(last=False)
    return tests
