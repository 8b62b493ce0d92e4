"""One grade per candidate out of the grades of several annotators.

Everything works on counts, (candidates, grades), so no list of ratings is ever sorted, and a new
rating changes one cell. Grades are columns here: column 0 is the lowest grade of the scale.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints
from app.scoring.choices import CONSENSUS_RULES, ConsensusRule
from app.scoring.gains import pair_table

NONE = -1
"""The column of a candidate that nobody has graded."""
ONE_BYTE = 128
"""Up to this many grades their columns have numbers of 8 bits."""
NARROW = 181
"""Up to this many grades all pairs of them have numbers of 16 bits."""


@dataclass(frozen=True, eq=False, repr=False)
class Consensus:
    """What the annotators together say about every candidate.

    Attributes
    ----------
    low, high
        integers (candidates,): the columns of the two middle grades, equal unless the median lies
        between two grades; -1 where nothing is judged.
    tied
        bool (candidates,): the majority was tied, so the median rule decided.
    counts
        integers (candidates, grades) under the mean rule, where every grade weighs; else ``None``.
    single
        No candidate has more than one grade, so low and high are the same: a scale may then be so wide
        that nothing is kept of its pairs of grades.
    """

    low: Ints
    high: Ints
    tied: Flags
    counts: Ints | None = None
    single: bool = False

    @cached_property
    def judged(self) -> Flags:
        """Where there is a consensus at all."""
        return np.asarray(self.low >= 0)

    def without(self, candidates: Flags) -> "Consensus":
        """Return what is left without the grades of some candidates: bool (candidates,)."""
        counts = None if self.counts is None else np.where(candidates[:, None], 0, self.counts)
        low, high = np.where(candidates, NONE, self.low), np.where(candidates, NONE, self.high)
        return Consensus(low, high, self.tied & ~candidates, counts, self.single)

    def codes(self, grades: int) -> Ints:
        """Return one number per candidate for its two middle grades: its cell of :meth:`by_code`.

        ``low * grades + high``, or where there is but one grade that; the last cell for nothing judged.
        """
        if grades not in self._codes:
            kind: type[np.integer[Any]] = np.int16 if grades <= NARROW else np.int64
            code = self.low.astype(kind)
            if not self.single:
                code = code * grades + self.high
            self._codes[grades] = np.where(self.judged, code, grades if self.single else grades * grades)
        return self._codes[grades]

    def by_code(self, table: Floats) -> Floats:
        """Return a map of the grades, float64 (grades,), at every code: 0 at the last.

        Parameters
        ----------
        table
            float64 (grades,).
        """
        return np.append(table if self.single else pair_table(table), 0.0)

    @cached_property
    def _codes(self) -> dict[int, Ints]:
        """The numbers computed so far: several maps are gathered by the same ones."""
        return {}

    def values(self, table: Floats) -> Floats:
        """Return a map of the grades (a gain, ERR's chance, the grade itself) at every consensus.

        The mean of the map at both middle grades, or under the mean rule at all grades; 0 where
        nothing is judged.

        Parameters
        ----------
        table
            float64 (grades,).

        Returns
        -------
        float64 (candidates,)
        """
        if self.counts is not None:
            return _weighed(self.counts, table)
        return self.by_code(table).take(self.codes(len(table)))


def consensus_of(counts: Ints, rule: ConsensusRule = "median", adjudicated: Ints | None = None) -> Consensus:
    """Return the consensus of every candidate.

    Parameters
    ----------
    counts
        integers (candidates, grades): how many annotators gave each grade, lowest grade first.
    rule
        ``median``: the two middle grades, number ceil(n/2) and floor(n/2)+1 of the n ordered ones.
        ``mean``: every map is averaged over all grades; low and high are the mean rounded down and up.
        ``majority``: the most frequent grade; a tie is reported and follows the median rule.
    adjudicated
        integers (candidates,): the column an adjudicator chose, which decides alone; -1 for none.

    Raises
    ------
    ValueError
        The rule is unknown.
    """
    if rule not in CONSENSUS_RULES:
        raise ValueError(f"unknown consensus rule {rule!r}: use one of {', '.join(CONSENSUS_RULES)}")
    if adjudicated is not None:
        counts = _decided(counts, adjudicated)
    low, high = middle_grades(counts)
    tied = np.zeros(len(counts), dtype=np.bool_)
    if rule == "majority":
        low, high, tied = _majority(counts, low, high)
    if rule == "mean":
        low, high = _around_the_mean(counts)
        return Consensus(low, high, tied, counts)
    return Consensus(low, high, tied)


def middle_grades(counts: Ints) -> tuple[Ints, Ints]:
    """Return the columns of the two middle grades of every candidate, -1 where nobody has graded.

    The place of a grade in the order follows from cumulated counts: the m-th smallest grade is the
    first column whose cumulated count reaches m.

    Parameters
    ----------
    counts
        integers (candidates, grades).

    Returns
    -------
    two arrays of :func:`column_kind` (candidates,)
    """
    # One row per grade: what follows runs along memory. Halves are taken by shifting, as nothing is negative.
    columns = np.ascontiguousarray(counts.T)
    total = columns.sum(axis=0)
    lower, upper = (total + 1) >> 1, (total >> 1) + 1
    low, high = np.zeros((2, len(counts)), dtype=column_kind(counts.shape[1]))
    upto = np.zeros_like(total)
    for column in columns[:-1]:
        upto += column
        low += upto < lower
        high += upto < upper
    low[total == 0] = high[total == 0] = NONE
    return low, high


def column_kind(grades: int) -> type[np.signedinteger[Any]]:
    """Return the integer type for columns of a scale with a number of grades: one byte if that is enough."""
    return np.int8 if grades <= ONE_BYTE else np.int32


def from_grades(columns: Ints) -> Consensus:
    """Return the consensus where every candidate has at most one grade.

    Parameters
    ----------
    columns
        integers (candidates,): grade - lowest, negative where nothing is judged.
    """
    column = np.maximum(columns, NONE)
    return Consensus(column, column, np.zeros(len(column), dtype=np.bool_), single=True)


def range_of(counts: Ints) -> Ints:
    """Return the steps between the lowest and the highest grade of every candidate, 0 where none.

    Two steps or more open one extra rating.

    Parameters
    ----------
    counts
        integers (candidates, grades).

    Returns
    -------
    integers (candidates,)
    """
    given = counts > 0
    grades = counts.shape[1]
    first = np.argmax(given, axis=1)
    last = grades - 1 - np.argmax(given[:, ::-1], axis=1)
    return np.where(given.any(axis=1), last - first, 0)


def _decided(counts: Ints, adjudicated: Ints) -> Ints:
    """Return the counts with one grade only where an adjudicator has decided."""
    decided = counts.copy()
    rows = np.flatnonzero(adjudicated >= 0)
    decided[rows] = 0
    decided[rows, adjudicated[rows]] = 1
    return decided


def _majority(counts: Ints, low: Ints, high: Ints) -> tuple[Ints, Ints, Flags]:
    """Return the most frequent grade, or the two middle ones where the first place is shared."""
    most = counts.max(axis=1, keepdims=True)
    tied = ((counts == most).sum(axis=1) > 1) & (most[:, 0] > 0)
    alone = ~tied & (most[:, 0] > 0)
    mode = counts.argmax(axis=1).astype(low.dtype)
    return np.where(alone, mode, low), np.where(alone, mode, high), tied


def _around_the_mean(counts: Ints) -> tuple[Ints, Ints]:
    """Return the mean column rounded down and up, -1 where nobody has graded."""
    kind = column_kind(counts.shape[1])
    total = counts.sum(axis=1)
    points = counts @ np.arange(counts.shape[1])
    some = np.maximum(total, 1)
    low, high = points // some, -(-points // some)
    return np.where(total > 0, low, NONE).astype(kind), np.where(total > 0, high, NONE).astype(kind)


def _weighed(counts: Ints, table: Floats) -> Floats:
    """Return the mean of the map over all grades, added from the lowest grade up."""
    total = np.zeros(len(counts), dtype=np.float64)
    for grade, value in enumerate(table):
        total += counts[:, grade] * value
    return np.asarray(total / np.maximum(counts.sum(axis=1), 1))
