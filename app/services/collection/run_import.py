"""Import a run: planned against the project, written in chunks, published in one short transaction.

A crash before the last step leaves a run that nobody sees; `sweep_unpublished` removes it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from sqlalchemy import delete, exists, insert, select
from sqlalchemy.orm import Session

from app.formats.trec import NO_RANK
from app.models.document import Document
from app.models.event import Event, EventKind
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Ranking, Run
from app.scoring.arrays import Flags, Ints
from app.sentences import counted, message
from app.services.bulk import batches, lock_project, stream_plain, table_of
from app.services.collection.documents import document_steps, drop_staged, publish_documents
from app.services.collection.files import (
    UNKNOWN,
    ImportFile,
    ImportStep,
    numbers_of,
    numbers_of_queries,
    refuse_archived,
    write_import,
)
from app.services.collection.pool import (
    MANUAL,
    SPAN,
    Places,
    apply_change,
    best_places,
    candidate_steps,
    change_of_pool,
    pairs_of,
    pooled_depth,
    stored_candidates,
    with_merged,
)
from app.services.collection.pool_rated import rated_among, without_text
from app.services.collection.rankers import drop_empty_ranker, find_or_add_ranker
from app.services.collection.run_files import (
    FileNumbers,
    RunImported,
    RunLists,
    RunOptions,
    RunReport,
    check_names,
    find_registered,
    next_version,
    read_run_file,
    refuse_unknown,
    taken_versions,
    with_ranker,
)
from app.services.collection.telling_sources import count_naming_documents, count_own_source
from app.services.errors import ConflictError, InvalidError
from app.services.ledger import head_of, record_event
from app.services.webhooks import RUN_IMPORTED, announce


def recommended_checks(session: Session, project: Project, run: NumberedRun) -> dict[str, Any]:
    """Return the counts of `RunReport` that only projects of papers have; nothing for any other project."""
    if not project.has_abstracts:
        return {}
    lengths = run.lists.lengths[run.kept]
    return {
        "own_targets": _own_targets(session, project.id, run),
        "gapped_lists": int(np.count_nonzero(_is_gapped(run.lists)[run.kept])),
        "other_lengths": int(np.count_nonzero(lengths != project.pool_depth)),
        "usual_length": project.pool_depth,
    }


def _own_targets(session: Session, project_id: int, run: NumberedRun) -> int:
    """Return how many lines recommend a target to itself, by its id or by its title."""
    lists = run.lists
    places = map(lists.document_ids.find, lists.query_ids)
    same_id = np.array([UNKNOWN if place is None else place for place in places], dtype=np.int64)
    own = np.repeat(same_id, lists.lengths) == lists.document
    titles = _titles(session, project_id)
    texts = dict(session.execute(select(Query.id, Query.text).where(Query.project_id == project_id)).all())
    asked = [_plain(texts.get(number, "")) for number in run.query.tolist()]
    found = np.array([titles.get(text, UNKNOWN) if text else UNKNOWN for text in asked], dtype=np.int64)
    wanted, document = np.repeat(found, lists.lengths), run.document[lists.document]
    own |= (wanted != UNKNOWN) & (wanted == document)
    return int(np.count_nonzero(own & np.repeat(run.query != UNKNOWN, lists.lengths)))


def _titles(session: Session, project_id: int) -> dict[str, int]:
    rows = stream_plain(session, select(Document.title, Document.id).where(Document.project_id == project_id))
    return {_plain(title): number for title, number in rows}


def _plain(title: str) -> str:
    return " ".join(title.casefold().split())


def _is_gapped(lists: RunLists) -> Flags:
    """Return whether the places of each list are not 1, 2, 3 and so on; without places none is."""
    rank = lists.rank
    if rank is None or np.any(rank == NO_RANK):
        return np.zeros(len(lists.query_ids), dtype=np.bool_)
    starts = np.repeat(lists.starts[:-1], lists.lengths)
    which = np.repeat(np.arange(len(lists.query_ids)), lists.lengths)
    wrong = rank[np.lexsort((rank, which))] != np.arange(lists.lines) - starts + 1
    return np.bincount(which, weights=wrong, minlength=len(lists.query_ids)) > 0


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
    kind
        Of its ranker.
    """

    lists: RunLists
    query: Ints
    document: Ints
    kind: str

    @property
    def kept(self) -> Ints:
        """intp: which lists are stored."""
        return np.flatnonzero(self.query != UNKNOWN)

    def unknown_documents(self) -> Ints:
        """Return the places of the documents that stored lists name and the project lacks."""
        return np.flatnonzero(self._used() & (self.document == UNKNOWN)).astype(np.int32)

    def known_documents(self) -> Ints:
        """Return the numbers of the different documents that stored lists name and the project has."""
        return np.unique(self.document[self._used() & (self.document != UNKNOWN)])

    def _used(self) -> Flags:
        """Return which documents stored lists name: bool (ids of the file,)."""
        used = np.zeros(len(self.document), dtype=np.bool_)
        used[self.lists.document[np.repeat(self.query != UNKNOWN, self.lists.lengths)]] = True
        return used

    def places_to_come(self, depth: int) -> Places:
        """Return the top documents as `places` does, before the unknown ones have a number of their own."""
        stand_in = np.arange(LARGEST, LARGEST - len(self.document), -1, dtype=np.int32)
        return self.places(np.where(self.document == UNKNOWN, stand_in, self.document), depth)

    def places(self, document: Ints, depth: int) -> Places:
        """Return the top documents of the run, given the number of every document of the file."""
        kept = self.kept
        lengths = np.minimum(self.lists.lengths[kept], pooled_depth(self.kind, depth))
        rank = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        lines = np.repeat(self.lists.starts[kept], lengths) + rank
        found = document[self.lists.document[lines]]
        place = np.ones_like(rank) if self.kind == MANUAL else rank + 1
        return best_places(pairs_of(np.repeat(self.query[kept], lengths), found), place.astype(np.int16))


@dataclass(frozen=True)
class RunPlan(NumberedRun):
    """A checked run, what was found in it, and the project's revision at the check."""

    project_id: int
    options: RunOptions
    revision: int
    report: RunReport


def plan_run(session: Session, project: Project, lists: RunLists, options: RunOptions) -> RunPlan:
    """Return what importing these lists will do; nothing is written.

    :raise FormatError: Ids are unknown and may not be added or left out; all of them are reported.
    :raise InvalidError: A name cannot be one, or the file does not give the name that it is to give.
    :raise ConflictError: The ranker has this version already.
    """
    refuse_archived(project)
    options = with_ranker(options, lists)
    check_names(session, project, options)
    query = numbers_of_queries(session, project.id, lists.query_ids)
    document = numbers_of(session, Document, project.id, lists.document_ids)
    refuse_unknown(session, project.id, lists, options, FileNumbers(query, document))
    report = _report(session, project, NumberedRun(lists, query, document, options.kind), options)
    if not report.lines:
        raise InvalidError(
            message("%(file)s answers none of the queries of %(slug)s.", file=lists.file, slug=project.slug),
            code="empty",
            field="body",
            value=None,
            remedy="Send a run of this project's queries, or add them first.",
        )
    revision = head_of(session, project.id)
    return RunPlan(lists, query, document, options.kind, project.id, options, revision, report)


def _report(session: Session, project: Project, run: NumberedRun, options: RunOptions) -> RunReport:
    lists, kept = run.lists, run.kept
    new = _new_candidates(session, project, run)
    naming = count_naming_documents(session, project, options.ranker, options.version)
    return RunReport(
        lines=int(lists.lengths[kept].sum()),
        queries=len(kept),
        missing_queries=_missing_queries(session, project.id, run.query),
        skipped_queries=lists.skipped_queries + len(run.query) - len(kept),
        skipped_lines=lists.skipped_lines + lists.lines - int(lists.lengths[kept].sum()),
        new_documents=len(run.unknown_documents()),
        new_candidates=new.joining,
        rated_candidates=new.rated,
        textless_candidates=new.textless,
        missing_texts=new.missing_texts,
        tied_lines=lists.tied_lines,
        rank_disagreements=lists.rank_disagreements,
        repeated_lines=lists.repeated_lines,
        has_scores=lists.score is not None,
        depth=int(lists.lengths[kept].max(initial=0)),
        named_documents=naming,
        # One of the two says enough.
        own_source_documents=0 if naming else count_own_source(session, project.id, run.known_documents()),
        columns_left_out=lists.problems.columns_left_out,
        hints=tuple(lists.problems.hints),
        **recommended_checks(session, project, run),
    )


def _missing_queries(session: Session, project_id: int, query: Ints) -> int:
    active = session.scalars(
        select(Query.id).where(Query.project_id == project_id, Query.retired_revision.is_(None))
    )
    return len(set(active) - set(query.tolist()))


class _NewCandidates(NamedTuple):
    """Answers that join the pool; those rated already; those without rating and text; the texts that lack."""

    joining: int
    rated: int
    textless: int
    missing_texts: int


def _new_candidates(session: Session, project: Project, run: NumberedRun) -> _NewCandidates:
    stored = stored_candidates(session, project.id)
    places = with_merged(session, project.id, run.places_to_come(project.pool_depth))
    at = stored.find(places.key)
    joins = (at < 0) | ~np.append(stored.pooled, True)[at]
    known = np.flatnonzero(joins & (at >= 0))
    rated = known[np.isin(stored.id[at[known]], rated_among(session, stored.id[at[known]].tolist()))]
    silent = joins & without_text(session, project.id, places.document)
    silent[rated] = False
    return _NewCandidates(
        joining=int(np.count_nonzero(joins)),
        rated=len(rated),
        textless=int(np.count_nonzero(silent)),
        missing_texts=len(np.unique(places.document[silent])),
    )


REMOVALS = (EventKind.QUERIES_REMOVED.value, EventKind.DOCUMENTS_REMOVED.value)


def publish_run(
    session: Session, plan: RunPlan, run_id: int, document: Ints, *, actor_id: int | None = None
) -> RunImported:
    """Make a written run visible and pool its answers; return what was done.

    :raise ConflictError: What the run names was removed meanwhile, or its label was taken.
    """
    project = lock_project(session, plan.project_id)
    refuse_if_removed(session, project, plan.revision)
    run = session.get_one(Run, run_id)
    ranker = session.get_one(Ranker, run.ranker_id)
    if known := find_registered(session, project, ranker.name, run.file_hash):
        drop_run(session, run)  # the same file was imported meanwhile
        return known
    publish_documents(session, project.id, document[plan.unknown_documents()])
    # The ranker may have been renamed since the check.
    check_names(session, project, replace(plan.options, ranker=ranker.name))
    change = change_of_pool(session, project, plan.places(document, project.pool_depth), extend=True)
    run.version = plan.options.version or next_version(taken_versions(session, project, ranker.name))
    run.stats = plan.report.stats | {"new_candidates": len(change.joins)}
    payload = {"run_id": run.id, "new_candidates": len(change.joins), "file": plan.lists.file}
    event = record_event(session, project.id, EventKind.RUN_PUBLISHED, payload, actor_id=actor_id)
    run.state, run.revision, run.registered_at = "published", event.revision, event.at
    session.flush()
    apply_change(session, change, event.revision)
    announce(
        session,
        project,
        RUN_IMPORTED,
        message=(
            f"{ranker.name} {run.version} was imported: "
            f"{counted(len(change.joins), 'answer')} new in the pool."
        ),
        path=f"/p/{project.slug}/",
        ranker=ranker.name,
        version=run.version,
        new_answers=len(change.joins),
    )
    return RunImported(
        run_id=run.id,
        ranker=ranker.name,
        version=run.version,
        revision=event.revision,
        new_candidates=len(change.joins),
        report=plan.report,
    )


def refuse_if_removed(session: Session, project: Project, revision: int) -> None:
    """Refuse to go on with a plan that may name queries or documents removed since its revision.

    :raise ConflictError: Some were removed.
    """
    removed = exists().where(
        Event.project_id == project.id, Event.revision > revision, Event.kind.in_(REMOVALS)
    )
    if session.scalar(select(removed)):
        raise ConflictError(
            "Queries or documents of the project were removed during this import: start it again.",
            code="changed_meanwhile",
        )


def drop_run(session: Session, run: Run) -> None:
    """Delete a run that was never published."""
    assert run.state == "unpublished"
    session.execute(delete(Ranking).where(Ranking.run_id == run.id))
    session.delete(run)
    session.flush()


# Short enough that people who rate wait for one chunk at most.
LISTS_A_CHUNK = 500


@dataclass
class RunImport:
    """The writing of one planned run; `result` is there after the last step."""

    plan: RunPlan
    depth: int
    actor_id: int | None = None
    run_id: int = 0
    result: RunImported = field(init=False)
    document: Ints = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self.document = self.plan.document.copy()

    @property
    def total(self) -> int:
        """How many rows the steps write."""
        plan = self.plan
        return plan.report.new_documents + len(plan.kept) + len(self._known_pairs())

    def steps(self) -> Iterator[ImportStep]:
        """Yield the steps, each for a transaction of its own; only the last makes the run visible.

        A step must be written before the next one is asked for: later ones build on what it found.
        """
        plan = self.plan
        yield ImportStep(0, self._open)
        yield from document_steps(plan.lists.document_ids, plan.unknown_documents(), self.document)
        for lists in batches(plan.kept.tolist(), LISTS_A_CHUNK):
            yield ImportStep(len(lists), partial(self._add_rankings, lists=lists))
        yield from candidate_steps(plan.project_id, self._known_pairs())
        yield ImportStep(0, self._publish, publishes=True)

    def clean(self) -> Iterator[ImportStep]:
        """Yield the steps that remove the run and its documents if they were not published."""
        yield ImportStep(0, self._drop)
        yield from drop_staged(self._new_documents())

    def _known_pairs(self) -> Ints:
        """Return the pairs that enter the pool, but for those of documents that are still to be published."""
        places = self.plan.places(self.plan.document, self.depth)
        return places.only(places.document != UNKNOWN % SPAN).key

    def _new_documents(self) -> Ints:
        numbers = self.document[self.plan.unknown_documents()]
        return np.asarray(numbers[numbers != UNKNOWN])

    def _drop(self, session: Session) -> None:
        run = session.get(Run, self.run_id) if self.run_id else None
        if run is not None and run.state == "unpublished":
            drop_unpublished(session, run)

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

    def _publish(self, session: Session) -> None:
        self.result = publish_run(session, self.plan, self.run_id, self.document, actor_id=self.actor_id)


def import_run(
    session: Session, project: Project, file: ImportFile, options: RunOptions, *, actor_id: int | None = None
) -> RunImported:
    """Add a run to a project in one transaction, and return what was done; the same file again does nothing.

    :raise FormatError: Something is wrong with the file, or it names what the project lacks; all of it is
        reported.
    """
    lists = read_run_file(file, best=options.best) if options.named_in_file else None
    options = with_ranker(options, lists) if lists else options
    file_hash = file.sha256()
    if known := find_registered(session, project, options.ranker, file_hash):
        return known
    lists = lists or read_run_file(file, file_hash=file_hash, best=options.best)
    plan = plan_run(session, project, lists, options)
    return write_import(session, RunImport(plan, project.pool_depth, actor_id))


def drop_unpublished(session: Session, run: Run) -> None:
    """Delete a run whose import stopped half way, and its ranker if it has no other."""
    ranker_id = run.ranker_id
    drop_run(session, run)
    drop_empty_ranker(session, ranker_id)


def sweep_unpublished(session: Session) -> int:
    """Delete all runs whose import stopped half way; return how many. To be called while nobody imports."""
    abandoned = session.scalars(select(Run).where(Run.state == "unpublished")).all()
    for run in abandoned:
        drop_unpublished(session, run)
    return len(abandoned)
