"""How often each word occurs in each text: the one table that all rankers start from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class TermCounts:
    """Occurrences of the corpus's words in its documents and in the queries.

    Attributes
    ----------
    documents
        Shape (documents, words).
    queries
        Shape (queries, words); words that the corpus does not hold are left out.
    """

    documents: Matrix
    queries: Matrix


def count_terms(documents: Sequence[Sequence[str]], queries: Sequence[Sequence[str]]) -> TermCounts:
    """Return the counts of all words that occur in the documents, words in alphabetical order."""
    vocabulary = {
        word: column for column, word in enumerate(sorted({w for words in documents for w in words}))
    }
    return TermCounts(_table(documents, vocabulary), _table(queries, vocabulary))


def _table(texts: Sequence[Sequence[str]], vocabulary: dict[str, int]) -> Matrix:
    table = np.zeros((len(texts), len(vocabulary)))
    for row, words in enumerate(texts):
        for word in words:
            if word in vocabulary:
                table[row, vocabulary[word]] += 1
    return table
