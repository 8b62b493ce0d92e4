"""Scores of TREC files for `score-files`: files become whole numbers and arrays, and these become scores."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, count, pairwise, repeat
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from app.formats.encoding import Encoding
from app.formats.errors import BadValueError, ProblemLog, in_pair
from app.formats.limits import LARGEST_GRADE
from app.formats.lines import GUESSED, Reading, offer_map, read_lines
from app.formats.run_columns import TrecLines
from app.formats.schema import Kind
from app.formats.source import Part
from app.formats.trec import NO_RANK
from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.bounds import Bounds, ndcg_bounds
from app.scoring.choices import Discount, Gain, Ideal, Unjudged
from app.scoring.consensus import from_grades
from app.scoring.evaluate import evaluate
from app.scoring.judged import Judged, judged_of
from app.scoring.lists import Lists
from app.scoring.means import mean_of
from app.scoring.measures import Asked, parse_measure, parse_measures
from app.scoring.ranking import disagreeing_lists, order_by_score
from app.scoring.ruler import ScoringRuler

MOST_GRADES = 1000
"""Different grades: of a wide scale only those that occur take time and memory."""
ROOMY, WASTE = 1 << 22, 4
"""The most cells of all lists, as deep as the longest; beyond it, queries are scored in parts."""
NOT_FOUND = -1
USUAL_STEPS = 3
"""Above the lowest grade, of a scale that nobody named: labels do not tell how many there are."""


class ChoiceError(ValueError):
    """Choices that do not go together; the message is one sentence with its remedy."""


@dataclass(frozen=True, kw_only=True)
class Choices:
    """What the caller may choose: measures as people write them, and fields of `ScoringRuler`.

    `best` is that of `trec_lines`; `highest` is None for the largest grade of the qrels; `readings` says how
    to read the files of a kind.
    """

    measures: str = "nDCG@10 AP"
    gain: Gain = "linear"
    discount: Discount = "log2"
    ideal: Ideal = "judged"
    unjudged: Unjudged = "zero"
    lowest: int = 0
    highest: int | None = None
    threshold: float | None = None
    trec: bool = False
    best: bool = False
    encoding: Encoding | None = None
    readings: Mapping[Kind, Reading] = field(default_factory=dict)

    def check(self) -> list[Asked]:
        """Return the measures.

        :raise ChoiceError, UnknownMeasureError: The choices cannot be right whatever the files hold, or a
            measure is not known.
        """
        asked = parse_measures(self.measures)
        if self.trec and self.lowest != 0:
            raise ChoiceError("In trec_eval the lowest grade is always 0: leave out --lowest or --trec.")
        if self.highest is not None and self.highest <= self.lowest:
            raise ChoiceError(f"--highest must be above the lowest grade, {self.lowest}.")
        if self.highest is not None and self.highest - self.lowest > LARGEST_GRADE:
            raise ChoiceError(f"--highest may be at most {LARGEST_GRADE:,} above the lowest grade.")
        if self.threshold is not None and not math.isfinite(self.threshold):
            raise ChoiceError(f"--threshold must be a finite number, not {self.threshold}.")
        # The scale's end may still have to be read from the qrels: here it is one that holds the threshold.
        ruler = self._ruler(max(self.lowest + 1, math.ceil(self.threshold or 0)))
        for one in asked:
            if one.is_endless(ruler):
                raise ChoiceError(
                    f"With --ideal maximum {one.label} needs a cutoff, because its ideal list has "
                    f"no end: write {one.label}@10."
                )
        return asked

    def ruler_for(self, grade: Ints, found: TrecLines, log: ProblemLog, name: str) -> ScoringRuler:
        """Return the ruler for the grades of a file; those off the scale go to the log with their lines."""
        largest = max(int(grade.max(initial=self.lowest)), self.lowest + 1)
        highest = largest if self.highest is None else self.highest
        if highest - self.lowest > LARGEST_GRADE:
            reason = f"a scale from {self.lowest} to {highest} has more than {LARGEST_GRADE:,} steps"
            log.refuse(BadValueError("scale", "", reason, "Give a smaller scale."), name, None)
            return ScoringRuler(lowest=self.lowest, highest=self.lowest + 1)
        different = np.count_nonzero(np.bincount(np.maximum(grade - self.lowest, 0)))
        if different > MOST_GRADES:
            reason = f"the file holds {different:,} different grades, more than {MOST_GRADES:,}"
            log.refuse(BadValueError("scale", "", reason, "Round them to fewer steps."), name, None)
        least = min(int(grade.min(initial=0)), self.lowest) if self.trec else self.lowest
        off = (grade < least) | (grade > highest)
        is_shared = bool(off.any()) and len(np.unique(found.line)) < len(found.line)
        for at in np.flatnonzero(off).tolist():
            place, value = int(found.line[at]), int(grade[at])
            remedy = f"Correct it, or give {'--highest' if value > highest else '--lowest'} {value}."
            if value < 0:
                remedy = "Correct it, or give --trec: there a negative grade means not judged."
            reason = f"the grade is off the scale {self.lowest} to {highest}"
            if is_shared and log.keeps_more:
                reason = in_pair(reason, f"{found.query_ids[found.query[at]]} {found.documents[at].decode()}")
            log.refuse(BadValueError("off-scale", value, reason, remedy), name, place)
        return self._ruler(highest)

    def _ruler(self, highest: int) -> ScoringRuler:
        highest = highest if self.highest is None else self.highest
        # In trec_eval's way nothing is relevant then; elsewhere it is rather a scale that goes on.
        if self.threshold is not None and self.threshold > highest and not self.trec:
            raise ChoiceError(
                f"--threshold {self.threshold:g} is above the highest grade, {highest}: nothing "
                f"would be relevant. If the scale goes higher, give --highest {math.ceil(self.threshold)}."
            )
        names = ("lowest", "gain", "discount", "threshold", "ideal", "unjudged", "trec")
        try:
            return ScoringRuler(highest=highest, **{name: getattr(self, name) for name in names})
        except ValueError as error:
            raise ChoiceError(f"{str(error)[:1].upper()}{str(error)[1:]}.") from error


def cutoffs_of(asked: Sequence[Asked]) -> list[int]:
    """Return the cutoffs of the measures, ascending; 10 where none has one."""
    return sorted({one.depth for one in asked if one.depth is not None}) or [10]


def pool_depth_of(asked: Sequence[Asked]) -> int:
    """Return how deep the pool is: the largest k of an nDCG@k, else the largest cutoff."""
    bounded = [one.depth for one in asked if one.measure.name == "nDCG" and one.depth is not None]
    return max(bounded, default=cutoffs_of(asked)[-1])


def compared_of(asked: Sequence[Asked]) -> Asked:
    """Return the measure that runs are compared by: the first nDCG@k, else the first of all."""
    return next((one for one in asked if one.measure.name == "nDCG" and one.depth), asked[0])


def reach_of(asked: Asked, ideal: Ideal) -> int | None:
    """Return the rank down to which unjudged documents could change a value; None for whole lists.

    What is dropped from condensed lists makes room for what is below, but with nothing unjudged down
    to the cutoff nothing is dropped. The ideal over the returned list is made of all of it.
    """
    if not asked.measure.takes.startswith("cutoff") or asked.parameter is None:
        return None
    return None if asked.measure.has_ideal and ideal == "returned" else int(asked.parameter)


class RankedRun(NamedTuple):
    """A run in the order that counts: the query and the length of each list, then list after list the items.

    An item is the number of a judged or pooled document, `NOT_FOUND` for the others.
    """

    name: str
    tag: str | None
    query: Ints
    lengths: Ints
    item: Ints
    tied_lines: int
    disagreeing: int


class Files:
    """Reads qrels, then runs; numbers queries, and items: a line of the qrels each, then pooled documents."""

    def __init__(self, qrels: Path, choices: Choices, depth: int | None) -> None:
        self.log = ProblemLog()
        self.hints: list[str] = []
        self._queries = defaultdict[str, int](count().__next__)
        self._known: defaultdict[int, dict[bytes, int]] = defaultdict(dict)
        self._choices, self._depth = choices, depth
        found = self._read(qrels, "judgments")
        number = np.array([self._queries[one] for one in found.query_ids], dtype=np.int64)
        for query, (start, end) in zip(number.tolist(), pairwise(found.starts.tolist()), strict=True):
            self._known[query] = dict(zip(found.documents[start:end], range(start, end), strict=True))
        self.grade = found.score.astype(np.int64)
        self.ruler = choices.ruler_for(self.grade, found, self.log, name_of(qrels))
        self.query = array("q", number.take(found.query).tobytes())

    @property
    def query_ids(self) -> list[str]:
        """Every query id at its number."""
        return list(self._queries)

    def read_run(self, path: Path) -> RankedRun:
        """Return a run; its unjudged documents are pooled down to a depth, or all."""
        run = self._read(path, "run")
        number = np.array([self._queries[one] for one in run.query_ids], dtype=np.int64)
        order = order_by_score(run.query, run.score, run.documents, single_precision=self._choices.trec)
        lists = zip(number.tolist(), pairwise(run.starts.tolist()), strict=True)
        each = (map(self._known[one].get, run.documents[a:b], repeat(NOT_FOUND)) for one, (a, b) in lists)
        items = order.of(np.fromiter(chain.from_iterable(each), np.intc, len(run.documents)))
        open_places = np.flatnonzero(items == NOT_FOUND)
        if self._depth is not None:
            within = open_places - run.starts.take(run.query.take(open_places))
            open_places = open_places[within < self._depth]
        queries = number.take(run.query.take(open_places)).tolist()
        lines = order.lines.take(open_places).tolist()
        items[open_places] = [
            self._pooled(one, run.documents[at]) for one, at in zip(queries, lines, strict=True)
        ]
        # Files of other formats may have no ranks.
        is_ranked = not np.any(run.rank == NO_RANK)
        disagreeing = disagreeing_lists(run.query, order.of(run.rank)) if is_ranked else 0
        return RankedRun(
            stem_of(path), run.tag, number, np.diff(run.starts), items, order.tied_lines, disagreeing
        )

    def _read(self, path: Path, kind: Kind) -> TrecLines:
        # What can be read only once, such as a pipe, is read into memory.
        is_once = path.exists() and not path.is_file() and not path.is_dir()
        best = kind == "run" and self._choices.best
        part = Part(path.read_bytes() if is_once else path, self._choices.encoding)
        how = self._choices.readings.get(kind, GUESSED)
        found = read_lines(part, name_of(path), self.log, kind, best=best, how=how)
        self.hints += [f"{name_of(path)}: {hint}" for hint in self.log.hints]
        self.log.hints.clear()
        if kind == "judgments" and self.log.total:
            lowest, highest = self._choices.lowest, self._choices.highest
            usual = lowest + USUAL_STEPS if highest is None else highest
            offer_map(part, name_of(path), self.log, how, low=lowest, high=usual)
        return found

    def _pooled(self, query: int, document: bytes) -> int:
        """Return the item of an unjudged document."""
        known = self._known[query]
        if document not in known:
            known[document] = len(self.query)
            self.query.append(query)
        return known[document]


class Collection:
    """All runs and judgments as the engine's arrays, queries in the order of the bytes of their ids.

    Attributes
    ----------
    lengths
        int64 (runs, queries): documents returned.
    in_qrels
        bool (queries,): the qrels have a line of the query.
    """

    def __init__(self, files: Files, runs: Sequence[RankedRun]) -> None:
        self.ruler = files.ruler
        self.query_ids = sorted(files.query_ids)
        place = {query: at for at, query in enumerate(self.query_ids)}
        row = np.array([place[query] for query in files.query_ids], dtype=np.int64)
        self._runs = [(row[run.query], run.lengths, run.item) for run in runs]
        self.lengths = np.zeros((len(runs), len(row)), dtype=np.int64)
        for number, (rows, lengths, _) in enumerate(self._runs):
            self.lengths[number, rows] = lengths
        self._query = row[np.frombuffer(files.query, np.int64)]
        self._judgments = len(files.grade)
        self.in_qrels = np.zeros(len(row), dtype=np.bool_)
        self.in_qrels[self._query[: self._judgments]] = True
        # Pooled documents without a grade stand below the scale.
        grade = np.full(len(self._query), self.ruler.lowest - 1)
        grade[: self._judgments] = files.grade
        self._consensus = from_grades(grade - self.ruler.lowest)

    def judged(self, top: Lists | None) -> Judged:
        """Return what is known about every item, the pool being the union of these lists, or all items."""
        pooled = np.zeros(len(self._query) + 1, dtype=np.bool_)
        for ranked in [item for *_, item in self._runs] if top is None else top.positions:
            pooled[ranked] = True
        return self._judged(pooled[:-1])

    def judged_as_trec_eval(self) -> Judged:
        """Return the same with the lines of the qrels as the pool: a negative grade means not judged."""
        return self._judged(np.arange(len(self._query)) < self._judgments)

    def lists(self, depth: int, queries: Ints | None = None) -> Lists:
        """Return the lists of all queries, or of some, cut at a depth."""
        chosen = np.arange(len(self.query_ids)) if queries is None else queries
        column = np.full(len(self.query_ids), -1, dtype=np.int64)
        column[chosen] = np.arange(len(chosen))
        positions = np.full((depth, len(self._runs), len(chosen)), len(self._query), dtype=np.intp)
        for number, (rows, lengths, item) in enumerate(self._runs):
            # Most lines are neither judged nor pooled: what follows is for the others.
            there = np.flatnonzero(item >= 0)
            mine = np.searchsorted(np.cumsum(lengths), there, side="right")
            rank, at = there - (np.cumsum(lengths) - lengths).take(mine), column[rows].take(mine)
            kept = np.flatnonzero((rank < depth) & (at >= 0))
            positions[rank.take(kept), number, at.take(kept)] = item.take(there.take(kept))
        return Lists(positions, self.lengths[:, chosen])

    def parts(self, depth: int | None) -> Iterator[tuple[Ints, Lists]]:
        """Yield all queries, at once or in parts, with their lists down to a depth or whole."""
        longest = self.lengths.max(axis=0, initial=0)
        longest = longest if depth is None else np.minimum(longest, depth)
        cells = int(longest.max(initial=0)) * len(longest)
        size = np.frexp(longest)[1]
        if cells * len(self._runs) <= ROOMY or cells <= WASTE * int(longest.sum()):
            size = np.zeros_like(size)
        for one in np.unique(size):  # each part is at most twice as deep as its shortest list
            queries = np.flatnonzero(size == one)
            yield queries, self.lists(int(longest[queries].max()), queries)

    def _judged(self, pooled: Flags) -> Judged:
        number = len(self.query_ids)
        return judged_of(self._consensus, self._query, self.ruler, queries=number, pooled=pooled)


class RunScores(NamedTuple):
    """The scores of one run file; means are over the queries that count, None without any.

    Attributes
    ----------
    measures, bounds, judged
        Of each measure; how low and how high each nDCG@k can still come out; judged@k of each cutoff.
    scored, silent
        The queries that count, and how many of these are 0 because the run does not list them.
    is_foreign
        Whether no query that the run lists is in the qrels.
    excluded
        The others by reason: `no_relevant`, `unjudged`, and in trec_eval's way `not_listed`.
    unknown
        How many of those `unjudged` are in no line of the qrels.
    """

    name: str
    tag: str | None
    measures: dict[str, float | None]
    bounds: dict[str, tuple[float, float] | None]
    judged: dict[str, float | None]
    scored: int
    silent: int
    is_foreign: bool
    excluded: dict[str, int]
    unknown: int
    lines: int
    lists: int
    tied_lines: int
    disagreeing: int


class FileScores:
    """Every value of every run on every query: rows are runs, columns are queries.

    Attributes
    ----------
    values, bounds
        Of each measure, and of judged@k of each cutoff; of each nDCG@k, over the union of the runs' top k.
    counted, listed
        bool (runs, queries): which queries enter the means of a run; which it returns anything for.
    top, pooled
        The lists down to the largest cutoff; the judgments with the union of those lists as the pool.
    """

    def __init__(
        self, collection: Collection, asked: list[Asked], runs: list[RankedRun], grade: Ints
    ) -> None:
        self.asked, self.ruler, self.collection = asked, collection.ruler, collection
        self.judgments, self.judged_queries = len(grade), int(collection.in_qrels.sum())
        self.least_grade = int(grade.min()) if len(grade) else None
        self.top = collection.lists(min(pool_depth_of(asked), int(collection.lengths.max(initial=0))))
        self.pooled = collection.judged(self.top)
        judged = collection.judged_as_trec_eval() if self.ruler.trec else self.pooled
        self.listed = collection.lengths > 0
        self.counted = np.broadcast_to(judged.scored, self.listed.shape)
        if self.ruler.trec:
            self.counted = collection.in_qrels & self.listed
        shares = [f"judged@{cutoff}" for cutoff in cutoffs_of(asked)]
        labels = {one.label for one in asked}
        self.values = self._values(
            judged, [*asked, *(parse_measure(one) for one in shares if one not in labels)]
        )
        self.bounds = self._bounds()
        self.runs = [self._run(number, run) for number, run in enumerate(runs)]
        self.comparisons: list[dict[str, Any]] = []
        self.hints: list[str] = []

    def per_query(self, run: int, labels: list[str]) -> dict[str, dict[str, float]]:
        """Return the values of a run by query id, for the queries that count."""
        kept = np.flatnonzero(self.counted[run])
        columns = {label: self.values[label][run, kept].tolist() for label in labels}
        return {
            self.collection.query_ids[query]: {label: column[place] for label, column in columns.items()}
            for place, query in enumerate(kept.tolist())
        }

    def bounds_per_query(self, run: int) -> dict[str, dict[str, tuple[float, float]]]:
        """Return the bounds of each nDCG of a run by query id, for the same queries."""
        return {
            self.collection.query_ids[query]: {
                label: (float(ends.low[run, query]), float(ends.high[run, query]))
                for label, ends in self.bounds.items()
            }
            for query in np.flatnonzero(self.counted[run]).tolist()
        }

    def _values(self, judged: Judged, asked: list[Asked]) -> dict[str, Floats]:
        whole = self.ruler.unjudged == "condensed" or self.ruler.ideal == "returned"
        depths = [one.depth for one in asked]
        depth = None if whole or None in depths else max(depth for depth in depths if depth)
        values = {one.label: np.empty(self.listed.shape) for one in asked}
        for queries, lists in self.collection.parts(depth):
            for label, part in evaluate(asked, lists, judged, queries).items():
                values[label][:, queries] = part
        return values

    def _bounds(self) -> dict[str, Bounds]:
        if self.ruler.ideal == "returned" or self.ruler.unjudged == "condensed":
            return {}
        found = {}
        for one in self.asked:
            if one.measure.name == "nDCG" and one.depth is not None:
                lists = self.top.cut(one.depth)
                whole = one.depth >= len(self.top.positions)
                judged = self.pooled if whole else self.collection.judged(lists)
                found[one.label] = ndcg_bounds(lists, judged, one.depth)
        return found

    def _run(self, number: int, run: RankedRun) -> RunScores:
        """Return the means of one run."""
        counted, listed = self.counted[number], self.listed[number]
        means = {label: mean_of(values[number, counted]) for label, values in self.values.items()}
        if not np.any(counted & listed):
            # Each empty list has 1, but of no returned document there is no share.
            means |= dict.fromkeys((label for label in means if "judged@" in label), None)
        bounds: dict[str, tuple[float, float] | None] = {}
        for label, ends in self.bounds.items():
            low, high = (mean_of(side[number, counted]) for side in (ends.low, ends.high))
            bounds[label] = None if low is None or high is None else (low, high)
        # A query of the qrels that no run lists leaves nothing to judge.
        is_closed = self.pooled.no_relevant | (self.collection.in_qrels & (self.pooled.pooled_counts == 0))
        excluded = {
            "no_relevant": int((~counted & is_closed).sum()),
            "unjudged": int((~counted & ~is_closed).sum()),
        }
        if self.ruler.trec:
            left, missing = int((~counted & listed).sum()), int((~counted & ~listed).sum())
            excluded = {"no_relevant": 0, "unjudged": left, "not_listed": missing}
        return RunScores(
            name=run.name,
            tag=run.tag,
            measures={one.label: means[one.label] for one in self.asked},
            bounds=bounds,
            judged={label: mean for label, mean in means.items() if label.startswith("judged@")},
            scored=int(counted.sum()),
            silent=int((counted & ~listed).sum()),
            is_foreign=not np.any(self.collection.in_qrels & listed),
            excluded=excluded,
            unknown=int((~self.collection.in_qrels & (listed | (not self.ruler.trec))).sum()),
            lines=len(run.item),
            lists=int((run.lengths > 0).sum()),
            tied_lines=run.tied_lines,
            disagreeing=run.disagreeing,
        )


def score_files(
    qrels: Path, runs: Sequence[Path], choices: Choices, *, comparing: bool = False
) -> FileScores:
    """Return the scores of run files, read as deep as comparing them needs if that is wanted.

    :raise FormatError: A file holds something that cannot be right; it names the first problem and counts
        all.
    :raise ChoiceError, UnknownMeasureError: As for `Choices.check`.
    """
    asked = choices.check()
    depth: int | None = pool_depth_of(asked)
    # What one run has far down may be pooled by another: infAP counts it there.
    if not choices.trec and any(one.measure.counts_pool for one in asked):
        depth = None
    if comparing and reach_of(compared_of(asked), choices.ideal) is None:
        depth = None
    files = Files(qrels, choices, depth)
    found = _named([files.read_run(path) for path in runs])
    files.log.raise_if_any()
    scores = FileScores(Collection(files, found), asked, found, files.grade)
    scores.hints = files.hints
    return scores


def _named(runs: list[RankedRun]) -> list[RankedRun]:
    """Return the runs, named by their tags where files have the same name."""
    names = [run.name for run in runs]
    tagged = [run.tag or run.name if names.count(run.name) > 1 else run.name for run in runs]
    chosen = tagged if len(set(tagged)) == len(runs) else names
    return [run._replace(name=name) for run, name in zip(runs, chosen, strict=True)]


def name_of(path: Path) -> str:
    """Return the file's name, for what is said of it; a folder such as `.` has none but its path."""
    return path.name or str(path)


def stem_of(path: Path) -> str:
    """Return the file's name without its ending, and without the one before `.gz`."""
    return path.with_suffix("").stem if path.suffix == ".gz" else path.stem
