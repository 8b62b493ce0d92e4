"""From coded lines of judgments and runs, as files give them, to what the engine scores."""

from dataclasses import dataclass

import numpy as np

from app.scoring.arrays import Ints
from app.scoring.consensus import from_grades
from app.scoring.judged import Judged, judged_of
from app.scoring.lists import Lists, with_repeats_marked


@dataclass(frozen=True)
class Pool:
    """Query-document pairs without repetition, by query and then by document."""

    query: Ints
    document: Ints

    def __len__(self):
        return len(self.query)

    def keys(self, documents):
        """Return one number per pair, ascending, given the number of documents."""
        return self.query * documents + self.document


def pool_of(documents, depth):
    """Return the union of the top ``depth`` documents of every run."""
    top = documents[:depth]
    query = np.broadcast_to(np.arange(documents.shape[2], dtype=np.int64), top.shape)
    listed = top >= 0
    return union_of(query[listed], top[listed].astype(np.int64))


def union_of(query, document):
    """Return each pair of query and document once: int64 (pairs,), any order in, sorted out."""
    documents = int(document.max(initial=0)) + 1
    keys = np.sort(query.astype(np.int64) * documents + document)
    keys = keys[np.append(True, keys[1:] != keys[:-1])[: len(keys)]]
    return Pool(keys // documents, keys % documents)


def lists_in(documents, items):
    """Return the lists with every document replaced by its item's number.

    Items are the pooled and the judged pairs together; documents that are neither get the cell
    ``absent``, and a document met again further down its list (merged ids) the cell ``repeated``.
    """
    positions = np.full(documents.shape, len(items), dtype=np.intp)
    slots = int(max(documents.max(initial=-1), items.document.max(initial=-1))) + 2
    slot = np.full(slots, len(items), dtype=np.intp)
    bounds = np.searchsorted(items.query, np.arange(documents.shape[2] + 1))
    for query in range(documents.shape[2]):
        mine = slice(bounds[query], bounds[query + 1])
        slot[items.document[mine]] = np.arange(mine.start, mine.stop)
        positions[:, :, query] = slot[documents[:, :, query]]
        slot[items.document[mine]] = len(items)
    return Lists(with_repeats_marked(positions, len(items)), np.count_nonzero(documents >= 0, axis=0))


def stacked(runs, queries):
    """Return the document numbers of several runs, rank by rank."""
    lengths = [np.bincount(query, minlength=queries) for query, _ in runs]
    deepest = max((int(length.max(initial=0)) for length in lengths), default=0)
    documents = np.full((deepest, len(runs), queries), -1, dtype=np.intp)
    for run, ((query, document), length) in enumerate(zip(runs, lengths, strict=True)):
        first = np.cumsum(length) - length
        documents[np.arange(len(query)) - first[query], run, query] = document
    return documents


@dataclass(frozen=True)
class Collection:
    """Some runs and judgments over the same queries, ready to score."""

    lists: Lists
    judged: Judged

    @property
    def covered(self):
        """Which queries each run lists: bool (runs, queries)."""
        return np.asarray(self.lists.lengths > 0)


def collected(judgments, runs, ruler, *, queries, pool_depth=0):
    """Return a collection from (query, document, grade) of each judgment and (query, document) of each line.

    The pool is the union of the top of the runs; without a depth it is the judgments themselves.
    """
    query, document, grade = judgments
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


def _places(items, query, document):
    """Return the numbers of pairs that stand among the items."""
    documents = int(max(items.document.max(initial=0), document.max(initial=0))) + 1
    return np.searchsorted(items.keys(documents), query.astype(np.int64) * documents + document)


def judged_grades(grades, query, ruler, **chosen):
    """Return the items' values where each has at most one grade; one below the lowest means not judged."""
    return judged_of(from_grades(grades - ruler.lowest), query, ruler, **chosen)
