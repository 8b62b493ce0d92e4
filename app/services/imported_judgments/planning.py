"""The judgments of a file against the project: what is new, the same, or another grade."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.models import Document, Query
from app.services.errors import InvalidError
from app.services.external_ids import UNKNOWN, numbers_of
from app.services.import_file import refuse_archived
from app.services.imported_judgments.checks import CLEARED, log_contradictions, log_lines
from app.services.imported_judgments.comparing import (
    NOT_JUDGED,
    said_by,
    standing_of,
    stored_uuids,
    times_undone,
    uuid_of,
)
from app.services.imported_judgments.options import JudgmentsImported
from app.services.imported_judgments.sources import find_source, kind_of_source
from app.services.ledger import head_of
from app.services.pooling.candidates import stored_candidates
from app.services.pooling.places import SPAN, pairs_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import PersonKind, Project
    from app.scoring.arrays import Ints
    from app.services.imported_judgments.columns import JudgmentColumns
    from app.services.imported_judgments.options import JudgmentOptions


@dataclass(frozen=True)
class JudgmentPlan:
    """Checked judgments in terms of the project.

    Attributes
    ----------
    query, document
        int32: the number of each query and document of the file, -1 where the project has none.
    kept
        intp: places of the lines that are not left out.
    kinds
        Who stands behind each annotator of kept lines.
    revision
        The project's revision when they were checked.
    """

    project_id: int
    found: JudgmentColumns
    options: JudgmentOptions
    query: Ints
    document: Ints
    kept: Ints
    kinds: dict[str, PersonKind]
    revision: int

    def unknown_documents(self) -> list[int]:
        """Return the places of the documents that kept lines name and the project lacks."""
        used = np.unique(self.found.document[self.kept])
        places: list[int] = used[self.document[used] == UNKNOWN].tolist()
        return places

    def names(self) -> list[str]:
        """Return whose judgments are kept."""
        return [self.found.annotators[at] for at in np.unique(self.found.annotator[self.kept])]


class Pending(NamedTuple):
    """The lines to append, and for each the numbers of its candidate and annotator and its id."""

    lines: Ints
    candidate: Ints
    annotator: Ints
    uuids: list[bytes]
    replaced: int
    outside_pool: int

    def result(self, plan: JudgmentPlan) -> JudgmentsImported:
        """Return the counts of an import that appends these."""
        found = plan.found
        return JudgmentsImported(
            added=len(self.lines) - self.replaced,
            replaced=self.replaced,
            unchanged=len(plan.kept) - len(self.lines),
            skipped_lines=len(found) - len(plan.kept),
            negative_lines=found.negative_lines,
            repeated=found.repeated,
            new_documents=len(plan.unknown_documents()),
            outside_pool=self.outside_pool,
            annotators=tuple(plan.names()),
        )


def plan_judgments(
    session: Session, project: Project, found: JudgmentColumns, options: JudgmentOptions
) -> JudgmentPlan:
    """Return what importing these judgments will do; nothing is written.

    Unknown ids and grades off the scale go to the log of the file: `find_pending` refuses them together with
    what contradicts earlier judgments.

    Raises
    ------
    InvalidError
        An annotator's name is known as of the other kind.
    """
    refuse_archived(project)
    query = numbers_of(session, Query, project.id, found.query_ids)
    document = numbers_of(session, Document, project.id, found.document_ids)
    known = (query != UNKNOWN)[found.query]
    log_lines(session, project, found, options, known=known, document=document)
    kept = np.flatnonzero(known)
    names = [found.annotators[at] for at in np.unique(found.annotator[kept])]
    try:
        kinds = {name: kind_of_source(session, project.id, name, options.kind) for name in names}
    except InvalidError:
        found.problems.raise_if_any()
        raise
    head = head_of(session, project.id)
    return JudgmentPlan(project.id, found, options, query, document, kept, kinds, head)


def find_pending(session: Session, plan: JudgmentPlan, document: Ints) -> Pending:
    """Return the judgments that are not there yet, as the session sees the project.

    Parameters
    ----------
    document
        int32: the number of every document of the file, -1 for those that are still to be added.

    Raises
    ------
    FormatError
        Lines are wrong, or contradict what the same annotator's present judgments say and may not replace
        them; all of it is said.
    """
    found, kept = plan.found, plan.kept
    annotator = _annotator_numbers(session, plan)
    stored = stored_candidates(session, plan.project_id)
    place = stored.find(pairs_of(plan.query[found.query[kept]], document[found.document[kept]]))
    listed = place >= 0
    candidate = np.full(len(kept), UNKNOWN, dtype=np.int64)
    candidate[listed] = stored.id[place[listed]]
    pooled = np.zeros(len(kept), dtype=np.bool_)
    pooled[listed] = stored.pooled[place[listed]]
    before = _said_before(session, plan.project_id, annotator, candidate)
    news = np.flatnonzero(before != said_by(found.grade[kept], found.reason[kept]))
    uuids, fresh = _new_uuids(session, plan, annotator, news)
    news = news[fresh]
    if not plan.options.replace:
        log_contradictions(found, kept[news], before[news])
    found.problems.raise_if_any()
    return Pending(
        lines=kept[news],
        candidate=candidate[news],
        annotator=annotator[news],
        uuids=uuids,
        replaced=int(np.count_nonzero((before[news] != NOT_JUDGED) & (before[news] != CLEARED))),
        outside_pool=int(np.count_nonzero(~pooled[news])),
    )


def _annotator_numbers(session: Session, plan: JudgmentPlan) -> Ints:
    """Return the number of each kept line's annotator: int64 (kept,), -1 for new ones."""
    numbers = np.full(len(plan.found.annotators), UNKNOWN, dtype=np.int64)
    for at in np.unique(plan.found.annotator[plan.kept]).tolist():
        name = plan.found.annotators[at]
        person = find_source(session, plan.project_id, name, plan.kinds[name])
        if person is not None:
            numbers[at] = person.id
    return numbers[plan.found.annotator[plan.kept]]


def _said_before(session: Session, project_id: int, annotator: Ints, candidate: Ints) -> Ints:
    known = [number for number in np.unique(annotator).tolist() if number != UNKNOWN]
    before = np.full(len(candidate), NOT_JUDGED, dtype=np.int64)
    if known:
        there = (annotator != UNKNOWN) & (candidate != UNKNOWN)
        standing = standing_of(session, project_id, known)
        before[there] = standing.at(annotator[there] * SPAN + candidate[there])
    return before


def _new_uuids(
    session: Session, plan: JudgmentPlan, annotator: Ints, news: Ints
) -> tuple[list[bytes], list[int]]:
    """Return the ids of the lines that were never imported before, and their places among the news."""
    known = [number for number in np.unique(annotator).tolist() if number != UNKNOWN]
    stored = stored_uuids(session, plan.project_id, known)
    undone = times_undone(session, plan.project_id, plan.found.file_hash)
    lines = plan.found.line[plan.kept[news]].tolist()
    uuids = [uuid_of(plan.found.file_hash, line, undone) for line in lines]
    fresh = [at for at, each in enumerate(uuids) if each not in stored]
    return [uuids[at] for at in fresh], fresh
