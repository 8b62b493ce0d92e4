"""The lists of a file against the project: every unknown id at once, then what will be written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import select

from app.models import Document, Query
from app.services.errors import InvalidError
from app.services.external_ids import UNKNOWN, numbers_of
from app.services.import_file import refuse_archived
from app.services.ledger import head_of
from app.services.pooling.candidates import stored_candidates
from app.services.pooling.places import Places, best_places, pairs_of
from app.services.pooling.rated import count_rated
from app.services.runs.checks import Numbers, check_names, refuse_unknown
from app.services.runs.options import RunReport
from app.services.runs.recommended import recommended_checks

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Project
    from app.scoring.arrays import Ints
    from app.services.runs.lists import RunLists
    from app.services.runs.options import RunOptions

LARGEST = 2**31 - 1


@dataclass(frozen=True)
class NumberedRun:
    """The lists of a file with the project's numbers for their ids.

    Attributes
    ----------
    query
        int32 (lists of the file,): the number of each list's query, -1 for lists left out.
    document
        int32 (ids of the file,): the number of each document, -1 for those to be added.
    """

    lists: RunLists
    query: Ints
    document: Ints

    @property
    def kept(self) -> Ints:
        """intp: which lists are stored."""
        return np.flatnonzero(self.query != UNKNOWN)

    def unknown_documents(self) -> list[int]:
        """Return the places of the documents that stored lists name and the project lacks."""
        used = np.zeros(len(self.document), dtype=np.bool_)
        used[self.lists.document[np.repeat(self.query != UNKNOWN, self.lists.lengths)]] = True
        return np.flatnonzero(used & (self.document == UNKNOWN)).tolist()

    def places_to_come(self, depth: int) -> Places:
        """Return the top documents as `places` does, before the unknown ones have a number of their own."""
        stand_in = np.where(self.document == UNKNOWN, LARGEST - np.arange(len(self.document)), self.document)
        return self.places(stand_in, depth)

    def places(self, document: Ints, depth: int) -> Places:
        """Return the top documents of the run, given the number of every document of the file."""
        starts, lengths = self.lists.starts[:-1], self.lists.lengths
        rank = np.arange(self.lists.lines) - np.repeat(starts, lengths) + 1
        query = np.repeat(self.query, lengths)
        top = (rank <= depth) & (query != UNKNOWN)
        found = document[self.lists.document[top]]
        return best_places(pairs_of(query[top], found), rank[top].astype(np.int16))


@dataclass(frozen=True)
class RunPlan(NumberedRun):
    """A checked run, what was found in it, and the project's revision at the check."""

    project_id: int
    options: RunOptions
    revision: int
    report: RunReport


def plan_run(session: Session, project: Project, lists: RunLists, options: RunOptions) -> RunPlan:
    """Return what importing these lists will do; nothing is written.

    Raises
    ------
    FormatError
        Ids are unknown and may not be added or left out; all of them are said.
    InvalidError
        A name cannot be one.
    ConflictError
        The ranker has this version already.
    """
    refuse_archived(project)
    check_names(session, project, options)
    query = numbers_of(session, Query, project.id, lists.query_ids)
    document = numbers_of(session, Document, project.id, lists.document_ids)
    refuse_unknown(session, project.id, lists, options, Numbers(query, document))
    report = _report(session, project, NumberedRun(lists, query, document))
    if not report.lines:
        raise InvalidError(f"{lists.file} answers none of the queries of {project.slug}.", code="empty")
    return RunPlan(lists, query, document, project.id, options, head_of(session, project.id), report)


def _report(session: Session, project: Project, run: NumberedRun) -> RunReport:
    lists, kept = run.lists, run.kept
    joining, rated = _new_candidates(session, project, run)
    return RunReport(
        lines=int(lists.lengths[kept].sum()),
        queries=len(kept),
        missing_queries=_missing_queries(session, project.id, run.query),
        skipped_queries=len(run.query) - len(kept),
        new_documents=len(run.unknown_documents()),
        new_candidates=joining,
        rated_candidates=rated,
        tied_lines=lists.tied_lines,
        rank_disagreements=lists.rank_disagreements,
        repeated_lines=lists.repeated_lines,
        has_scores=lists.score is not None,
        depth=int(lists.lengths[kept].max(initial=0)),
        **recommended_checks(session, project, run),
    )


def _missing_queries(session: Session, project_id: int, query: Ints) -> int:
    active = session.scalars(
        select(Query.id).where(Query.project_id == project_id, Query.retired_revision.is_(None))
    )
    return len(set(active) - set(query.tolist()))


def _new_candidates(session: Session, project: Project, run: NumberedRun) -> tuple[int, int]:
    """Return how many answers will join the pool, and how many of those are rated already."""
    stored = stored_candidates(session, project.id)
    at = stored.find(run.places_to_come(project.pool_depth).key)
    known = at[at >= 0]
    joining = stored.id[known[~stored.pooled[known]]]
    return int(np.count_nonzero(at < 0) + len(joining)), count_rated(session, joining.tolist())
