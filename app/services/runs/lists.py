"""A run file as ordered lists, before anything of the project is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, overload

import numpy as np

from app.formats.errors import ProblemLog
from app.formats.runs import read_run_columns
from app.formats.trec import NO_RANK
from app.scoring.ranking import disagreeing_lists, order_by_rank, order_by_score

if TYPE_CHECKING:
    from array import array

    from app.formats.run_columns import RunColumns
    from app.scoring.arrays import Floats, Ints
    from app.services.import_file import ImportFile


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
        int32 (lines,): where each stands in the file.
    rank
        int32 (lines,): the place that the file gives each line, -1 for none.
    problems
        What is wrong with other lines. They are said together with the ids that the project lacks: lists
        with problems are never stored.
    """

    file: str
    file_hash: bytes
    tag: str
    query_ids: list[str]
    document_ids: list[str]
    starts: Ints
    document: Ints
    score: Floats | None
    line: Ints
    tied_lines: int
    rank_disagreements: int
    repeated_lines: int
    problems: ProblemLog = field(default_factory=ProblemLog, compare=False)
    rank: Ints | None = field(default=None, compare=False, repr=False)

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

    def __init__(self, ids: list[str], place: array[int]) -> None:
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


def read_run_file(file: ImportFile, *, file_hash: bytes | None = None) -> RunLists:
    """Return the lists of a run file, ordered by the one tie rule, with the problems of its other lines.

    Parameters
    ----------
    file_hash
        The SHA-256 of the file, where the caller knows it already.

    Raises
    ------
    FormatError
        Nothing of the file can be read.
    """
    log = ProblemLog()
    columns = read_run_columns(file.content, file.name, log, file.format, file.columns)
    if not columns.query_ids:
        log.raise_if_any()
    return _ordered(columns, file.name, file_hash or file.sha256(), log)


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
        document=np.frombuffer(columns.document_index, dtype=np.intc)[order.lines],
        score=score[order.lines] if columns.has_scores else None,
        line=np.frombuffer(columns.line, dtype=np.intc)[order.lines],
        tied_lines=order.tied_lines,
        rank_disagreements=disagreeing_lists(query[order.lines], rank[order.lines]) if ranked else 0,
        repeated_lines=log.left_out["repeated"],
        problems=log,
        rank=rank[order.lines],
    )
