"""Scores worked out anew in plain Python, from the rows of the database: what every page has to agree with.

Linear gain, log2 discount, median of the annotators, the ideal over everything judged, unjudged counts 0.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Candidate, Judgment, Project, Query, Ranker, Ranking, Run
from tests.scoring.plain_bounds import lower_bound, upper_bound

if TYPE_CHECKING:
    from app.database import Database

TOP = 3.0


@dataclass
class PlainScores:
    """The newest run of each ranker, by its name, and the gain of every judged answer by question."""

    k: int
    names: dict[int, str]
    lists: dict[str, dict[int, list[int]]]
    gains: dict[int, dict[int, float]] = field(default_factory=dict)
    pool: dict[int, set[int]] = field(default_factory=dict)

    @property
    def scored(self) -> list[int]:
        return [query for query in self.names if max(self.gains.get(query, {0: 0.0}).values()) > 0]

    def ndcg(self, ranker: str, query: int) -> float:
        return self._reached(ranker, query) / self._ideal(query)

    def mean(self, ranker: str) -> float:
        return math.fsum(self.ndcg(ranker, query) for query in self.scored) / len(self.scored)

    def judged(self, ranker: str) -> float:
        """Return the mean judged@k."""
        return math.fsum(self._judged(ranker, query) for query in self.scored) / len(self.scored)

    def bounds(self, ranker: str) -> tuple[float, float]:
        """Return the exact bounds of the mean."""
        ends = [self._bounds(ranker, query) for query in self.scored]
        return tuple(math.fsum(side) / len(side) for side in zip(*ends, strict=True))  # type: ignore[return-value]

    def _top(self, ranker: str, query: int) -> list[int]:
        return self.lists[ranker].get(query, [])[: self.k]

    def _reached(self, ranker: str, query: int) -> float:
        known = self.gains.get(query, {})
        return sum(
            known.get(document, 0.0) / math.log2(rank + 1)
            for rank, document in enumerate(self._top(ranker, query), start=1)
        )

    def _ideal(self, query: int) -> float:
        best = sorted(self.gains[query].values(), reverse=True)[: self.k]
        return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(best, start=1))

    def _judged(self, ranker: str, query: int) -> float:
        top = self._top(ranker, query)
        return sum(document in self.gains.get(query, {}) for document in top) / len(top)

    def _bounds(self, ranker: str, query: int) -> tuple[float, float]:
        discount = [1 / math.log2(rank + 1) for rank in range(1, self.k + 1)]
        top = self._top(ranker, query)
        waiting = self.pool[query] - set(self.gains[query])
        weights = [discount[top.index(document)] if document in top else 0.0 for document in sorted(waiting)]
        known = list(self.gains[query].values())
        asked = (self._reached(ranker, query), known, weights, discount, TOP)
        return lower_bound(*asked), upper_bound(*asked)


def plain_scores(database: Database, slug: str, k: int) -> PlainScores:
    """Return the scores of a project as its rows stand now."""
    with database.read() as session:
        project_id = session.scalars(select(Project.id).where(Project.slug == slug)).one()
        rows = session.execute(
            select(Query.id, Query.external_id).where(Query.project_id == project_id).order_by(Query.id)
        )
        found = PlainScores(k, {row.id: row.external_id for row in rows}, {})
        runs = session.execute(
            select(Run.id, Ranker.name)
            .join(Ranker)
            .where(Run.project_id == project_id, Run.state == "published")
            .order_by(Run.revision)
        )
        for run_id, name in runs:
            found.lists[name] = {
                row.query_id: np.frombuffer(row.document_ids, dtype="<i4").tolist()
                for row in session.scalars(select(Ranking).where(Ranking.run_id == run_id))
            }
        candidates = session.scalars(select(Candidate).where(Candidate.project_id == project_id)).all()
        newest: dict[int, dict[int, int | None]] = defaultdict(dict)
        for row in session.scalars(
            select(Judgment).where(Judgment.project_id == project_id).order_by(Judgment.revision)
        ):
            newest[row.candidate_id][row.annotator_id] = row.grade
    for one in candidates:
        if one.in_pool:
            found.pool.setdefault(one.query_id, set()).add(one.document_id)
        grades = sorted(grade for grade in newest[one.id].values() if grade is not None)
        if grades:
            middle = grades[(len(grades) - 1) // 2] + grades[len(grades) // 2]
            found.gains.setdefault(one.query_id, {})[one.document_id] = middle / 2
    return found
