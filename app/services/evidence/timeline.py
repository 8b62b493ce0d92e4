"""What held in a project at any revision, from its events: runs, queries, pool and ruler."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.models.event import EventKind
from app.scoring.arrays import Flags, Ints
from app.services.evidence.structure import EventFact, RunFact, Structure
from app.services.scoring_settings import ScoringSettings


@dataclass(frozen=True)
class Timeline:
    """What stays the same in a project, up to `revision`: the head of the snapshot it was read from."""

    project_id: int
    revision: int
    structure: Structure

    def _turns(self, kind: EventKind) -> tuple[EventFact, ...]:
        """Return the events of one kind, oldest first."""
        return self.structure.turning_by_kind.get(kind, ())

    def in_steps(self, revisions: Ints) -> Flags:
        """Return which ratings, by their revisions, are of a step "no good answer": bool (n,).

        That is one act for all answers of a question that are left: its time belongs to none of them.
        """
        steps = [event for event in self.structure.events if event.kind == EventKind.NO_GOOD_ANSWER]
        # The rows of a step come just before its event.
        last = np.array([event.revision for event in steps], dtype=np.int64)
        first = last - np.array([event.payload["count"] for event in steps], dtype=np.int64)
        place = np.searchsorted(last, revisions, side="right")
        return np.asarray(np.append(first, np.iinfo(np.int64).max)[place] <= revisions)

    def ruler_at(self, revision: int | None = None) -> ScoringSettings:
        """Return the ruler in force at a revision (default: now)."""
        upto = self.revision if revision is None else revision
        events = [event for event in self._turns(EventKind.RULER_SET) if event.revision <= upto]
        return self.structure.rulers[events[-1].payload["ruler_id"]]

    def depth_at(self, revision: int | None = None) -> int:
        """Return the pool depth in force at a revision (default: now)."""
        upto = self.revision if revision is None else revision
        later = [event for event in self._turns(EventKind.DEPTH_CHANGED) if event.revision > upto]
        return int(later[0].payload["before"]) if later else self.structure.depth

    def active_runs(self, revision: int | None = None) -> list[int]:
        """Return the places of the runs that were published and not withdrawn at a revision."""
        upto = self.revision if revision is None else revision
        active = {run.id: run.revision <= upto for run in self.structure.runs}
        turns = self._turns(EventKind.RUN_WITHDRAWN) + self._turns(EventKind.RUN_RESTORED)
        for event in sorted(turns, key=lambda one: one.revision):
            if event.revision <= upto:
                active[event.payload["run_id"]] = event.kind == EventKind.RUN_RESTORED
        return [place for place, run in enumerate(self.structure.runs) if active[run.id]]

    def current_runs(self, revision: int | None = None) -> list[int]:
        """Return the places of the newest active version of each ranker, in order of their marks.

        A version belongs to the ranker of today, whichever it was moved from since.
        """
        newest: dict[int, int] = {}
        for place in self.active_runs(revision):
            if self.structure.runs[place].kind == "system":
                newest[self.structure.runs[place].ranker_id] = place
        return sorted(newest.values(), key=lambda place: self.structure.runs[place].mark)

    def is_newest(self, run: RunFact) -> bool:
        """Return whether a version is its ranker's newest, those withdrawn among them."""
        own = (one for one in reversed(self.structure.runs) if one.ranker_id == run.ranker_id)
        return next(one for one in own if one.revision <= self.revision).id == run.id

    def production_run(self, revision: int | None = None) -> int | None:
        """Return the place of the version that was marked in production at a revision.

        None where none was, and while that version is withdrawn.
        """
        marked = self._marked_run(revision)
        return marked if marked is not None and marked in self.active_runs(revision) else None

    def withdrawn_production_run(self) -> int | None:
        """Return the place of the version that is marked in production and withdrawn, if it is."""
        marked = self._marked_run()
        return None if marked is None or marked in self.active_runs() else marked

    def _marked_run(self, revision: int | None = None) -> int | None:
        upto = self.revision if revision is None else revision
        marks = (
            event.payload["run_id"]
            for event in reversed(self.structure.events)
            if event.kind == EventKind.PRODUCTION_SET and event.revision <= upto
        )
        marked = next(marks, None)
        return next((place for place, run in enumerate(self.structure.runs) if run.id == marked), None)

    def active_queries(self, revision: int | None = None) -> Flags:
        """Return which queries were active at a revision: bool (queries,)."""
        return self.structure.active_queries(self.revision if revision is None else revision)

    def covered(self, runs: Sequence[int]) -> Flags:
        """Return which queries each run covers: bool (runs, queries).

        Those active when it was registered, and those it lists.
        """
        return self.structure.covered[list(runs)]

    def covered_by_all(self, revision: int | None = None) -> Flags:
        """Return which queries all versions cover that were current at a revision: bool (queries,)."""
        current = self.current_runs(revision)
        return np.asarray(self.covered(current).all(axis=0) & (len(current) > 0))

    def pooled(self, revision: int | None = None) -> Flags:
        """Return which candidates were in the pool at a revision: bool (candidates,)."""
        return self.structure.pooled_by(self.active_runs(revision), self.depth_at(revision))

    def active_pool(self) -> Flags:
        """Return which candidates are in today's pool of an active question: bool (candidates,)."""
        return np.asarray(self.pooled() & self.active_queries()[self.structure.query])
