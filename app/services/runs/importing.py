"""Write a checked run: everything heavy in chunks under an unpublished run, then one short publication.

A crash before the last step leaves a run that nobody sees; `sweep_unpublished` removes it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import insert

from app.models import Ranking, Run
from app.services.bulk import batches, table_of
from app.services.external_ids import UNKNOWN
from app.services.import_file import Step, run_steps
from app.services.named_documents import add_by_name
from app.services.pooling.candidates import add_candidates
from app.services.runs.checks import find_registered
from app.services.runs.lists import read_run_file
from app.services.runs.planning import plan_run
from app.services.runs.publishing import publish_run
from app.services.runs.rankers import find_or_add_ranker

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.import_file import ImportFile
    from app.services.runs.options import RunImported, RunOptions
    from app.services.runs.planning import RunPlan

# Short enough that people who rate wait for one chunk at most.
LISTS_A_CHUNK = 500
PAIRS_A_CHUNK = 2_000
NAMES_A_CHUNK = 5_000


@dataclass
class RunImport:
    """The writing of one planned run; `result` is there after the last step."""

    plan: RunPlan
    depth: int
    actor_id: int | None = None
    run_id: int = 0
    result: RunImported | None = None
    document: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.document = self.plan.document.copy()

    @property
    def total(self) -> int:
        """How many rows the steps write at most."""
        plan = self.plan
        return plan.report.new_documents + len(plan.kept) + len(plan.places(plan.document, self.depth))

    def steps(self) -> Iterator[Step]:
        """Yield the steps, each for a transaction of its own; only the last makes the run visible.

        A step must be written before the next one is asked for: later ones build on what it found.
        """
        yield Step(0, self._open)
        for names in batches(self.plan.unknown_documents(), NAMES_A_CHUNK):
            yield Step(len(names), partial(self._add_documents, names=names))
        for lists in batches(self.plan.kept.tolist(), LISTS_A_CHUNK):
            yield Step(len(lists), partial(self._add_rankings, lists=lists))
        places = self.plan.places(self.document, self.depth)
        for first in range(0, len(places), PAIRS_A_CHUNK):
            part = slice(first, first + PAIRS_A_CHUNK)
            query, document = places.query[part], places.document[part]
            yield Step(len(query), partial(self._add_candidates, query=query, document=document))
        yield Step(0, self._publish)

    def _open(self, session: Session) -> None:
        options, lists = self.plan.options, self.plan.lists
        ranker = find_or_add_ranker(session, self.plan.project_id, options.ranker, options.kind)
        run = Run(
            project_id=self.plan.project_id,
            ranker_id=ranker.id,
            # Its label comes with its publication: an abandoned import must not hold one.
            version=f"importing {secrets.token_hex(8)}",
            tag=lists.tag,
            note=options.note,
            file_hash=lists.file_hash,
        )
        session.add(run)
        session.flush()
        self.run_id = run.id

    def _add_documents(self, session: Session, names: Sequence[int]) -> None:
        ids = [self.plan.lists.document_ids[name] for name in names]
        self.document[np.array(names)] = add_by_name(session, self.plan.project_id, ids)

    def _add_rankings(self, session: Session, lists: Sequence[int]) -> None:
        session.execute(insert(table_of(Ranking)), [self._packed(at) for at in lists])

    def _packed(self, at: int) -> dict[str, object]:
        found = self.plan.lists
        lines = slice(int(found.starts[at]), int(found.starts[at + 1]))
        document = self.document[found.document[lines]]
        assert UNKNOWN not in document
        return {
            "run_id": self.run_id,
            "query_id": int(self.plan.query[at]),
            "document_ids": document.astype("<i4").tobytes(),
            "scores": None if found.score is None else found.score[lines].astype("<f8").tobytes(),
        }

    def _add_candidates(self, session: Session, query: Ints, document: Ints) -> None:
        add_candidates(session, self.plan.project_id, query, document)

    def _publish(self, session: Session) -> None:
        self.result = publish_run(session, self.plan, self.run_id, self.document, actor_id=self.actor_id)


def import_run(
    session: Session, project: Project, file: ImportFile, options: RunOptions, *, actor_id: int | None = None
) -> RunImported:
    """Add a run to a project in one transaction, and return what was done; the same file again does nothing.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it names what the project lacks; all of it is said.
    """
    file_hash = file.sha256()
    if known := find_registered(session, project, options.ranker, file_hash):
        return known
    plan = plan_run(session, project, read_run_file(file, file_hash=file_hash), options)
    work = RunImport(plan, project.pool_depth, actor_id)
    run_steps(session, work.steps())
    assert work.result is not None
    return work.result
