"""Blend: two rankers' scores made into one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from app.demo.rankers.lists import ranks_of
from app.demo.rankers.terms import Matrix

RRF_K = 60
TEXT_SHARE = 0.65


def fused_ranks(first: Matrix, second: Matrix, doc_ids: Sequence[str]) -> Matrix:
    """Return the sum of 1 / (60 + rank) over both rankers, shape (queries, documents).

    Only documents that a ranker scores above 0 get a share from it (Cormack, Clarke and Büttcher 2009,
    "Reciprocal rank fusion outperforms Condorcet and individual rank learning methods").
    """
    shares = [
        np.where(scores > 0, 1 / (RRF_K + ranks_of(scores, doc_ids)), 0.0) for scores in (first, second)
    ]
    return shares[0] + shares[1]


def weighted_sum(text: Matrix, topic: Matrix) -> Matrix:
    """Return 0.65 of the text score plus 0.35 of the topic score, each scaled to 0..1 per query."""
    return TEXT_SHARE * _scaled(text) + (1 - TEXT_SHARE) * _scaled(topic)


def _scaled(scores: Matrix) -> Matrix:
    positive = np.maximum(scores, 0.0)
    best = positive.max(axis=1, keepdims=True)
    scaled: Matrix = positive / np.where(best > 0, best, 1.0)
    return scaled
