"""Why a number moved: the difference of two points as the sum of its parts (EVALUATION.md section 6).

From the earlier point the evidence is let in step by step, in a fixed order; what each step changes is its
part. All of it is over the questions that the versions current at the beginning cover. Then the version is
exchanged on the questions common to both ends; what remains comes from the change of the common questions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property

import numpy as np

from app.scoring.arrays import Flags
from app.scoring.consensus import Consensus
from app.scoring.judged import judged_of
from app.services.evidence.state import Evidence, consensus_at
from app.services.scores.history import HistoryPoint
from app.services.scores.scoreboard import Scoreboard, common_means, score_runs
from app.services.scoring_settings import scoring_ruler


@dataclass(frozen=True)
class ScorePart:
    """One cause of a jump.

    Attributes
    ----------
    kind
        ``queries``, ``pool``, ``new``, ``revised``, ``settings``, ``ranker`` or ``common``.
    moved
        What it changed about the score, which goes from 0 to 1.
    count
        Queries that came or went, queries that joined or left the common ones as versions did, answers
        graded, grades changed, settings changed; for the ranker the scored queries common to both ends.
    details
        The settings changed: name, value before, value after.
    """

    kind: str
    moved: float
    count: int
    details: tuple[tuple[str, object, object], ...] = ()


@dataclass(frozen=True)
class ScoreChange:
    """The way from one point of a ranker to a later one; its parts, in order of the steps, add up to it."""

    before: HistoryPoint
    after: HistoryPoint
    parts: tuple[ScorePart, ...]

    @property
    def moved(self) -> float:
        """The whole difference."""
        return (self.after.score or 0.0) - (self.before.score or 0.0)

    @property
    def same_version(self) -> bool:
        """Whether one and the same version is at both ends."""
        return self.before.run.id == self.after.run.id


def score_change_between(evidence: Evidence, before: HistoryPoint, after: HistoryPoint) -> ScoreChange | None:
    """Return why a ranker's number moved from one point to a later one; None where one has no number.

    A step that leaves no scored query has no number: its part is 0, and what it changed is told with the
    next step.
    """
    if before.score is None or after.score is None:
        return None
    way = _Way(evidence, before, after)
    parts, last = [], before.score
    for kind, count, score in way.steps():
        now = last if score is None else score
        details = way.settings() if kind == "settings" else ()
        parts.append(ScorePart(kind, now - last, count, details))
        last = now
    exchanged = way.exchanged()
    ranker = ScorePart("ranker", exchanged, way.shared())
    common = ScorePart("common", after.score - last - exchanged, way.joined_or_left())
    return ScoreChange(before, after, (*parts, ranker, common))


class _Way:
    """Both ends of a jump, and the states in between, all for the version of its beginning."""

    def __init__(self, evidence: Evidence, before: HistoryPoint, after: HistoryPoint) -> None:
        # Until the grades are revised, documents merged since are still apart.
        self.evidence, self.evidence_after = [evidence.at(point.moment.revision) for point in (before, after)]
        self.first, self.last = before.moment.revision, after.moment.revision
        place_of = {run.id: place for place, run in enumerate(evidence.structure.runs)}
        self.old_version, self.new_version = place_of[before.run.id], place_of[after.run.id]
        self.common, self.new_common = [evidence.covered_by_all(each) for each in (self.first, self.last)]
        self.ruler, self.new_ruler = evidence.ruler_at(self.first), evidence.ruler_at(self.last)

    @cached_property
    def old(self) -> Consensus:
        """What the annotators said at the beginning."""
        return consensus_at(self.evidence, self.ruler, self.first)

    @cached_property
    def new(self) -> Consensus:
        """What they said at the end, under the settings of the beginning."""
        return consensus_at(self.evidence, self.ruler, self.last)

    def steps(self) -> Iterator[tuple[str, int, float | None]]:
        """Return each step's kind, what it is made of, and the score after it."""
        old_pool, pool = self.evidence.pooled(self.first), self.evidence.pooled(self.last)
        graded = self.new.judged & ~self.old.judged
        joined = graded & pool & ~old_pool
        revised = self.old.judged & _differ(self.old, self.new)
        nothing = np.zeros_like(graded)
        moved = self.old.judged & (pool != old_pool) if self.ruler.ideal == "pool" else nothing
        yield "queries", self._queries_moved(), self._score(nothing, old_pool)
        yield "pool", int((joined | moved).sum()), self._score(joined, pool)
        yield "new", int((graded & ~joined).sum()), self._score(graded, pool)
        yield "revised", int(revised.sum()) + self._merged(), self._score_revised(graded | revised, pool)
        yield "settings", len(self.settings()), self._score_at_end()

    def exchanged(self) -> float:
        """Return what the exchange of the version changed, on queries common to both ends; 0 without any."""
        old, new = common_means(self._end, self._end.scored & self.common & self.new_common)
        return 0.0 if old is None or new is None else new - old

    def shared(self) -> int:
        """Return how many scored queries are common to both ends."""
        return int((self._end.scored & self.common & self.new_common).sum())

    def joined_or_left(self) -> int:
        """Return how many active queries the versions current at one end alone all cover."""
        return int(((self.common != self.new_common) & self.evidence.active_queries(self.last)).sum())

    def settings(self) -> tuple[tuple[str, object, object], ...]:
        """Return the settings that changed, with their values before and after."""
        old, new = asdict(self.ruler), asdict(self.new_ruler)
        return tuple((name, old[name], new[name]) for name in old if old[name] != new[name])

    @cached_property
    def _end(self) -> Scoreboard:
        return score_runs(self.evidence_after, [self.old_version, self.new_version], revision=self.last)

    def _score(self, renewed: Flags, pooled: Flags) -> float | None:
        """Return the score with the newer grades of some items, on the queries of the end."""
        judged = judged_of(
            _mixed(self.old, self.new, renewed),
            self.evidence.structure.query,
            scoring_ruler(self.ruler),
            queries=len(self.evidence.structure.query_id),
            pooled=pooled,
        )
        return self._mean(
            score_runs(self.evidence, [self.old_version], revision=self.last, ruler=self.ruler, judged=judged)
        )

    def _score_revised(self, renewed: Flags, pooled: Flags) -> float | None:
        """Return the score with all newer grades, and with what was merged or separated since."""
        if self.evidence_after is self.evidence:
            return self._score(renewed, pooled)
        return self._mean(
            score_runs(self.evidence_after, [self.old_version], revision=self.last, ruler=self.ruler)
        )

    def _merged(self) -> int:
        """Return how many candidates stand for another one now, or do no more."""
        before, after = self.evidence.structure, self.evidence_after.structure
        own = np.arange(before.candidate_count)
        merged_places = [
            own if each.merged_places is None else each.merged_places for each in (before, after)
        ]
        return int(np.count_nonzero(merged_places[0] != merged_places[1]))

    def _score_at_end(self) -> float | None:
        return self._mean(self._end)

    def _mean(self, board: Scoreboard) -> float | None:
        """Return the old version's mean over the queries that the versions of the beginning cover."""
        return common_means(board, board.scored & self.common)[0]

    def _queries_moved(self) -> int:
        """Return how many of the queries that the versions of the beginning cover were added or retired."""
        active = [self.evidence.active_queries(revision) for revision in (self.first, self.last)]
        return int(np.count_nonzero((active[0] != active[1]) & self.common))


def _differ(old: Consensus, new: Consensus) -> Flags:
    """Return where two consensus are not the same."""
    differ = (old.low != new.low) | (old.high != new.high)
    if old.counts is not None and new.counts is not None:
        differ |= (old.counts != new.counts).any(axis=1)
    return np.asarray(differ)


def _mixed(old: Consensus, new: Consensus, renewed: Flags) -> Consensus:
    """Return the newer consensus of some items, and the older one of the others."""
    counts = None
    if old.counts is not None and new.counts is not None:
        counts = np.where(renewed[:, None], new.counts, old.counts)
    return Consensus(
        np.where(renewed, new.low, old.low),
        np.where(renewed, new.high, old.high),
        np.where(renewed, new.tied, old.tied),
        counts,
    )
