"""Runs as they are scored: in the order that counts, with the judged lines found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from app.formats.words import Ints, Words


class QueryNumbers(dict[str, int]):
    """Each query id -> its number in order of appearance in all files."""

    def of(self, ids: Sequence[str]) -> Ints:
        """Return the numbers of some ids; new ones get the next."""
        return np.array([self.setdefault(one, len(self)) for one in ids], dtype=np.int64)


class Unjudged(NamedTuple):
    """The unjudged documents of a run that may be pooled: where they stand, and what they are.

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


class RankedRun(NamedTuple):
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
        Within the pool's depth, or all where what stands below it matters too.
    tied_lines, disagreeing
        Lines with the score of the line before them; lists whose rank column contradicts their scores.
    """

    name: str
    tag: str | None
    query: Ints
    lengths: Ints
    item: Ints
    unjudged: Unjudged
    tied_lines: int
    disagreeing: int
