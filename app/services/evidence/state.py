"""The state of a project at a revision: merges, grades and lists, updated as ratings come in.

What was computed about a project's past is kept by later evidence: no later event changes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.event import EventKind
from app.models.judgment import Origin
from app.models.run import Ranking
from app.scoring.arrays import Flags, Ints
from app.scoring.consensus import Consensus, consensus_of
from app.scoring.judged import Judged, judged_of
from app.scoring.lists import Lists
from app.scoring.regraded import regraded
from app.services.collection.merged_documents import Merge, merges_at
from app.services.current_judgments import COUNTED
from app.services.evidence.columns import Ledger, current_rows, extended_current
from app.services.evidence.grades import (
    Decisions,
    GradeChanges,
    Void,
    adjudicated_until,
    decisions_of,
    extended_changes,
    grade_changes,
)
from app.services.evidence.reading import read_rankings
from app.services.evidence.structure import RunFact, Structure
from app.services.evidence.timeline import Timeline
from app.services.scoring_settings import ScoringSettings, scoring_ruler

MOST_SCORES = 100_000


class PastScore(NamedTuple):
    """One run's score at one revision, with what belongs to it.

    `low` and `high` are Student's interval; `least` and `most` the exact bounds, where they were asked for.
    """

    score: float | None
    low: float | None
    high: float | None
    scored: int
    judged: float | None
    least: float | None = None
    most: float | None = None


@dataclass
class HistoryCache:
    """Scores by (revision, number of the run, with bounds); the last revision of every UTC day, known so far.

    Attributes
    ----------
    days
        The last revision of each day on which ratings arrived, in order.
    days_until
        The revision up to which the days are known.
    kept
        What other services keep from one revision to the next, each under a name of its own.
    """

    scores: dict[tuple[int, int, bool], PastScore] = field(default_factory=dict)
    days: dict[date, int] = field(default_factory=dict)
    days_until: int = 0
    kept: dict[str, Any] = field(default_factory=dict)

    def keep(self, found: dict[tuple[int, int, bool], PastScore]) -> None:
        """Remember scores; when there are too many, the older ones are computed again when needed."""
        if len(self.scores) + len(found) > MOST_SCORES:
            self.scores = {}
        self.scores.update(found)


@dataclass
class ComputedArrays:
    """What an evidence has computed so far; the evidence after it starts from this (see `apply_new_rows`).

    Attributes
    ----------
    own
        The place of each judgment's own candidate, merged or not.
    current
        Which rows of the ledger count now.
    changes, counts
        The changes of grades, and how many of each grade there are at the newest revision; by what counts
        (only blind ratings, what machines say).
    grades
        The grades at the newest revision, by the settings.
    decisions
        What adjudicators decided, by whether only blind ratings count.
    """

    own: Ints | None = None
    current: Flags | None = None
    changes: dict[tuple[bool, bool], GradeChanges] = field(default_factory=dict)
    counts: dict[tuple[bool, bool], Ints] = field(default_factory=dict)
    grades: dict[ScoringSettings, Judged] = field(default_factory=dict)
    decisions: dict[bool, Decisions] = field(default_factory=dict)


def apply_new_rows(grown: Evidence, before: Evidence) -> None:
    """Carry over to a grown evidence what the one before has folded, its own few newer rows added."""
    known, lowest = len(before.ledger), before.ruler_at().scale_low
    edited = len(grown.voids) != len(before.voids)
    # Copies: other threads may fold something into the one before meanwhile.
    if not edited and Origin.ADJUDICATION not in grown.ledger.role[known:]:
        grown.folded.decisions = before.folded.decisions.copy()
    for counting, changes in before.folded.changes.copy().items():
        newer = extended_changes(
            changes,
            grown.ledger,
            grown.candidate_index,
            grown.own,
            known=known,
            lowest=lowest,
            only_blind=counting[0],
            voids=grown.voids,
            machines=counting[1],
        )
        grown.folded.changes[counting] = newer
        if (counts := before.folded.counts.get(counting)) is not None:
            grown.folded.counts[counting] = newer.added_to(counts, len(changes.revision))
    for values, judged in before.folded.grades.copy().items():
        if (values.only_blind, values.machines) in grown.folded.counts:
            grown.folded.grades[values] = _kept_up(judged, grown, before, values)
    if before.folded.current is not None and not edited:
        grown.folded.current = extended_current(before.folded.current, grown.ledger, grown.candidate_index)


def _kept_up(judged: Judged, grown: Evidence, before: Evidence, values: ScoringSettings) -> Judged:
    """Return the grades folded before, with those of the candidates that newer rows are about refolded."""
    counting = values.only_blind, values.machines
    first, known = len(before.folded.changes[counting].revision), len(before.ledger)
    # An adjudicator's decision is no change of counts.
    decisive = grown.ledger.role[known:] == Origin.ADJUDICATION
    moved = np.concatenate(
        (grown.folded.changes[counting].candidate_index[first:], grown.candidate_index[known:][decisive])
    )
    if not len(indexes := np.unique(moved)):
        return judged
    decided = _decided(grown, indexes, only_blind=values.only_blind)
    counts = grown.folded.counts[counting][indexes]
    return regraded(judged, indexes, consensus_of(counts, values.consensus, decided))  # type: ignore[arg-type]


def _decided(evidence: Evidence, indexes: Ints, *, only_blind: bool) -> Ints | None:
    """Return the column an adjudicator chose for each of some candidates, None without any."""
    decisions = evidence.decisions(only_blind=only_blind)
    chosen = adjudicated_until(decisions, evidence.structure.candidate_count, evidence.revision)
    return None if chosen is None else chosen[indexes]


MOST_GROWN = 500
"""Up to this many new rows are added to what was folded; with more, all are folded again."""


@dataclass(frozen=True)
class Evidence(Timeline):
    """A project's whole ledger up to `revision`. Immutable: its holder sees one moment.

    Attributes
    ----------
    ledger
        The judgments; what stays the same, and the revision, are the timeline's.
    candidate_index
        int32 (rows of the ledger,): the place of each judgment's candidate.
    memory
        Shared with the evidence that comes after it.
    """

    ledger: Ledger
    candidate_index: Ints
    memory: HistoryCache = field(default_factory=HistoryCache, repr=False, compare=False)
    folded: ComputedArrays = field(default_factory=ComputedArrays, init=False, repr=False, compare=False)

    def at(self, revision: int | None = None) -> Evidence:
        """Return this evidence with the merges of documents in force at a revision (default: now).

        Fold the ledger to a revision from what this returns: then as now, merged documents are
        one answer, and only then.
        """
        if not self.structure.merges and not self._merged_ever:
            return self
        merges = merges_at(self.structure.turning, revision)
        if merges == self.structure.merges:
            return self
        if merges not in self._layouts:
            structure = self.structure.merged(merges)
            candidate_index = structure.indexes_of(self.ledger.candidate)
            self._layouts[merges] = Evidence(
                self.project_id, self.revision, structure, self.ledger, candidate_index
            )
        return self._layouts[merges]

    @cached_property
    def _merged_ever(self) -> bool:
        return any(event.kind == EventKind.DOCUMENTS_MERGED for event in self.structure.turning)

    @cached_property
    def _layouts(self) -> dict[tuple[Merge, ...], Evidence]:
        return {}

    @property
    def own(self) -> Ints:
        """The place of each judgment's own candidate, merged or not: int32 (rows of the ledger,)."""
        if self.structure.merged_places is None:
            return self.candidate_index
        if self.folded.own is None:
            self.folded.own = self.structure.own_indexes_of(self.ledger.candidate)
        return self.folded.own

    @cached_property
    def outdated(self) -> Flags:
        """Which judgments saw a text that was edited since, and count no more: bool (rows of the ledger,)."""
        found = np.zeros(len(self.ledger), dtype=np.bool_)
        for void in self.voids:
            upto = int(np.searchsorted(self.ledger.revision, void.revision))
            found[:upto] |= np.isin(self.own[:upto], void.indexes)
        return found

    @cached_property
    def voids(self) -> list[Void]:
        """The edits of documents, as the candidates whose grades stopped counting."""
        document = self.structure.document
        return [
            Void(event.revision, np.flatnonzero(np.isin(document, event.payload["document_ids"])))
            for event in self.structure.turning
            if event.kind == EventKind.DOCUMENTS_EDITED
        ]

    def decisions(self, *, only_blind: bool) -> Decisions:
        """Return what adjudicators decided."""
        if only_blind not in self.folded.decisions:
            self.folded.decisions[only_blind] = decisions_of(
                self.ledger,
                self.candidate_index,
                self.own,
                lowest=self.ruler_at().scale_low,
                voids=self.voids,
                only_blind=only_blind,
            )
        return self.folded.decisions[only_blind]

    @property
    def current(self) -> Flags:
        """Which rows of the ledger count now, of every kind: bool (rows,)."""
        if self.folded.current is None:
            self.folded.current = current_rows(self.ledger, self.candidate_index, self.outdated)
        return self.folded.current

    @property
    def ratings_now(self) -> Flags:
        """Which rows are the ratings that count now, cleared ones among them: bool (rows,)."""
        return np.asarray(self.current & np.isin(self.ledger.role, COUNTED))

    def grown(self, revision: int, structure: Structure, more: Ledger, candidate_index: Ints) -> Evidence:
        """Return the evidence with a few newer judgments; what was folded before is not folded again.

        `structure` has the same candidates in the same places.
        """
        grown = Evidence(
            self.project_id,
            revision,
            structure,
            self.ledger.extended(more),
            np.concatenate((self.candidate_index, candidate_index)),
            self.memory,
        )
        if self.folded.own is not None:
            grown.folded.own = np.append(self.folded.own, structure.own_indexes_of(more.candidate))
        if len(more) <= MOST_GROWN:
            apply_new_rows(grown, self)
        return grown

    def changes(self, *, only_blind: bool, machines: bool = False) -> GradeChanges:
        """Return what each judgment changed about the grades that count."""
        counting = only_blind, machines
        if counting not in self.folded.changes:
            self.folded.changes[counting] = grade_changes(
                self.ledger,
                self.candidate_index,
                self.own,
                lowest=self.ruler_at().scale_low,
                only_blind=only_blind,
                voids=self.voids,
                machines=machines,
            )
        return self.folded.changes[counting]

    def counts(
        self, revision: int | None = None, *, only_blind: bool = False, machines: bool = False
    ) -> Ints:
        """Return how many annotators gave each grade at a revision: int32 (candidates, grades)."""
        counting = only_blind, machines
        changes = self.changes(only_blind=only_blind, machines=machines)
        ruler = self.ruler_at()
        grades = ruler.scale_high - ruler.scale_low + 1
        if revision is not None and revision < self.revision:
            return changes.counts(self.structure.candidate_count, grades, last=changes.until(revision))
        if counting not in self.folded.counts:
            self.folded.counts[counting] = changes.counts(self.structure.candidate_count, grades)
        return self.folded.counts[counting]

    @property
    def counts_for_assignment(self) -> Ints:
        """How many annotators gave each grade now: int32 (candidates, grades).

        Only blind ratings where the scoring settings leave out the others: those are asked for again.
        """
        return self.counts(only_blind=self.ruler_at().only_blind)

    @cached_property
    def ratings(self) -> Ints:
        """How many ratings of each candidate count for assignment: int32 (candidates,)."""
        # Several times quicker than a sum along so short an axis.
        return np.asarray(np.einsum("cg->c", self.counts_for_assignment))

    @cached_property
    def decided(self) -> Flags:
        """Which candidates have a decided grade, which no rating changes: bool (candidates,)."""
        count = self.structure.candidate_count
        chosen = adjudicated_until(self.decisions(only_blind=False), count, self.revision)
        return np.zeros(count, dtype=np.bool_) if chosen is None else np.asarray(chosen >= 0)

    def judged(self, revision: int | None = None, ruler: ScoringSettings | None = None) -> Judged:
        """Return the grades folded to a revision, under the ruler of that moment or a given one."""
        values = ruler or self.ruler_at(revision)
        if revision is not None and revision < self.revision:
            return self.judged_from(counts_under(self, values, revision), values, revision)
        if values not in self.folded.grades:
            self.folded.grades[values] = self.judged_from(counts_under(self, values), values)
        return self.folded.grades[values]

    def judged_from(self, counts: Ints, values: ScoringSettings, revision: int | None = None) -> Judged:
        """Return the items' values for counts that were folded elsewhere."""
        return judged_of(
            _consensus(self, counts, values, revision),
            self.structure.query,
            scoring_ruler(values),
            queries=len(self.structure.query_id),
            pooled=self.pooled(revision),
        )

    def lists(self, runs: Sequence[int], depth: int) -> Lists:
        """Return the lists of some runs, cut at a depth."""
        structure, chosen = self.structure, list(runs)
        if chosen == list(range(len(structure.runs))):
            return Lists(structure.positions[:depth], structure.lengths)
        positions = np.ascontiguousarray(structure.positions[:depth, chosen, :])
        return Lists(positions, structure.lengths[chosen])

    def returned(self, runs: Sequence[int]) -> Flags:
        """Return for which queries some runs return anything at all: bool (runs, queries)."""
        return np.asarray(self.structure.lengths[list(runs)] > 0)

    def run_facts(self, runs: Sequence[int]) -> list[RunFact]:
        """Return the facts of some runs."""
        return [self.structure.runs[place] for place in runs]


def counts_under(evidence: Evidence, values: ScoringSettings, revision: int | None = None) -> Ints:
    """Return how many annotators gave each grade at a revision, of those whose ratings a ruler counts."""
    return evidence.counts(revision, only_blind=values.only_blind, machines=values.machines)


def consensus_at(evidence: Evidence, values: ScoringSettings, revision: int | None = None) -> Consensus:
    """Return what the annotators together say about every candidate at a revision."""
    counts = counts_under(evidence, values, revision)
    return _consensus(evidence, counts, values, revision)


def _consensus(evidence: Evidence, counts: Ints, values: ScoringSettings, revision: int | None) -> Consensus:
    upto = evidence.revision if revision is None else revision
    decisions = evidence.decisions(only_blind=values.only_blind)
    adjudicated = adjudicated_until(decisions, evidence.structure.candidate_count, upto)
    return consensus_of(counts, values.consensus, adjudicated)  # type: ignore[arg-type]


def full_lists(session: Session, evidence: Evidence, runs: Sequence[int]) -> Lists:
    """Return the whole lists of some runs, read from the database."""
    structure = evidence.structure
    chosen = tuple(structure.runs[place] for place in runs)
    deepest = int(structure.lengths[list(runs)].max(initial=1))
    documents, lengths = read_rankings(session, chosen, structure.query_id, max(deepest, 1))
    return Lists(structure.positions_of(documents), lengths)


def list_of_run(session: Session, evidence: Evidence, run_id: int, place: int) -> list[int]:
    """Return one run's whole list for one query, as document numbers."""
    packed = session.scalar(
        select(Ranking.document_ids).where(
            Ranking.run_id == run_id, Ranking.query_id == int(evidence.structure.query_id[place])
        )
    )
    return np.frombuffer(bytes(packed), dtype="<i4").tolist() if packed else []
