import numpy as np

from app.scoring.lists import Lists, condensed, with_repeats_marked
from app.scoring.ruler import ScoringRuler
from tests.scoring.collected import judged_grades


def test_condensing_keeps_the_order_of_the_judged():
    judged = judged_grades(np.array([2, -1, 0, -1]), np.zeros(4, dtype=int), ScoringRuler(), queries=1)

    kept = condensed(np.array([[[1]], [[2]], [[judged.absent]], [[3]], [[0]]]), judged)

    assert kept[:, 0, 0].tolist() == [2, 0, judged.absent, judged.absent, judged.absent]


def test_a_cut_list_remembers_how_much_was_returned():
    lists = Lists(np.zeros((5, 1, 2), dtype=int), np.array([[5, 3]]))

    assert lists.cut(2).positions.shape == (2, 1, 2)
    assert lists.cut(2).lengths.tolist() == [[5, 3]]


def test_a_document_met_again_further_down_keeps_its_rank_and_counts_for_nothing():
    positions = np.array([[[0]], [[1]], [[0]], [[1]], [[0]], [[2]], [[2]]])

    assert with_repeats_marked(positions, absent=2).ravel().tolist() == [0, 1, 3, 3, 3, 2, 2]
