"""How many ratings the dealing rule would have saved: the project's own ratings replayed, as measured.

Questions whose whole pool is rated are rated anew, one answer at a time, in random order, in depth order
and by the open race. What counts is the share of their ratings after which the rankers stand in the order
that all of them give, by Kendall's tau of 0.9 or more, and stay there.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.intervals import mean_and_deviation
from app.scoring.savings import share_needed
from app.scoring.seeds import seed_of, seeded_order
from app.services.next_answers.complete import Complete, TooLittle, complete_questions

if TYPE_CHECKING:
    from app.scoring.arrays import Floats
    from app.scoring.simulation import Rule
    from app.services.comparison import Basis

# A page waits for the replays: so many questions at most, and fewer draws of large ones.
MOST_QUESTIONS = 50
DRAWS, FEW_DRAWS = 20, 10
LARGE = 8_000
RULES: tuple[Rule, ...] = ("random", "depth", "open race")
RULE_OF = {"race": "open race", "depth": "depth"}
MOST_KEPT = 64

_lock = threading.Lock()
_shelf: OrderedDict[bytes, Savings | None] = OrderedDict()


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
    rankers, all_rankers
        How many are put in order, the best ones, and how many there are.
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
    all_rankers: int
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


def savings_of(basis: Basis, dealing: str) -> Savings | TooLittle | None:
    """Return what the rule of a project saved in replays of its own ratings.

    Below the sample rule it is `TooLittle`; None where all rankers score the same, so that there is no order
    to find. It is worked out once for the same complete questions.

    Parameters
    ----------
    dealing
        ``race`` or ``depth``.
    """
    key, ready = complete_questions(basis, dealing)
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


def kept_savings(basis: Basis, dealing: str) -> tuple[bool, Savings | TooLittle | None]:
    """Return whether the answer is known without any replay, and if so what it is."""
    key, ready = complete_questions(basis, dealing)
    if isinstance(ready, TooLittle):
        return True, ready
    with _lock:
        return key in _shelf, _shelf.get(key)


def _measured(ready: Complete, dealing: str, key: bytes) -> Savings | None:
    names = ready.queries
    drawn = min(len(names), MOST_QUESTIONS)
    shares: dict[str, list[float]] = {rule: [] for rule in RULES}
    sizes = []
    size = len(ready.gains) * drawn / len(names) * len(ready.weights)
    draws = DRAWS if size <= LARGE else FEW_DRAWS
    for draw in range(draws):
        seed = seed_of("savings", key.hex(), draw)
        truth = ready.truth(names[seeded_order(seed, names)[:drawn]])
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
        all_rankers=ready.all_rankers,
        questions=len(names),
        drawn=drawn,
        draws=draws,
        answers=float(np.mean(sizes)),
        measured=tuple(Measured(rule, *_mean_and_error(np.array(shares[rule]))) for rule in RULES),
        rule=own,
        saved=mean,
        error=error,
        depth_saves=depth_saves,
        depth_error=depth_error,
    )


def _mean_and_error(values: Floats) -> tuple[float, float]:
    mean, deviation = mean_and_deviation(values)
    return float(mean), float(deviation / np.sqrt(len(values)))
