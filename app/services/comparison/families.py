"""Families: the pairs that one question asks about together, and the final test over them."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.seeds import seed_of
from app.scoring.significance import FLIPS, FamilyTests, compare_pairs
from app.scoring.verdict import may_be_final
from app.services.comparison.samples import finished_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.services.comparison.basis import Basis

MANY_PAIRS, FLIPS_OF_MANY = 200, 1_999
MOST_KEPT = 64

_lock = threading.Lock()
_cache: OrderedDict[tuple[int, int, bytes], FamilyTests] = OrderedDict()


@dataclass(frozen=True)
class Family:
    """The pairs of rows that are asked about together.

    Where there is a reference every other row stands against it; else every two rows are a pair.
    """

    pairs: tuple[tuple[int, int], ...]

    def __len__(self) -> int:
        return len(self.pairs)


def family_of(rows: Sequence[int], reference: int | None = None) -> Family:
    """Return the family of some rows: all pairs of them, or each against a reference."""
    if reference is None:
        return Family(tuple(combinations(rows, 2)))
    return Family(tuple((row, reference) for row in rows if row != reference))


def final_tests(basis: Basis, family: Family) -> dict[tuple[int, int], float]:
    """Return the adjusted P of every finished pair of a family, by its rows in either order."""
    ready = _ready(basis, family.pairs)
    if not ready:
        return {}
    tests = _tested(basis, ready, names=_names(basis, ready))
    return _by_rows(ready, tests.adjusted.tolist())


def single_tests(basis: Basis, pairs: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Return the P of every finished pair that is asked about alone, by its rows in either order.

    The patterns of signs depend on the number of queries alone, not on the runs: hundreds of versions are
    tested against the version before them in one pass, and each gets the P that it has by itself.
    """
    found: dict[tuple[int, int], float] = {}
    groups: dict[bytes, list[tuple[int, int]]] = {}
    counted = basis.board.counted
    for a, b in _ready(basis, pairs):
        groups.setdefault((counted[a] & counted[b]).tobytes(), []).append((a, b))
    for group in groups.values():
        found |= _by_rows(group, _tested(basis, group, names=()).raw.tolist())
    return found


@dataclass(frozen=True)
class AloneTest:
    """The sign-flip test of one pair by itself, on all its scored queries, finished or not.

    Attributes
    ----------
    p
        Not adjusted for anything.
    resamples
        The patterns of signs compared: all of them where `exact`, else drawn from `seed`.
    """

    p: float
    resamples: int
    exact: bool
    seed: int


def alone_test(basis: Basis, rows: tuple[int, int]) -> AloneTest | None:
    """Return the sign-flip test of a pair by itself, for experts; None without a query.

    The final test of a pair that is asked about alone is this one, once the pair is finished.
    """
    counted = basis.board.counted
    n = int(np.count_nonzero(counted[rows[0]] & counted[rows[1]]))
    if not n:
        return None
    tests = _tested(basis, [rows], names=())
    seed = seed_of(basis.board.ruler.fingerprint, n)
    return AloneTest(float(tests.raw[0]), tests.resamples, tests.exact, seed)


def _ready(basis: Basis, pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the pairs that take part in a final test."""
    finished = [pair for pair, done in zip(pairs, finished_pairs(basis, pairs), strict=True) if done]
    if not finished:
        return []
    counted = basis.board.counted.astype(np.float64)
    judged = basis.board.values[f"judged@{basis.board.ruler.k}"]
    numbers = counted @ counted.T
    # The mean judged@k of each row, over the queries that it shares with each other row.
    shares = np.where(basis.board.counted, judged, 0.0) @ counted.T / np.maximum(numbers, 1.0)
    return [
        (a, b)
        for a, b in finished
        if may_be_final(
            int(numbers[a, b]),
            (float(shares[a, b]), float(shares[b, a])),
            finished=True,
            complete=basis.complete,
        )
    ]


def _names(basis: Basis, pairs: Sequence[tuple[int, int]]) -> tuple[int, ...]:
    return tuple(sorted({basis.board.runs[row].run.id for pair in pairs for row in pair}))


def _tested(basis: Basis, pairs: list[tuple[int, int]], *, names: tuple[int, ...]) -> FamilyTests:
    """Return the tests of some pairs, kept by everything that goes into them."""
    rows = sorted({row for pair in pairs for row in pair})
    at = {row: place for place, row in enumerate(rows)}
    counted = basis.board.counted[rows]
    scores = np.where(counted, basis.values[rows], 0.0)
    numbers = np.array([(at[a], at[b]) for a, b in pairs])
    n = int(np.count_nonzero(counted.sum(axis=0) > 1))
    seed = seed_of(basis.board.ruler.fingerprint, *names, n)
    flips = FLIPS if len(pairs) <= MANY_PAIRS or not names else FLIPS_OF_MANY
    content = hashlib.sha256(b"".join(part.tobytes() for part in (scores, counted, numbers))).digest()
    key = (seed, flips, content)
    with _lock:
        kept = _cache.get(key)
    # Worked out outside the lock: two that ask at once both work, and nobody waits for another project.
    tests = kept or compare_pairs(scores, counted, numbers, seed=seed, flips=flips)
    with _lock:
        _cache[key] = tests
        _cache.move_to_end(key)
        while len(_cache) > MOST_KEPT:
            _cache.popitem(last=False)
    return tests


def _by_rows(pairs: Sequence[tuple[int, int]], p: list[float]) -> dict[tuple[int, int], float]:
    found = dict(zip(pairs, p, strict=True))
    return found | {(b, a): value for (a, b), value in found.items()}
