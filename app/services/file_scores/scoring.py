"""The scores of run files against a qrels file: every number with its coverage and its bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from app.scoring.bounds import ndcg_bounds
from app.scoring.evaluate import evaluate
from app.scoring.measures import parse_measure
from app.services.file_scores.choices import ChoiceError, cutoffs_of, pool_depth_of
from app.services.file_scores.collection import Collection
from app.services.file_scores.reading import read_files, stem_of
from app.services.file_scores.table import Table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from app.scoring.arrays import Floats
    from app.scoring.bounds import Bounds
    from app.scoring.judged import Judged
    from app.scoring.lists import Lists
    from app.scoring.measures import Asked
    from app.scoring.ruler import Ruler
    from app.services.file_scores.choices import Choices
    from app.services.file_scores.comparing import Comparison
    from app.services.file_scores.ranked import RankedRun


class RunScores(NamedTuple):
    """The scores of one run file.

    Attributes
    ----------
    name, tag
        The stem of its file, and the last column of its lines.
    measures
        Mean of each measure asked for over the queries that count, None without any.
    bounds
        For each nDCG@k asked for, how low and how high its mean can still come out.
    judged
        judged@k for each cutoff: how much of what was returned is judged.
    scored, silent
        The number of queries that count, and how many of these are 0 because the run does not list them.
    excluded
        The others by reason: `no_relevant`, `unjudged`, and in trec_eval's way `not_listed`.
    lines, lists, tied_lines, disagreeing
        The run's lines and lists; lines with the score of the line before them, and lists whose rank
        column contradicts their scores.
    """

    name: str
    tag: str | None
    measures: dict[str, float | None]
    bounds: dict[str, tuple[float, float] | None]
    judged: dict[str, float | None]
    scored: int
    silent: int
    excluded: dict[str, int]
    lines: int
    lists: int
    tied_lines: int
    disagreeing: int


class FileScores(NamedTuple):
    """The scores of all runs, in the order in which they were given.

    Attributes
    ----------
    asked
        The measures.
    table
        Every value of every run on every query.
    judgments, judged_queries
        The grades of the qrels, and the queries they are about.
    least_grade
        The smallest of them, None without any.
    comparisons
        Those asked for, in their order.
    """

    ruler: Ruler
    asked: list[Asked]
    runs: list[RunScores]
    table: Table
    judgments: int
    judged_queries: int
    least_grade: int | None
    comparisons: list[Comparison]


def score_files(
    qrels: Path, runs: Sequence[Path], choices: Choices, compare: Sequence[tuple[str, str]] = ()
) -> FileScores:
    """Return the scores of run files.

    Parameters
    ----------
    compare
        Pairs of runs by the stems of their files: B is compared with A.

    Raises
    ------
    FormatError
        A file holds something that cannot be right.
    UnknownMeasureError, ChoiceError
        As for `Choices.check`; a run to compare is not among those given, or two have its name.
    """
    choices.check()
    pairs = [_rows_of(pair, [stem_of(path) for path in runs]) for pair in compare]
    files = read_files(qrels, runs, choices, compares=bool(pairs))
    asked = choices.asked()
    collection = Collection(files)
    table = _table_of(collection, asked, [run.name for run in files.runs])
    return FileScores(
        ruler=files.ruler,
        asked=asked,
        runs=[_run_scores(table, number, run, asked) for number, run in enumerate(files.runs)],
        table=table,
        judgments=len(files.grade),
        judged_queries=int(collection.in_qrels.sum()),
        least_grade=int(files.grade.min()) if len(files.grade) else None,
        comparisons=_compared(table, asked, pairs),
    )


def _rows_of(pair: tuple[str, str], names: list[str]) -> tuple[int, int]:
    """Return the places of two runs among those given."""
    for name in pair:
        if names.count(name) != 1:
            known = f"use two of {', '.join(names)}" if name not in names else "rename one of the files"
            found = "none of the runs has" if name not in names else "several runs have"
            raise ChoiceError(f"Cannot compare: {found} the name {name!r}; {known}.")
    if pair[0] == pair[1]:
        raise ChoiceError(f"Cannot compare {pair[0]!r} with itself: name two runs.")
    return names.index(pair[0]), names.index(pair[1])


def _compared(table: Table, asked: list[Asked], pairs: list[tuple[int, int]]) -> list[Comparison]:
    if not pairs:
        return []
    from app.services.file_scores.comparing import compare_runs  # the tests are only loaded when asked for

    return compare_runs(table, asked, pairs)


def _table_of(collection: Collection, asked: list[Asked], names: list[str]) -> Table:
    """Return every value, and which queries count for each run."""
    cutoffs = cutoffs_of(asked)
    top = collection.lists(min(pool_depth_of(asked), int(collection.lengths.max(initial=0))))
    pooled = collection.judged(top)
    judged = collection.judged_as_trec_eval() if collection.ruler.trec else pooled
    counted = np.broadcast_to(judged.scored, collection.lengths.shape)
    if collection.ruler.trec:
        counted = collection.in_qrels & (collection.lengths > 0)
    return Table(
        collection=collection,
        names=names,
        values=_values_of(collection, judged, [*asked, *_coverage_of(cutoffs, asked)]),
        bounds=_bounds_of(collection, asked, top, pooled),
        counted=counted,
        listed=collection.lengths > 0,
        top=top,
        judged=pooled,
    )


def _values_of(collection: Collection, judged: Judged, asked: list[Asked]) -> dict[str, Floats]:
    """Return every measure of every run on every query: float64 (runs, queries) by label."""
    whole = collection.ruler.unjudged == "condensed" or collection.ruler.ideal == "returned"
    depths = [one.depth for one in asked]
    depth = None if whole or None in depths else max(depth for depth in depths if depth)
    values = {one.label: np.empty(collection.lengths.shape) for one in asked}
    for queries, lists in collection.parts(depth):
        for label, part in evaluate(asked, lists, judged, queries).items():
            values[label][:, queries] = part
    return values


def _coverage_of(cutoffs: list[int], asked: list[Asked]) -> list[Asked]:
    """Return judged@k for each cutoff, unless it is asked for anyway."""
    present = {one.label for one in asked}
    names = [f"judged@{cutoff}" for cutoff in cutoffs]
    return [parse_measure(name) for name in names if name not in present]


def _bounds_of(collection: Collection, asked: list[Asked], top: Lists, pooled: Judged) -> dict[str, Bounds]:
    """Return the exact bounds of each nDCG@k, the pool being the union of the runs' top k.

    Parameters
    ----------
    top, pooled
        The lists down to the largest cutoff, and the judgments with these as the pool.
    """
    if collection.ruler.ideal == "returned" or collection.ruler.unjudged == "condensed":
        return {}
    found = {}
    for one in asked:
        if one.measure.name == "nDCG" and one.depth is not None:
            lists = top.cut(one.depth)
            judged = pooled if one.depth >= len(top.positions) else collection.judged(lists)
            found[one.label] = ndcg_bounds(lists, judged, one.depth)
    return found


def _run_scores(table: Table, number: int, run: RankedRun, asked: list[Asked]) -> RunScores:
    """Return the means of one run."""
    counted = table.counted[number]
    return RunScores(
        name=run.name,
        tag=run.tag,
        measures={one.label: table.mean(one.label, number) for one in asked},
        bounds={label: table.mean_bounds(label, number) for label in table.bounds},
        judged={label: table.mean(label, number) for label in table.values if label.startswith("judged@")},
        scored=int(counted.sum()),
        silent=table.silent(number),
        excluded=table.excluded(number),
        lines=len(run.item),
        lists=int((run.lengths > 0).sum()),
        tied_lines=run.tied_lines,
        disagreeing=run.disagreeing,
    )
