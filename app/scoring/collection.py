"""From coded lines of judgments and runs, as files give them, to what the engine scores."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Flags, Ints
from app.scoring.contradictions import refuse_contradictions, refuse_repeats
from app.scoring.judged import Judged, judged_grades
from app.scoring.lists import Lists, stacked
from app.scoring.pool import Pool, lists_in, pool_of, union_of
from app.scoring.ruler import Ruler


@dataclass(frozen=True)
class Collection:
    """Some runs and judgments over the same queries, ready to score.

    Attributes
    ----------
    lists
        The whole lists of all runs.
    judged
        The judgments, and what of the pool is unjudged.
    """

    lists: Lists
    judged: Judged

    @property
    def covered(self) -> Flags:
        """Which queries each run lists: bool (runs, queries)."""
        return np.asarray(self.lists.lengths > 0)


def collected(
    judgments: tuple[Ints, Ints, Ints],
    runs: Sequence[tuple[Ints, Ints]],
    ruler: Ruler,
    *,
    queries: int,
    pool_depth: int = 0,
) -> Collection:
    """Return a collection from numbered queries and documents.

    Parameters
    ----------
    judgments
        Query, document and grade of each line: integers (lines,). A grade below the scale's lowest means
        pooled and not judged.
    runs
        For each run its lines in the order that counts (:mod:`app.scoring.ranking`): query, ascending,
        and document.
    ruler
        Everything that fixes how scores are computed.
    queries
        Their number; they are numbered in the byte order of their ids.
    pool_depth
        The pool is the union of the runs' top documents down to this rank; 0 for no pool but the
        judgment lines themselves.

    Raises
    ------
    ValueError
        A grade is above the scale's highest, or two lines contradict each other: a pair with two grades,
        a document that stands twice in a list.
    """
    query, document, grade = judgments
    refuse_contradictions(query, document, grade, queries=queries)
    for number, run in enumerate(runs):
        refuse_repeats(number, *run, queries=queries)
    documents = stacked(runs, queries)
    pool = pool_of(documents, pool_depth)
    items = union_of(np.append(query, pool.query), np.append(document, pool.document))
    grades = np.full(len(items), ruler.lowest - 1, dtype=np.int64)
    graded = _places(items, query, document)
    grades[graded] = grade
    pooled = np.zeros(len(items), dtype=np.bool_)
    pooled[_places(items, pool.query, pool.document)] = True
    pooled[graded[(grade < ruler.lowest) | (pool_depth == 0)]] = True
    judged = judged_grades(grades, items.query, ruler, queries=queries, pooled=pooled)
    return Collection(lists_in(documents, items), judged)


def _places(items: Pool, query: Ints, document: Ints) -> Ints:
    """Return the numbers of pairs that stand among the items."""
    documents = int(max(items.document.max(initial=0), document.max(initial=0))) + 1
    return np.searchsorted(items.keys(documents), query.astype(np.int64) * documents + document)
