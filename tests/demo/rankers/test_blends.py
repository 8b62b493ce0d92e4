"""Two rankers made into one."""

from __future__ import annotations

import numpy as np
import pytest

from app.demo.rankers.blends import fused_ranks, weighted_sum


def test_fused_ranks_add_up_the_places_in_both_lists():
    text = np.array([[3.0, 1.0, 0.0]])
    topic = np.array([[0.0, 0.9, 0.2]])

    fused = fused_ranks(text, topic, ["a", "b", "c"])

    assert fused[0].tolist() == pytest.approx([1 / 61, 1 / 62 + 1 / 61, 1 / 62])


def test_a_weighted_sum_scales_both_to_one_first():
    text = np.array([[8.0, 4.0, 0.0]])
    topic = np.array([[0.0, 0.2, -0.1]])

    assert weighted_sum(text, topic)[0].tolist() == pytest.approx([0.65, 0.325 + 0.35, 0.0])


def test_a_ranker_that_found_nothing_adds_nothing():
    nothing = np.zeros((1, 2))
    text = np.array([[2.0, 1.0]])

    assert weighted_sum(text, nothing)[0].tolist() == pytest.approx([0.65, 0.325])
    assert fused_ranks(text, nothing, ["a", "b"])[0].tolist() == pytest.approx([1 / 61, 1 / 62])
