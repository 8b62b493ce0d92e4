"""Write checked judgments: documents and candidates in chunks, then all judgments in one transaction."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from app.models import EventKind, Origin, PersonKind, Reason, now_utc
from app.services.bulk import batches, lock_project
from app.services.import_file import Step, run_steps
from app.services.imported_judgments.columns import NO_GRADE, read_judgment_file
from app.services.imported_judgments.planning import JudgmentPlan, find_pending, plan_judgments
from app.services.imported_judgments.sources import find_or_add_source
from app.services.ledger import append_judgments, record_event
from app.services.named_documents import add_by_name
from app.services.pooling.candidates import add_candidates
from app.services.pooling.places import SPAN, pairs_of
from app.services.runs.publishing import refuse_if_removed

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.import_file import ImportFile
    from app.services.imported_judgments.columns import JudgmentColumns
    from app.services.imported_judgments.options import JudgmentOptions, JudgmentsImported
    from app.services.imported_judgments.planning import Pending

CHUNK = 2_000


@dataclass
class JudgmentImport:
    """The writing of planned judgments.

    Attributes
    ----------
    result
        What will be done; after the last step what was done.
    """

    plan: JudgmentPlan
    result: JudgmentsImported
    actor_id: int | None = None
    document: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.document = self.plan.document.copy()

    @property
    def total(self) -> int:
        """How many rows the steps write at most."""
        return self.result.new_documents + 2 * (self.result.added + self.result.replaced)

    def steps(self) -> Iterator[Step]:
        """Yield the steps, each for a transaction of its own; only the last appends judgments.

        A step must be written before the next one is asked for: later ones build on what it found.
        """
        if not self.total:
            return
        for names in batches(self.plan.unknown_documents(), CHUNK):
            yield Step(len(names), partial(self._add_documents, names=names))
        pairs = self._pairs()
        for first in range(0, len(pairs), CHUNK):
            some = pairs[first : first + CHUNK]
            yield Step(len(some), partial(self._add_candidates, pairs=some))
        yield Step(self.result.added + self.result.replaced, self._record)

    def _add_documents(self, session: Session, names: Sequence[int]) -> None:
        ids = [self.plan.found.document_ids[name] for name in names]
        self.document[np.array(names)] = add_by_name(session, self.plan.project_id, ids)

    def _pairs(self) -> Ints:
        found, kept = self.plan.found, self.plan.kept
        return np.unique(pairs_of(self.plan.query[found.query[kept]], self.document[found.document[kept]]))

    def _add_candidates(self, session: Session, pairs: Ints) -> None:
        add_candidates(session, self.plan.project_id, pairs // SPAN, pairs % SPAN)

    def _record(self, session: Session) -> None:
        plan = self.plan
        project = lock_project(session, plan.project_id)
        refuse_if_removed(session, project, plan.revision)
        people = [find_or_add_source(session, project.id, name, plan.kinds[name]).id for name in plan.names()]
        pending = find_pending(session, plan, self.document)
        self.result = replace(pending.result(plan), new_documents=self.result.new_documents)
        if not len(pending.lines):
            return
        append_judgments(session, project.id, _rows(plan, pending), len(pending.lines))
        payload = {
            "annotator_ids": people,
            "count": len(pending.lines),
            "file_hash": plan.found.file_hash.hex(),
        }
        event = record_event(
            session, project.id, EventKind.JUDGMENTS_IMPORTED, payload, actor_id=self.actor_id
        )
        self.result = replace(self.result, revision=event.revision)


def _rows(plan: JudgmentPlan, pending: Pending) -> Iterator[dict[str, Any]]:
    found, now = plan.found, now_utc()
    machines = [plan.kinds.get(name) is PersonKind.MACHINE for name in found.annotators]
    numbers = zip(pending.lines.tolist(), pending.candidate.tolist(), pending.annotator.tolist(), strict=True)
    for (line, candidate, annotator), client_uuid in zip(numbers, pending.uuids, strict=True):
        grade, reason = int(found.grade[line]), int(found.reason[line])
        yield {
            "candidate_id": candidate,
            "annotator_id": annotator,
            "grade": None if grade == NO_GRADE else grade,
            "reason": Reason(reason) if reason else None,
            "client_uuid": client_uuid,
            "judged_at": found.time(line, now),
            "received_at": now,
            "role": Origin.MACHINE if machines[found.annotator[line]] else Origin.PLANNED,
        }


def prepare_judgments(
    session: Session,
    project: Project,
    found: JudgmentColumns,
    options: JudgmentOptions,
    *,
    actor_id: int | None = None,
) -> JudgmentImport:
    """Return an import whose file was compared with the project; nothing is written.

    Raises
    ------
    FormatError
        Ids are unknown, grades are off the scale, or they contradict earlier ones; all of it is said.
    """
    plan = plan_judgments(session, project, found, options)
    pending = find_pending(session, plan, plan.document)
    return JudgmentImport(plan, pending.result(plan), actor_id)


def import_judgments(
    session: Session,
    project: Project,
    file: ImportFile,
    options: JudgmentOptions,
    *,
    actor_id: int | None = None,
) -> JudgmentsImported:
    """Add the judgments of a file in one transaction, all or none; the same file again does nothing.

    Raises
    ------
    FormatError
        Something is wrong with the file, or it contradicts the project; all of it is said.
    """
    work = prepare_judgments(session, project, read_judgment_file(file, options), options, actor_id=actor_id)
    run_steps(session, work.steps())
    return work.result
