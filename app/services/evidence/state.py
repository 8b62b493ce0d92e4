"""The state of a project at a revision: merges, grades and lists, on its timeline."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from app.models import EventKind
from app.scoring.consensus import Consensus, consensus_of
from app.scoring.judged import Judged, judged_of
from app.scoring.lists import Lists
from app.services.current_judgments import COUNTED
from app.services.evidence.adjudicated import Decisions, adjudicated_until, decisions_of
from app.services.evidence.changes import Changes, Void, changes_of
from app.services.evidence.current import current_rows
from app.services.evidence.growing import keep_up
from app.services.evidence.memory import Memory
from app.services.evidence.merging import merges_at
from app.services.evidence.timeline import Timeline
from app.services.rulers import RulerValues, scoring_ruler

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.scoring.arrays import Flags, Ints
    from app.services.evidence.ledger import Ledger
    from app.services.evidence.merging import Merge
    from app.services.evidence.structure import RunFact, Structure


MOST_GROWN = 500
"""Up to so many new rows are added to what was folded; more are folded again with the others."""


@dataclass(frozen=True)
class Evidence(Timeline):
    """A project's whole ledger up to `revision`. Immutable: whoever holds it sees one moment.

    Attributes
    ----------
    ledger
        The judgments; what stands still, and the revision, are the timeline's.
    cell
        int32 (rows of the ledger,): the place of each judgment's candidate.
    memory
        Shared with the evidence that comes after it.
    """

    ledger: Ledger
    cell: Ints
    memory: Memory = field(default_factory=Memory, repr=False, compare=False)

    def at(self, revision: int | None = None) -> Evidence:
        """Return this evidence with the merges of documents in force at a revision (default: now).

        Whoever folds the ledger to a revision folds what this returns: then as now, merged documents are
        one answer, and only then.
        """
        if not self.structure.merges and not self._merged_ever:
            return self
        merges = merges_at(self.structure.turning, revision)
        if merges == self.structure.merges:
            return self
        if merges not in self._layouts:
            structure = self.structure.merged(merges)
            cell = structure.cells_of(self.ledger.candidate)
            self._layouts[merges] = Evidence(self.project_id, self.revision, structure, self.ledger, cell)
        return self._layouts[merges]

    @cached_property
    def _merged_ever(self) -> bool:
        return any(event.kind == EventKind.DOCUMENTS_MERGED for event in self.structure.turning)

    @cached_property
    def _layouts(self) -> dict[tuple[Merge, ...], Evidence]:
        return {}

    @cached_property
    def own(self) -> Ints:
        """The place of each judgment's own candidate, merged or not: int32 (rows of the ledger,)."""
        if self.structure.stands is None:
            return self.cell
        return self.structure.own_cells_of(self.ledger.candidate)

    @cached_property
    def outdated(self) -> Flags:
        """Which judgments saw a text that was edited since, and count no more: bool (rows of the ledger,)."""
        found = np.zeros(len(self.ledger), dtype=np.bool_)
        for void in self.voids:
            upto = int(np.searchsorted(self.ledger.revision, void.revision))
            found[:upto] |= np.isin(self.own[:upto], void.cells)
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
        if only_blind not in self._decisions:
            self._decisions[only_blind] = decisions_of(
                self.ledger,
                self.cell,
                self.own,
                lowest=self.ruler_at().scale_low,
                voids=self.voids,
                only_blind=only_blind,
            )
        return self._decisions[only_blind]

    @cached_property
    def _decisions(self) -> dict[bool, Decisions]:
        return {}

    @cached_property
    def current(self) -> Flags:
        """Which rows of the ledger count now, of every kind: bool (rows,)."""
        return current_rows(self.ledger, self.cell, self.outdated)

    @property
    def ratings_now(self) -> Flags:
        """Which rows are the ratings that count now, cleared ones among them: bool (rows,)."""
        return np.asarray(self.current & np.isin(self.ledger.role, COUNTED))

    @cached_property
    def folded_changes(self) -> dict[tuple[bool, bool], Changes]:
        """The changes folded so far, by what counts: only blind ratings, what machines say."""
        return {}

    @cached_property
    def folded_counts(self) -> dict[tuple[bool, bool], Ints]:
        """The counts of grades at the newest revision, as far as they were asked for."""
        return {}

    @cached_property
    def folded_grades(self) -> dict[RulerValues, Judged]:
        """The grades at the newest revision, as far as they were asked for."""
        return {}

    def grown(self, revision: int, structure: Structure, more: Ledger, cell: Ints) -> Evidence:
        """Return the evidence with a few newer judgments; what was folded before is not folded again.

        `structure` has the same candidates in the same places.
        """
        grown = Evidence(
            self.project_id,
            revision,
            structure,
            self.ledger.extended(more),
            np.concatenate((self.cell, cell)),
            self.memory,
        )
        if "own" in vars(self):
            vars(grown)["own"] = np.append(self.own, structure.own_cells_of(more.candidate))
        if len(more) <= MOST_GROWN:
            keep_up(grown, self)
        return grown

    def changes(self, *, only_blind: bool, machines: bool = False) -> Changes:
        """Return what each judgment changed about the grades that count."""
        counting = only_blind, machines
        if counting not in self.folded_changes:
            self.folded_changes[counting] = changes_of(
                self.ledger,
                self.cell,
                self.own,
                lowest=self.ruler_at().scale_low,
                only_blind=only_blind,
                voids=self.voids,
                machines=machines,
            )
        return self.folded_changes[counting]

    def counts(
        self, revision: int | None = None, *, only_blind: bool = False, machines: bool = False
    ) -> Ints:
        """Return how many annotators gave each grade at a revision: int32 (candidates, grades)."""
        counting = only_blind, machines
        changes = self.changes(only_blind=only_blind, machines=machines)
        ruler = self.ruler_at()
        grades = ruler.scale_high - ruler.scale_low + 1
        if revision is not None and revision < self.revision:
            return changes.counts(self.structure.cells, grades, last=changes.until(revision))
        if counting not in self.folded_counts:
            self.folded_counts[counting] = changes.counts(self.structure.cells, grades)
        return self.folded_counts[counting]

    @cached_property
    def ratings(self) -> Ints:
        """How many ratings of each candidate count for assignment: int32 (candidates,)."""
        # Several times quicker than a sum along so short an axis.
        return np.asarray(np.einsum("cg->c", self.counts()))

    def judged(self, revision: int | None = None, ruler: RulerValues | None = None) -> Judged:
        """Return the grades folded to a revision, under the ruler of that moment or a given one."""
        values = ruler or self.ruler_at(revision)
        if revision is not None and revision < self.revision:
            return self.judged_from(counts_under(self, values, revision), values, revision)
        if values not in self.folded_grades:
            self.folded_grades[values] = self.judged_from(counts_under(self, values), values)
        return self.folded_grades[values]

    def judged_from(self, counts: Ints, values: RulerValues, revision: int | None = None) -> Judged:
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

    def run_facts(self, runs: Sequence[int]) -> list[RunFact]:
        """Return the facts of some runs."""
        return [self.structure.runs[place] for place in runs]


def counts_under(evidence: Evidence, values: RulerValues, revision: int | None = None) -> Ints:
    """Return how many annotators gave each grade at a revision, of those whose ratings a ruler counts."""
    return evidence.counts(revision, only_blind=values.only_blind, machines=values.machines)


def consensus_at(evidence: Evidence, values: RulerValues, revision: int | None = None) -> Consensus:
    """Return what the annotators together say about every candidate at a revision."""
    counts = counts_under(evidence, values, revision)
    return _consensus(evidence, counts, values, revision)


def _consensus(evidence: Evidence, counts: Ints, values: RulerValues, revision: int | None) -> Consensus:
    upto = evidence.revision if revision is None else revision
    decisions = evidence.decisions(only_blind=values.only_blind)
    adjudicated = adjudicated_until(decisions, evidence.structure.cells, upto)
    return consensus_of(counts, values.consensus, adjudicated)  # type: ignore[arg-type]
