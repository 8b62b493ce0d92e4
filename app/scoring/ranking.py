"""The one tie rule: score descending, then document id descending by its UTF-8 bytes.

It is trec_eval's rule, and the only place where an order is decided. The rank column of a run with
scores is checked against the result, never followed.
"""

from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from app.scoring.arrays import Flags, Floats, Ints, Numbers

Column = TypeVar("Column", Ints, Floats)


class Ids(Protocol):
    """The id of each line: a list, or something that makes the text of one only when it is asked for."""

    def __getitem__(self, line: int, /) -> str | bytes: ...


class Order(NamedTuple):
    """The lines of a run in the order that counts.

    Attributes
    ----------
    lines
        intp (lines,): line numbers, query by query in ascending query number, best rank first.
    tied_lines
        How many lines have the score of the line before them in the same list.
    as_given
        Every line keeps its place.
    """

    lines: Ints
    tied_lines: int
    as_given: bool

    def of(self, column: Column) -> Column:
        """Return a column of the lines, (lines,), in this order.

        Parameters
        ----------
        column
            (lines,), as given.
        """
        return column if self.as_given else column[self.lines]


def order_by_score(query: Ints, score: Floats, ids: Ids, *, single_precision: bool = False) -> Order:
    """Return the order of the lines of a run that has scores.

    Parameters
    ----------
    query
        integers (lines,): the query of each line.
    score
        float64 (lines,).
    ids
        The document id of each line. Strings are compared by code point, which for valid text is the
        order of their UTF-8 bytes.
    single_precision
        Compare scores as float32, as trec_eval 9.0.8 does.

    Raises
    ------
    ValueError
        A score is not a finite number.
    """
    refuse_unordered(score)
    with np.errstate(over="ignore"):  # beyond float32 scores are equally infinite, as in trec_eval
        shown = score.astype(np.float32) if single_precision else score
    lines = np.arange(len(query))
    astray = _lines_astray(query, shown)
    if not len(astray):
        return Order(lines, 0, as_given=True)
    lines[astray] = astray[np.lexsort((-shown[astray], query[astray]))]
    same = _equal_neighbours(query[lines], shown[lines])
    if same.any():
        _settle_ties(lines, same, ids)
    return Order(lines, int(np.count_nonzero(same)), as_given=False)


def order_by_rank(query: Ints, rank: Ints, ids: Ids) -> Order:
    """Return the order of the lines of a run that has ranks and no scores, smallest rank first.

    Parameters
    ----------
    query, rank
        integers (lines,).
    ids
        As for :func:`order_by_score`.
    """
    return order_by_score(query, -rank.astype(np.float64), ids)


def refuse_unordered(score: Floats) -> None:
    """Raise ValueError at the first score that is NaN or infinite: it has no place in an order.

    Parameters
    ----------
    score
        float64 (lines,).
    """
    wrong = np.flatnonzero(~np.isfinite(score))
    if len(wrong):
        raise ValueError(f"line {int(wrong[0]) + 1}: the score {score[wrong[0]]} is not a finite number")


def disagreeing_lists(query: Ints, rank: Ints) -> int:
    """Return how many lists have a rank column that contradicts the order.

    Parameters
    ----------
    query, rank
        integers (lines,), both already in the order that counts. A list agrees if its rank column
        rises from line to line, wherever it starts.
    """
    falls = (query[1:] == query[:-1]) & (rank[1:] <= rank[:-1])
    return int(np.count_nonzero(np.bincount(query[1:][falls])))


def _lines_astray(query: Ints, score: Numbers) -> Ints:
    """Return the lines of all lists in which scores do not fall strictly; in most files there are few.

    Where the queries themselves do not rise, these are all lines.
    """
    if np.any(query[1:] < query[:-1]):
        return np.arange(len(query))
    wrong = (query[1:] == query[:-1]) & (score[1:] >= score[:-1])
    if not wrong.any():
        return np.arange(0)
    lists = np.zeros(int(query[-1]) + 1, dtype=np.bool_)
    lists[query[1:][wrong]] = True
    return np.flatnonzero(lists.take(query))


def _equal_neighbours(query: Ints, score: Numbers) -> Flags:
    """Return where two neighbouring lines of an ordered run share query and score: bool (lines - 1,)."""
    return np.asarray((query[1:] == query[:-1]) & (score[1:] == score[:-1]))


def _settle_ties(lines: Ints, same: Flags, ids: Ids) -> None:
    """Put the tied lines into descending order of id, in place; only their ids are looked at."""
    places = np.flatnonzero(np.append(same, False) | np.append(False, same))
    among, id_of = lines[places].tolist(), ids.__getitem__
    starts = np.flatnonzero(~np.append(False, same)[places]).tolist()
    for start, end in zip(starts, [*starts[1:], len(among)], strict=True):
        among[start:end] = sorted(among[start:end], key=id_of, reverse=True)
    lines[places] = among
