"""How many ratings the dealing rule would have saved: the project's own ratings replayed, as measured.

Questions whose whole pool is rated are rated anew, one answer at a time, in random order, in depth order
and by the open race. What counts is the share of their ratings after which the rankers stand in the order
that all of them give, by Kendall's tau of 0.9 or more, and stay there.
"""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.intervals import mean_and_deviation
from app.scoring.priority import Candidates
from app.scoring.savings import share_needed
from app.scoring.seeds import seed_of, seeded_order
from app.scoring.simulation import Truth

if TYPE_CHECKING:
    from app.scoring.arrays import Floats, Ints
    from app.scoring.simulation import Rule
    from app.services.evidence import Evidence

LEAST_RANKERS = 3
LEAST_QUESTIONS = 10
# Questions in one draw, so that a page can wait for it.
MOST_QUESTIONS = 50
DRAWS = 20
RULES: tuple[Rule, ...] = ("random", "depth", "open race")
RULE_OF = {"race": "open race", "depth": "depth"}
MOST_KEPT = 64

_lock = threading.Lock()
_shelf: OrderedDict[bytes, Savings | None] = OrderedDict()


@dataclass(frozen=True)
class TooLittle:
    """Why nothing is measured: fewer rankers, or fewer complete questions, than the rule wants."""

    rankers: int
    questions: int


@dataclass(frozen=True)
class Measured:
    """The share of the ratings that one order needed: its mean over the draws, with its standard error."""

    rule: str
    share: float
    error: float


@dataclass(frozen=True)
class Savings:
    """What the replays showed.

    Attributes
    ----------
    questions, drawn
        Complete questions, and how many of them each draw holds.
    answers
        Ratings in a draw, on average.
    measured
        For each order.
    saved, error
        How many ratings of a draw the project's own rule needed fewer than chance, paired over the draws,
        and the standard error of that.
    depth_saves, depth_error
        How many fewer depth order needed than the project's own rule.
    """

    rankers: int
    questions: int
    drawn: int
    draws: int
    answers: float
    measured: tuple[Measured, ...]
    rule: str
    saved: float
    error: float
    depth_saves: float
    depth_error: float

    @property
    def is_clear(self) -> bool:
        """Whether the difference is more than two standard errors from none."""
        return abs(self.saved) > 2 * self.error

    @property
    def is_depth_better(self) -> bool:
        """Whether depth order would clearly have needed fewer ratings than the project's own rule."""
        return self.depth_saves > 2 * self.depth_error


def savings_of(evidence: Evidence, dealing: str) -> Savings | TooLittle | None:
    """Return what the rule of a project saved in replays of its own ratings.

    Below the sample rule it is `TooLittle`; None where all rankers score the same, so that there is no order
    to find. It is worked out once for the same complete questions.

    Parameters
    ----------
    dealing
        ``race`` or ``depth``.
    """
    key, ready = _material(evidence, dealing)
    if isinstance(ready, TooLittle):
        return ready
    with _lock:
        if key in _shelf:
            _shelf.move_to_end(key)
            return _shelf[key]
    found = _measured(ready, dealing, key)
    with _lock:
        _shelf[key] = found
        while len(_shelf) > MOST_KEPT:
            _shelf.popitem(last=False)
    return found


def kept_savings(evidence: Evidence, dealing: str) -> tuple[bool, Savings | TooLittle | None]:
    """Return whether the answer is known without any replay, and if so what it is."""
    key, ready = _material(evidence, dealing)
    if isinstance(ready, TooLittle):
        return True, ready
    with _lock:
        return key in _shelf, _shelf.get(key)


@dataclass(frozen=True)
class _Ready:
    """The complete questions: their items in order of the queries, as `Candidates` and `Truth` want them."""

    query: Ints
    weights: Floats
    popularity: Ints
    gains: Floats
    highest: float
    evidence: Evidence

    @property
    def queries(self) -> Ints:
        return np.unique(self.query)


def _material(evidence: Evidence, dealing: str) -> tuple[bytes, _Ready | TooLittle]:
    judged, runs = evidence.judged(), evidence.current_runs()
    structure, queries = evidence.structure, len(evidence.structure.query_id)
    pooled = np.bincount(structure.query[judged.pooled], minlength=queries)
    rated = np.bincount(structure.query[judged.pooled & judged.judged], minlength=queries)
    complete = (pooled > 0) & (rated == pooled) & evidence.active_queries() & judged.scored
    complete &= evidence.covered(runs).all(axis=0)
    if len(runs) < LEAST_RANKERS or complete.sum() < LEAST_QUESTIONS:
        return b"", TooLittle(len(runs), int(complete.sum()))
    items = np.flatnonzero(judged.pooled & complete[structure.query])
    ready = _Ready(
        query=structure.query[items],
        weights=_weights(evidence, runs, items),
        popularity=structure.times_pooled(runs, evidence.depth_at())[items],
        gains=judged.gain[: judged.absent][items],
        highest=judged.ruler.largest_gain,
        evidence=evidence,
    )
    said = hashlib.sha256(f"{dealing}|{evidence.ruler_at().fingerprint}".encode())
    for part in (ready.query, ready.weights, ready.gains):
        said.update(np.ascontiguousarray(part).tobytes())
    return said.digest(), ready


def _weights(evidence: Evidence, runs: list[int], items: Ints) -> Floats:
    """Return the discount at which each run returns each item: float64 (runs, items)."""
    structure = evidence.structure
    discounts = evidence.judged().ruler.discounts(evidence.ruler_at().k)
    queries = np.unique(structure.query[items])
    # What is not among the items goes to a column of its own, which is left behind.
    column = np.full(structure.cells + 2, len(items))
    column[items] = np.arange(len(items))
    table = np.zeros((len(runs), len(items) + 1))
    for rank in range(min(discounts.depth, len(structure.positions))):
        places = structure.positions[rank][runs][:, queries]
        np.put_along_axis(table, column[places], discounts.weights[rank], axis=1)
    return table[:, :-1]


def _measured(ready: _Ready, dealing: str, key: bytes) -> Savings | None:
    names = ready.queries
    drawn = min(len(names), MOST_QUESTIONS)
    shares: dict[str, list[float]] = {rule: [] for rule in RULES}
    sizes = []
    for draw in range(DRAWS):
        seed = seed_of("savings", key.hex(), draw)
        truth = _truth(ready, names[seeded_order(seed, names)[:drawn]])
        found = [share_needed(truth, rule, seed=seed) for rule in RULES]
        if None in found:
            return None
        sizes.append(len(truth.gains))
        for rule, share in zip(RULES, found, strict=True):
            shares[rule].append(share or 0.0)
    own = RULE_OF[dealing]
    saved = (np.array(shares["random"]) - np.array(shares[own])) * np.array(sizes)
    mean, error = _mean_and_error(saved)
    against_depth = (np.array(shares[own]) - np.array(shares["depth"])) * np.array(sizes)
    depth_saves, depth_error = _mean_and_error(against_depth)
    return Savings(
        rankers=len(ready.weights),
        questions=len(names),
        drawn=drawn,
        draws=DRAWS,
        answers=float(np.mean(sizes)),
        measured=tuple(Measured(rule, *_mean_and_error(np.array(shares[rule]))) for rule in RULES),
        rule=own,
        saved=mean,
        error=error,
        depth_saves=depth_saves,
        depth_error=depth_error,
    )


def _truth(ready: _Ready, chosen: Ints) -> Truth:
    """Return the complete judgments of some questions."""
    chosen = np.sort(chosen)
    mine = np.flatnonzero(np.isin(ready.query, chosen))
    candidates = Candidates(
        query=np.searchsorted(chosen, ready.query[mine]),
        weights=ready.weights[:, mine],
        pooled=np.ones(len(mine), dtype=np.bool_),
        current=np.ones(len(ready.weights), dtype=np.bool_),
        popularity=ready.popularity[mine],
    )
    ruler = ready.evidence.judged().ruler
    discounts = ruler.discounts(ready.evidence.ruler_at().k)
    return Truth(candidates, ready.gains[mine], discounts, len(chosen), ready.highest)


def _mean_and_error(values: Floats) -> tuple[float, float]:
    mean, deviation = mean_and_deviation(values)
    return float(mean), float(deviation / np.sqrt(len(values)))
