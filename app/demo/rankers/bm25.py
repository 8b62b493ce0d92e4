"""BM25: rare words count more, repeated words count less and less, long texts a little less."""

from __future__ import annotations

import numpy as np

from app.demo.rankers.terms import Matrix, TermCounts

K1 = 1.2
B = 0.75


def bm25_scores(counts: TermCounts) -> Matrix:
    """Return the BM25 score of each document for each query, shape (queries, documents).

    score = sum over query words of idf * tf (k1 + 1) / (tf + k1 (1 - b + b length / mean length)), with
    idf = ln(1 + (N - n + 0.5) / (n + 0.5)) (Robertson and Zaragoza 2009, "The probabilistic relevance
    framework: BM25 and beyond"). Documents that share no word with a query score 0.
    """
    lengths = counts.documents.sum(axis=1, keepdims=True)
    asked = counts.queries.any(axis=0)
    frequency = counts.documents[:, asked]
    holding = (frequency > 0).sum(axis=0)
    rarity = np.log1p((len(frequency) - holding + 0.5) / (holding + 0.5))
    damping = K1 * (1 - B + B * lengths / lengths.mean())
    weights = rarity * frequency * (K1 + 1) / (frequency + damping)
    scores: Matrix = counts.queries[:, asked] @ weights.T
    return scores
