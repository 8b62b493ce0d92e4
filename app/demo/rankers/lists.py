"""From scores to ranked lists: rounding, the product's tie rule, a cut at ten."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from app.demo.rankers.terms import Matrix

LENGTH = 10
DIGITS = 6

ScoredList = list[tuple[str, float]]


def ranks_of(scores: Matrix, doc_ids: Sequence[str]) -> NDArray[np.int64]:
    """Return the rank (from 1) of each document for each query, shape (queries, documents).

    Higher scores first, then the document id that is larger by bytes. A score of 0 or less has a rank
    too; whether it is listed is the caller's business.
    """
    by_id = sorted(range(len(doc_ids)), key=lambda column: doc_ids[column].encode(), reverse=True)
    order = np.argsort(-scores[:, by_id], axis=1, kind="stable")
    columns = np.asarray(by_id)[order]
    ranks = np.empty_like(columns)
    np.put_along_axis(ranks, columns, np.arange(1, len(doc_ids) + 1)[None, :], axis=1)
    return ranks


def top_lists(scores: Matrix, doc_ids: Sequence[str], length: int = LENGTH) -> list[ScoredList]:
    """Return for each query its best documents with a score above 0, scores rounded to six digits."""
    rounded = np.round(scores, DIGITS)
    ranks = ranks_of(rounded, doc_ids)
    best = np.argsort(ranks, axis=1)[:, :length]
    return [
        [(doc_ids[column], float(row[column])) for column in columns if row[column] > 0]
        for row, columns in zip(rounded, best, strict=True)
    ]
