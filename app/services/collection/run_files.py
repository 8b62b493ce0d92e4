"""A run file as ordered lists, and what an import of it refuses."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Literal, NamedTuple, overload

import numpy as np
from sqlalchemy import select
from sqlalchemy.orm import Session

from app.formats.errors import ProblemLog, visible
from app.formats.ids import Ids
from app.formats.query_texts import OtherText
from app.formats.run_columns import Enough, RunColumns
from app.formats.runs import read_run_columns
from app.formats.trec import NO_RANK
from app.models.document import Document
from app.models.project import Project
from app.models.query import Query
from app.models.ranker import Ranker
from app.models.run import Run
from app.scoring.arrays import Floats, Ints
from app.scoring.ranking import disagreeing_lists, order_by_rank, order_by_score
from app.sentences import counted, message
from app.services.collection.files import UNKNOWN, ImportFile
from app.services.collection.unknown_ids import (
    KnownQueries,
    has_shared_lines,
    is_least,
    log_unknown,
    refuse_half_read,
    unknown_ids,
)
from app.services.errors import ConflictError, InvalidError


@dataclass(frozen=True)
class RunLists:
    """The lists of one run in the order that counts.

    Attributes
    ----------
    query_ids, document_ids
        Every id once, in order of appearance.
    starts
        int64 (queries + 1,): the lines of list i are starts[i]:starts[i + 1].
    document
        int32 (lines,): places in `document_ids`, best rank first.
    score
        float64 (lines,), or None for a run that has ranks only.
    line
        int32 (lines,): where each is in the file.
    rank
        int32 (lines,): the place that the file gives each line, -1 for none.
    skipped_lines, skipped_queries
        What was left out by choice while the file was read; of many queries it is the least.
    problems
        What is wrong with other lines. They are reported together with the ids that the project lacks: lists
        with problems are never stored.
    """

    file: str
    file_hash: bytes
    tag: str
    query_ids: list[str]
    document_ids: Ids
    starts: Ints
    document: Ints
    score: Floats | None
    line: Ints
    tied_lines: int
    rank_disagreements: int
    repeated_lines: int
    problems: ProblemLog = field(default_factory=ProblemLog, compare=False)
    rank: Ints | None = field(default=None, compare=False, repr=False)
    skipped_lines: int = 0
    skipped_queries: int = 0

    @property
    def lengths(self) -> Ints:
        """int64 (queries,): how many lines each list has."""
        return np.diff(self.starts)

    @property
    def lines(self) -> int:
        """The number of lines."""
        return len(self.document)


class _LineIds(Sequence[str]):
    """The document id of each line, looked up when asked for: only tied lines are."""

    def __init__(self, ids: Ids, place: array[int]) -> None:
        self._ids, self._place = ids, place

    @overload
    def __getitem__(self, line: int) -> str: ...
    @overload
    def __getitem__(self, line: slice) -> list[str]: ...
    def __getitem__(self, line: int | slice) -> str | list[str]:
        if isinstance(line, slice):
            return [self._ids[place] for place in self._place[line]]
        return self._ids[self._place[line]]

    def __len__(self) -> int:
        return len(self._place)


def read_run_file(
    file: ImportFile,
    *,
    file_hash: bytes | None = None,
    enough: Enough | None = None,
    keeps: KnownQueries | None = None,
    best: bool = False,
    other_text: OtherText | None = None,
) -> RunLists:
    """Return the lists of a run file, ordered by the one tie rule, with the problems of its other lines.

    Parameters
    ----------
    file_hash
        The SHA-256 of the file, where the caller knows it already.
    enough
        Says after which ids the file is not read on: then its lists have a problem that `plan_run` finds.
    keeps
        Says of which queries lists are kept; the lines of others are checked one by one and counted.
    best
        Whether a document that occurs twice in a list is kept at its best place, without a problem.
    other_text
        Tells which texts beside ids of queries are not theirs; see `StoredTexts`.

    :raise FormatError: Nothing of the file can be read.
    """
    log = ProblemLog()
    columns = read_run_columns(
        file.part,
        file.name,
        log,
        file.format,
        file.columns,
        enough=enough,
        keeps=keeps,
        best=best,
        other_text=other_text,
    )
    if not columns.query_ids:
        log.raise_if_any()
    lists = _ordered(columns, file.name, file_hash or file.sha256(), log)
    return replace(lists, skipped_queries=keeps.left_out) if keeps else lists


def _ordered(columns: RunColumns, name: str, file_hash: bytes, log: ProblemLog) -> RunLists:
    query = np.frombuffer(columns.query_index, dtype=np.intc)
    rank = np.frombuffer(columns.rank, dtype=np.intc)
    score = np.frombuffer(columns.score, dtype=np.float64)
    ids = _LineIds(columns.document_ids, columns.document_index)
    order = order_by_score(query, score, ids) if columns.has_scores else order_by_rank(query, rank, ids)
    ranked = bool(columns.has_scores and not np.any(rank == NO_RANK))
    return RunLists(
        file=name,
        file_hash=file_hash,
        tag=columns.tag or "",
        query_ids=columns.query_ids,
        document_ids=columns.document_ids,
        starts=np.frombuffer(columns.starts, dtype=np.intc).astype(np.int64),
        document=order.of(np.frombuffer(columns.document_index, dtype=np.intc)),
        score=order.of(score) if columns.has_scores else None,
        line=order.of(np.frombuffer(columns.line, dtype=np.intc)),
        tied_lines=order.tied_lines,
        rank_disagreements=disagreeing_lists(order.of(query), order.of(rank)) if ranked else 0,
        repeated_lines=log.left_out["repeated"],
        problems=log,
        rank=order.of(rank),
        skipped_lines=log.left_out["unknown"],
    )


TIED_SHARE = 0.01


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """How to import a run; blanks around its names and its note are taken off.

    Attributes
    ----------
    ranker
        The name of its ranker, which is made if it is new.
    named_in_file
        Whether that is the name that the file gives; `ranker` is empty then.
    version
        Its label; v1, v2, ... if not given.
    unknown_documents
        What to do with ids that the project lacks: refuse, or add them by name only.
    unknown_queries
        The same: refuse, or leave their lists out.
    best
        Whether a document that occurs twice in a list is kept at its best place; else that is a problem.
    kind
        `manual` for answers that people knew of: pooled, but part of no comparison.
    """

    ranker: str = ""
    version: str | None = None
    unknown_documents: Literal["reject", "add"] = "reject"
    unknown_queries: Literal["reject", "skip"] = "reject"
    best: bool = False
    note: str = ""
    kind: Literal["system", "manual"] = "system"
    named_in_file: bool = False

    def __post_init__(self) -> None:
        # However the options are given: names that look the same are the same.
        object.__setattr__(self, "ranker", self.ranker.strip())
        object.__setattr__(self, "version", (self.version or "").strip() or None)
        object.__setattr__(self, "note", self.note.strip())


@dataclass(frozen=True, kw_only=True)
class RunReport:
    """What an import found in a run.

    Attributes
    ----------
    lines, queries
        Stored lines and lists.
    missing_queries
        Active queries of the project about which the run is silent.
    skipped_queries, skipped_lines
        Lists left out because the project lacks their query, of 20,000 and more the least, and their lines.
    new_documents
        Documents to be added by name only.
    new_candidates, rated_candidates, textless_candidates, missing_texts
        Answers that join the pool, those of them that are rated already, and those that cannot be: without a
        rating and without a text; and how many texts these need.
    tied_lines
        Lines that have the score of the line before them; document ids decide their order.
    rank_disagreements
        Lists whose rank column contradicts the scores.
    named_documents, own_source_documents
        Documents whose source names this ranker or its version, and those of this ranker whose source almost
        only they have: people who rate would see whose answer it is.
    own_targets, gapped_lists, other_lengths, usual_length
        In projects of papers: lines that recommend a target to itself, lists whose places are not 1, 2, 3
        and so on, and lists that do not hold the usual number of papers.
    hints
        What the file may not mean, as sentences.
    """

    lines: int
    queries: int
    missing_queries: int
    skipped_queries: int
    new_documents: int
    new_candidates: int
    rated_candidates: int
    textless_candidates: int
    tied_lines: int
    rank_disagreements: int
    repeated_lines: int
    has_scores: bool
    depth: int
    missing_texts: int = 0
    named_documents: int = 0
    own_source_documents: int = 0
    own_targets: int = 0
    gapped_lists: int = 0
    other_lengths: int = 0
    usual_length: int = 0
    skipped_lines: int = 0
    columns_left_out: tuple[str, ...] = ()
    hints: tuple[str, ...] = ()

    @property
    def stats(self) -> dict[str, int | bool | tuple[str, ...]]:
        """Everything that is stored with the run."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}

    @property
    def covered(self) -> str:
        """How many of the project's queries the run answers, in words."""
        return f"{self.queries:,} of {self.queries + self.missing_queries:,} queries"

    @property
    def warnings(self) -> list[str]:
        """What the owner should know, as sentences."""
        share = self.tied_lines / self.lines if self.lines else 0
        lines = counted(self.own_targets, "line")
        gapped, odd = counted(self.gapped_lists, "list"), counted(self.other_lengths, "list")
        missing = counted(self.missing_queries, "query", "queries")
        disagreeing, skipped = counted(self.rank_disagreements, "list"), counted(self.skipped_queries, "list")
        skipped = f"{'at least ' * is_least(self.skipped_queries)}{skipped}"
        told = {
            f"{share:.1%} of the lines have the same score as the line before; "
            "they are ordered by document id, highest first.": share > TIED_SHARE,
            f"In {disagreeing} of {self.queries:,} the ranks do not match the scores. The scores decide, and "
            "document ids where scores are equal.": self.rank_disagreements,
            f"No list for {missing} of the project: each counts 0 once it is scored.": self.missing_queries,
            f"Skipped: {skipped} for queries that the project does not have, with "
            f"{counted(self.skipped_lines, 'line')}.": self.skipped_queries,
            f"Added without text: {counted(self.new_documents, 'document')}; nobody can rate them until "
            "the text is imported.": self.new_documents,
            f"Skipped: {counted(self.repeated_lines, 'line')} repeating a document of the same list.": (
                self.repeated_lines
            ),
            f"{counted(self.named_documents, 'document')} seeming to name this ranker or version in the "
            "source or in a shown field, which people see while they rate: if so, import the documents again "
            "without it and --replace.": self.named_documents,
            f"{counted(self.own_source_documents, 'document')} with a source that almost only this ranker's "
            "documents have, and that people see while they rate: import the documents again without it and "
            "--replace.": self.own_source_documents,
            f"{lines} recommending a target paper for itself, by its id or its title: remove them from "
            "the file.": self.own_targets,
            f"{gapped} of {self.queries:,}: the places are not 1, 2, 3 and so on without a "
            "gap.": self.gapped_lists,
            f"{odd} of {self.queries:,}: not exactly {self.usual_length} recommended "
            "papers.": self.other_lengths,
        }
        return [*self.hints, *(sentence for sentence, holds in told.items() if holds)]


@dataclass(frozen=True, kw_only=True)
class RunImported:
    """What an import of a run did; `already` says that the same file was registered before."""

    run_id: int
    ranker: str
    version: str
    already: bool = False
    withdrawn: bool = False
    revision: int | None = None
    new_candidates: int = 0
    report: RunReport | None = field(default=None, repr=False)


LONGEST_NAME = {"ranker": 200, "version": 100, "note": 300}


class FileNumbers(NamedTuple):
    """The database's numbers of a file's ids, -1 for unknown ones: int32 (queries,), int32 (documents,)."""

    query: Ints
    document: Ints


def with_ranker(options: RunOptions, lists: RunLists) -> RunOptions:
    """Return the options of a run with the name of its ranker, also where the file gives it.

    :raise InvalidError: The file does not.
    """
    if not options.named_in_file:
        return options
    if not lists.tag.strip():
        raise InvalidError(
            message("%(file)s does not name its ranker.", file=lists.file),
            code="no_ranker",
            field="ranker",
            value=None,
            remedy="Name it with --ranker NAME.",
        )
    return replace(options, ranker=lists.tag, named_in_file=False)


def find_registered(session: Session, project: Project, ranker: str, file_hash: bytes) -> RunImported | None:
    """Return the run that the same file gave the same ranker before, or None."""
    found = session.scalar(
        select(Run)
        .join(Ranker, Ranker.id == Run.ranker_id)
        .where(Ranker.project_id == project.id, Ranker.name == ranker)
        .where(Run.file_hash == file_hash, Run.state != "unpublished")
    )
    if found is None:
        return None
    return RunImported(
        run_id=found.id,
        ranker=ranker,
        version=found.version,
        already=True,
        withdrawn=found.state == "withdrawn",
        revision=found.revision,
    )


def check_names(session: Session, project: Project, options: RunOptions) -> None:
    """Refuse names that cannot be stored or are taken.

    :raise InvalidError: A name is empty, too long, or not on one line.
    :raise ConflictError: The ranker has this version already.
    """
    for what in LONGEST_NAME:
        if (text := getattr(options, what)) or what == "ranker":
            check_label(what, text)
    if options.version is not None and options.version in taken_versions(session, project, options.ranker):
        raise ConflictError(
            message(
                "%(ranker)s has a version %(version)s already: choose another name.",
                ranker=options.ranker,
                version=repr(options.version),
            ),
            code="version_taken",
            field="version",
            value=options.version,
            remedy="Choose another label, or give none.",
        )


_EMPTY = {
    "ranker": message("Enter a name for the ranker."),
    "version": message("Enter a name for the version."),
    "note": message("Enter a note."),
}


def check_label(what: str, text: str) -> str:
    """Return a name of a ranker or a version, or a note, that must not be empty.

    :raise InvalidError: It is empty, too long, or not on one line.
    """
    if not text:
        raise InvalidError(_EMPTY[what], code=what, field=what)
    if len(text) > LONGEST_NAME[what] or not text.isprintable():
        wanted = f"1 to {LONGEST_NAME[what]} characters on one line."
        raise InvalidError(
            f"A {what} is {wanted}", code=what, field=what, value=visible(text), remedy=f"Give {wanted}"
        )
    return text


def next_version(taken: set[str]) -> str:
    """Return the label that a version takes by itself: v1, v2 and so on."""
    return next(label for number in count(1) if (label := f"v{number}") not in taken)


def taken_versions(session: Session, project: Project, ranker: str) -> set[str]:
    """Return the labels of a ranker's runs."""
    wanted = select(Run.version).join(Ranker).where(Ranker.project_id == project.id, Ranker.name == ranker)
    return set(session.scalars(wanted))


def refuse_unknown(
    session: Session, project_id: int, lists: RunLists, options: RunOptions, numbers: FileNumbers
) -> None:
    """Refuse ids that the project lacks, unless they may be added or left out.

    :raise FormatError: With the unknown queries and documents, and what was wrong with other lines.
    :raise ConflictError: The project got them while the file was read, which was given up.
    """
    log = lists.problems
    query, document = numbers
    place = np.repeat(np.arange(len(query), dtype=np.int32), lists.lengths)
    if options.unknown_queries == "reject":
        # A query all of whose lines are refused for their documents has no line here.
        wrong = (query == UNKNOWN)[place]
        shared = bool(wrong.any()) and has_shared_lines(lists.line)
        unknown = unknown_ids(lists.query_ids, place[wrong], lists.line[wrong], on_shared_lines=shared)
        log_unknown(session, Query, project_id, log, file=lists.file, unknown=unknown)
    if options.unknown_documents == "reject":
        wrong = (document == UNKNOWN)[lists.document]
        if options.unknown_queries == "skip":
            wrong &= np.repeat(query != UNKNOWN, lists.lengths)
        unknown = unknown_ids(
            lists.document_ids,
            lists.document[wrong],
            lists.line[wrong],
            on_shared_lines=bool(wrong.any()) and has_shared_lines(lists.line),
            beside=(lists.query_ids, place[wrong]),
        )
        log_unknown(session, Document, project_id, log, file=lists.file, unknown=unknown)
    log.raise_if_any()
    refuse_half_read(log)
