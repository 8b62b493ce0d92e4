"""Files as they are scored: qrels with their ruler, runs in the order that counts with what is judged."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from app.formats.errors import ProblemLog
from app.formats.word_files import read_qrels_file, read_run_file
from app.scoring.ranking import disagreeing_lists, order_by_score
from app.services.file_scores.choices import pool_depth_of
from app.services.file_scores.joining import NOT_FOUND, KnownPairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.source import Stream
    from app.formats.word_files import QrelsFile, RunFile
    from app.formats.words import Ints, Words
    from app.scoring.ruler import Ruler
    from app.services.file_scores.choices import Choices


class QueryNumbers(dict[str, int]):
    """Each query id -> its number in order of appearance in all files."""

    def of(self, ids: Sequence[str]) -> Ints:
        """Return the numbers of some ids; new ones get the next."""
        return np.array([self.setdefault(one, len(self)) for one in ids], dtype=np.int64)


@dataclass(frozen=True)
class Unjudged:
    """The unjudged documents of a run within the pool's depth: where they stand, and what they are.

    Attributes
    ----------
    lines
        int64 (documents,): into the lines of the run.
    keys, documents
        As for `joining.numbered`.
    """

    lines: Ints
    keys: Ints
    documents: Words


@dataclass(frozen=True)
class RankedRun:
    """A run in the order that counts.

    Attributes
    ----------
    name, tag
        The stem of its file, and the last column of its lines.
    query
        int64 (lists,): the number of the query of each list.
    lengths
        int64 (lists,).
    item
        int32 (lines,): list after list, best first: the line of the qrels that judges it, -1 for none.
    unjudged
        Within the pool's depth.
    tied_lines, disagreeing
        Lines with the score of the line before them; lists whose rank column contradicts their scores.
    """

    name: str
    tag: str | None
    query: Ints = field(repr=False)
    lengths: Ints = field(repr=False)
    item: Ints = field(repr=False)
    unjudged: Unjudged = field(repr=False)
    tied_lines: int
    disagreeing: int


@dataclass(frozen=True)
class ReadFiles:
    """All files, read without a problem."""

    ruler: Ruler
    queries: QueryNumbers
    query: Ints
    """int64 (qrels lines,): the number of the query of each."""
    grade: Ints
    runs: list[RankedRun]


def read_files(qrels: Path, runs: Sequence[Path], choices: Choices) -> ReadFiles:
    """Return the files, ready to score.

    Raises
    ------
    FormatError
        A file holds something that cannot be right; it names the first problem and counts all.
    """
    log, queries = ProblemLog(), QueryNumbers()
    judged = read_qrels_file(stream_of(qrels), qrels.name, log)
    ruler = choices.ruler_for(judged, log, qrels.name)
    number = queries.of(judged.pairs.query_ids)
    known = KnownPairs(judged.pairs.keys(number), judged.pairs.document)
    depth = pool_depth_of(choices.asked())
    ranked = []
    for path in runs:
        found = read_run_file(stream_of(path), path.name, log)
        if not log.total:
            ranked.append(_ranked(stem_of(path), found, queries, known, depth, trec=choices.trec))
    log.raise_if_any()
    return ReadFiles(ruler, queries, _queries_of(judged, number), judged.grade, ranked)


def stem_of(path: Path) -> str:
    """Return the file's name without its ending, and without the one before `.gz`."""
    return Path(path.stem).stem if path.suffix == ".gz" else path.stem


def stream_of(path: Path) -> Stream:
    """Return the file; what can be read only once, such as a pipe, is read into memory."""
    if path.is_file() or not path.exists() or path.is_dir():
        return path
    return path.read_bytes()


def _queries_of(judged: QrelsFile, number: Ints) -> Ints:
    return number.take(judged.pairs.query)


def _ranked(
    name: str, run: RunFile, queries: QueryNumbers, known: KnownPairs, depth: int, *, trec: bool
) -> RankedRun:
    """Return a run in the order that counts, with the judged lines found."""
    pairs, number = run.pairs, queries.of(run.pairs.query_ids)
    order = order_by_score(pairs.query, run.score, pairs.document, single_precision=trec)
    keys = pairs.keys(number)
    item = known.places_of(keys, pairs.document)[order.lines]
    query = pairs.query[order.lines]
    lengths = np.bincount(query, minlength=len(number))
    within = np.arange(len(query)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    lines = np.flatnonzero((within < depth) & (item == NOT_FOUND))
    there = order.lines[lines]
    return RankedRun(
        name=name,
        tag=run.tag,
        query=number,
        lengths=lengths,
        item=item,
        unjudged=Unjudged(lines, keys[there], pairs.document.take(there)),
        tied_lines=order.tied_lines,
        disagreeing=disagreeing_lists(query, run.rank[order.lines]),
    )
