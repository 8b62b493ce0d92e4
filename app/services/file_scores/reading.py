"""Files as they are scored: qrels with their ruler, runs in the order that counts with what is judged."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.formats.errors import ProblemLog
from app.formats.word_files import read_qrels_file, read_run_file
from app.scoring.ranking import disagreeing_lists, order_by_score
from app.services.file_scores.choices import compared_of, counts_pool_below, pool_depth_of, reach_of
from app.services.file_scores.joining import NOT_FOUND, KnownPairs
from app.services.file_scores.ranked import QueryNumbers, RankedRun, Unjudged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.source import Stream
    from app.formats.word_files import QrelsFile, RunFile
    from app.formats.words import Ints
    from app.scoring.ruler import Ruler
    from app.services.file_scores.choices import Choices


class ReadFiles(NamedTuple):
    """All files, read without a problem."""

    ruler: Ruler
    queries: QueryNumbers
    query: Ints
    """int64 (qrels lines,): the number of the query of each."""
    grade: Ints
    runs: list[RankedRun]


def read_files(qrels: Path, runs: Sequence[Path], choices: Choices, *, compares: bool = False) -> ReadFiles:
    """Return the files, ready to score.

    Parameters
    ----------
    compares
        Runs are to be compared, for which unjudged documents count as far down as the measure reads.

    Raises
    ------
    FormatError
        A file holds something that cannot be right; it names the first problem and counts all.
    """
    log, queries = ProblemLog(), QueryNumbers()
    judged = read_qrels_file(stream_of(qrels), name_of(qrels), log)
    ruler = choices.ruler_for(judged, log, name_of(qrels))
    number = queries.of(judged.pairs.query_ids)
    known = KnownPairs(judged.pairs.keys(number), judged.pairs.document)
    depth = _unjudged_depth(choices, compares=compares)

    def read(path: Path, problems: ProblemLog) -> RankedRun | None:
        found = read_run_file(stream_of(path), name_of(path), problems)
        if problems.total:
            return None
        return _ranked(stem_of(path), found, queries, known, depth, trec=choices.trec)

    ranked = None
    if len(runs) > 1 and not log.total:
        from app.services.file_scores.side_by_side import read_side_by_side

        ranked = read_side_by_side(runs, lambda path: read(path, ProblemLog()), queries)
    ranked = ranked or [read(path, log) for path in runs]
    log.raise_if_any()
    found = [run for run in ranked if run is not None]
    return ReadFiles(ruler, queries, _queries_of(judged, number), judged.grade, found)


def _unjudged_depth(choices: Choices, *, compares: bool) -> int | None:
    """Return the rank down to which unjudged documents are told apart, None for all of them."""
    asked = choices.asked()
    # What one run has far down may be pooled by another: infAP counts it there.
    if counts_pool_below(choices) or (compares and reach_of(compared_of(asked), choices.ideal) is None):
        return None
    return pool_depth_of(asked)


def name_of(path: Path) -> str:
    """Return the file's name, for what is said of it; a folder such as `.` has none but its path."""
    return path.name or str(path)


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
    name: str, run: RunFile, queries: QueryNumbers, known: KnownPairs, depth: int | None, *, trec: bool
) -> RankedRun:
    """Return a run in the order that counts: its judged lines, and its unjudged ones down to a depth."""
    pairs, number = run.pairs, queries.of(run.pairs.query_ids)
    order = order_by_score(pairs.query, run.score, pairs.document, single_precision=trec)
    keys = pairs.keys(number)
    item = order.of(known.places_of(keys, pairs.document))
    query = order.of(pairs.query)
    lengths = np.bincount(query, minlength=len(number))
    lines = np.flatnonzero(item == NOT_FOUND)
    if depth is not None:
        within = lines - (np.cumsum(lengths) - lengths).take(query.take(lines))
        lines = lines[within < depth]
    there = order.lines.take(lines)
    return RankedRun(
        name=name,
        tag=run.tag,
        query=number,
        lengths=lengths,
        item=item,
        unjudged=Unjudged(lines, keys[there], pairs.document.take(there)),
        tied_lines=order.tied_lines,
        disagreeing=disagreeing_lists(query, order.of(run.rank)),
    )
