"""Why an answer is asked about next, in one plain sentence: what the dealing rule saw in it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from app.scoring.priority import LEAST_OPEN
from app.services.assignment import FRESH
from app.services.wording import counted

if TYPE_CHECKING:
    from datetime import datetime

    from app.scoring.arrays import Floats, Ints
    from app.services.assignment import Race
    from app.services.evidence import Evidence

# Of a race whose mean difference is below two standard errors: exp(-z^2 / 8) at z = 2.
OPEN = LEAST_OPEN + float(np.exp(-0.5))
DAY = 86_400.0


@dataclass(frozen=True)
class Reasons:
    """What sentences are made of, for one project at one moment.

    Attributes
    ----------
    active, current
        Places of the runs in the evidence.
    names
        Of every active run: its ranker, with the version where a ranker has several in the pool.
    fresh
        The current runs registered within the last seven days.
    race
        None where the project deals in depth order.
    """

    evidence: Evidence
    active: list[int]
    current: list[int]
    names: dict[int, str]
    fresh: frozenset[int]
    weights: Floats
    race: Race | None
    now: datetime

    def why(self, arm: str, cell: int, *, ratings: int = 0, wanted: int = 1) -> str:
        """Return the sentence for a candidate that came into a batch by an arm."""
        if arm == "uniform":
            return "Picked at random, as one answer in five is: it keeps easy and hard ones mixed."
        if arm == "waiting" and self.race is not None:
            days = int((self.now.timestamp() - self.race.pooled_since[cell]) / DAY)
            return f"It has waited longest for a rating: {counted(days, 'day')}."
        if arm == "opened":
            return f"Begun already: {ratings} of {counted(wanted, 'rating')} given. {self._placed(cell)}"
        return self._placed(cell)

    def ranks(self, cell: int) -> dict[int, int]:
        """Return the place, from 1, at which each active run returns a candidate within the cutoff."""
        structure = self.evidence.structure
        lists: Ints = structure.positions[: len(self.weights), :, structure.query[cell]]
        found = {}
        for place in self.active:
            at = np.flatnonzero(lists[:, place] == cell)
            if len(at):
                found[place] = int(at[0]) + 1
        return found

    def _placed(self, cell: int) -> str:
        ranks = self.ranks(cell)
        k = len(self.weights)
        if not ranks:
            return f"It is in the pool below the first {k} answers of every ranker."
        pair = self._pair(ranks) if self.race is not None else None
        if pair is None:
            return self._best(ranks)
        (above, below), openness = pair
        text = f"{self.names[above]} puts it {_place(ranks[above])}, {self.names[below]} "
        text += _place(ranks[below]) if below in ranks else f"not in its first {k}"
        return f"{text}; {self._race_words(above, below, openness)}."

    def _best(self, ranks: dict[int, int]) -> str:
        best = min(ranks.values())
        first = [self.names[place] for place in self.active if ranks.get(place) == best]
        if len(first) > 1 and len(first) == len(self.active):
            return f"All {len(first)} rankers put it {_place(best)}."
        if len(first) > 2:
            return f"{first[0]} and {len(first) - 1} others put it {_place(best)}."
        verb = "puts" if len(first) == 1 else "put"
        return f"{' and '.join(first)} {verb} it {_place(best)}."

    def _pair(self, ranks: dict[int, int]) -> tuple[tuple[int, int], float] | None:
        """Return the race that this answer can move most, the run that has it higher first."""
        race = self.race
        if race is None:
            return None
        worth = [self._weight(ranks.get(place)) for place in self.current]
        best, most = None, 0.0
        for openness, (a, b) in zip(race.openness, combinations(range(len(worth)), 2), strict=True):
            moved = float(openness) * abs(worth[a] - worth[b])
            if moved > most + 1e-12:
                above, below = (a, b) if worth[a] > worth[b] else (b, a)
                best, most = ((self.current[above], self.current[below]), float(openness)), moved
        return best

    def _weight(self, rank: int | None) -> float:
        return 0.0 if rank is None else float(self.weights[rank - 1])

    def _race_words(self, above: int, below: int, openness: float) -> str:
        new = [place for place in (above, below) if place in self.fresh]
        # A pair with a new version weighs double, so that it becomes readable soon.
        if openness / (2 if new else 1) >= OPEN - 1e-12:
            return "which of the two is better is still open"
        if new:
            return f"{self.names[new[0]]} is new and should become readable soon"
        return "one of the two is well ahead by now, but their lists differ most here"


def reasons_of(evidence: Evidence, race: Race | None, now: datetime) -> Reasons:
    """Return what sentences about a project's answers are made of."""
    active, current = evidence.active_runs(), evidence.current_runs()
    runs = evidence.structure.runs
    rankers = [runs[place].ranker_id for place in active]
    names = {
        place: runs[place].ranker
        if rankers.count(runs[place].ranker_id) == 1
        else f"{runs[place].ranker} ({runs[place].version})"
        for place in active
    }
    ruler = evidence.judged().ruler
    return Reasons(
        evidence=evidence,
        active=active,
        current=current,
        names=names,
        fresh=frozenset(place for place in current if runs[place].registered_at > now - FRESH),
        weights=ruler.discounts(evidence.ruler_at().k).weights,
        race=race,
        now=now,
    )


def _place(rank: int) -> str:
    return {1: "first", 2: "second", 3: "third"}.get(rank, f"at place {rank}")
