"""BM25, worked out by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

from app.demo.rankers.bm25 import bm25_scores
from app.demo.rankers.terms import count_terms


def test_a_score_is_the_formula_worked_out_by_hand():
    counts = count_terms([["flat", "tyre", "tyre"], ["flat", "bell"], ["bell"]], [["tyre", "flat"]])

    scores = bm25_scores(counts)

    mean = (3 + 2 + 1) / 3
    damping = 1.2 * (0.25 + 0.75 * 3 / mean)
    tyre = math.log(1 + 2.5 / 1.5) * 2 * 2.2 / (2 + damping)
    flat = math.log(1 + 1.5 / 2.5) * 1 * 2.2 / (1 + damping)
    assert scores[0, 0] == pytest.approx(tyre + flat)


def test_a_document_without_a_word_of_the_query_scores_zero():
    counts = count_terms([["flat"], ["bell"]], [["flat", "unknown"]])

    assert bm25_scores(counts)[0, 1] == 0


def test_a_rarer_word_counts_more():
    counts = count_terms([["bike", "bell"], ["bike", "lamp"], ["bike", "tyre"]], [["bike"], ["bell"]])

    scores = bm25_scores(counts)

    assert scores[1, 0] > scores[0, 0] > 0
    assert np.all(scores[0] > 0)
