"""Scores as ranked lists, ties by the product's one rule."""

from __future__ import annotations

import numpy as np

from app.demo.rankers.lists import ranks_of, top_lists


def test_ties_go_to_the_larger_id_by_bytes():
    scores = np.array([[0.5, 0.9, 0.5, 0.5]])

    found = top_lists(scores, ["d1", "d2", "d10", "é"])

    assert found == [[("d2", 0.9), ("é", 0.5), ("d10", 0.5), ("d1", 0.5)]]
    assert ranks_of(scores, ["d1", "d2", "d10", "é"]).tolist() == [[4, 1, 3, 2]]


def test_scores_that_agree_to_six_digits_are_ties():
    assert top_lists(np.array([[0.1234564, 0.1234561]]), ["a", "b"]) == [[("b", 0.123456), ("a", 0.123456)]]


def test_nothing_is_listed_without_a_score_above_zero():
    assert top_lists(np.array([[0.0, -0.2], [0.0, 0.1]]), ["a", "b"]) == [[], [("b", 0.1)]]


def test_a_list_ends_at_ten():
    scores = np.arange(1.0, 15.0)[None, :]

    found = top_lists(scores, [f"d{n:02d}" for n in range(14)])[0]

    assert [doc_id for doc_id, _ in found] == [f"d{n:02d}" for n in range(13, 3, -1)]
