"""Every value of every run on every query, and which of them count."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.scoring.means import mean_of

if TYPE_CHECKING:
    from app.scoring.arrays import Flags, Floats
    from app.scoring.bounds import Bounds
    from app.scoring.judged import Judged
    from app.scoring.lists import Lists
    from app.services.file_scores.collection import Collection


class Table(NamedTuple):
    """Rows are runs, columns are queries.

    Attributes
    ----------
    collection
        What was scored.
    names
        Of the runs.
    values
        float64 (runs, queries) for each measure, and for judged@k of each cutoff.
    bounds
        Of each nDCG@k.
    counted, listed
        bool (runs, queries): which queries enter the means of a run; which it returns anything for.
    top
        The lists down to the largest cutoff.
    judged
        The judgments, with the union of those lists as the pool.
    """

    collection: Collection
    names: list[str]
    values: dict[str, Floats]
    bounds: dict[str, Bounds]
    counted: Flags
    listed: Flags
    top: Lists
    judged: Judged

    def mean(self, label: str, run: int) -> float | None:
        """Return the mean of a measure over the queries that count for a run, None without any."""
        return mean_of(self.values[label][run, self.counted[run]])

    def mean_bounds(self, label: str, run: int) -> tuple[float, float] | None:
        """Return the mean bounds of an nDCG over the same queries."""
        counted, bounds = self.counted[run], self.bounds[label]
        low, high = mean_of(bounds.low[run, counted]), mean_of(bounds.high[run, counted])
        return None if low is None or high is None else (low, high)

    def excluded(self, run: int) -> dict[str, int]:
        """Return how many queries do not count for a run, by reason."""
        left = ~self.counted[run]
        if not self.judged.ruler.trec:
            return {
                "no_relevant": int((left & self.judged.no_relevant).sum()),
                "unjudged": int((left & self.judged.undecided).sum()),
            }
        return {
            "no_relevant": 0,
            "unjudged": int((left & self.listed[run]).sum()),
            "not_listed": int((left & ~self.listed[run]).sum()),
        }

    def silent(self, run: int) -> int:
        """Return how many queries count as 0 for a run because it does not list them."""
        return int((self.counted[run] & ~self.listed[run]).sum())

    def per_query(self, run: int, labels: list[str]) -> dict[str, dict[str, float]]:
        """Return the values of a run by query id, for the queries that count."""
        kept = np.flatnonzero(self.counted[run])
        columns = {label: self.values[label][run, kept].tolist() for label in labels}
        return {
            self.collection.query_ids[query]: {label: column[place] for label, column in columns.items()}
            for place, query in enumerate(kept.tolist())
        }

    def bounds_per_query(self, run: int) -> dict[str, dict[str, tuple[float, float]]]:
        """Return the bounds of each nDCG of a run by query id, for the same queries."""
        kept = np.flatnonzero(self.counted[run])
        ends = {
            label: list(zip(bounds.low[run, kept].tolist(), bounds.high[run, kept].tolist(), strict=True))
            for label, bounds in self.bounds.items()
        }
        return {
            self.collection.query_ids[query]: {label: column[place] for label, column in ends.items()}
            for place, query in enumerate(kept.tolist())
        }
