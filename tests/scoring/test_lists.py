import numpy as np

from app.scoring.judged import judged_grades
from app.scoring.lists import Lists, condensed, stacked, weights_of_items
from app.scoring.ruler import Ruler


def test_lines_in_order_become_ranks_runs_and_queries():
    first = (np.array([0, 0, 2]), np.array([7, 8, 9]))
    second = (np.array([1]), np.array([7]))

    documents = stacked([first, second], 3)

    assert documents.tolist() == [[[7, -1, 9], [-1, 7, -1]], [[8, -1, -1], [-1, -1, -1]]]


def test_no_runs_stack_to_nothing():
    assert stacked([], 3).shape == (0, 0, 3)


def test_condensing_keeps_the_order_of_the_judged():
    judged = judged_grades(np.array([2, -1, 0, -1]), np.zeros(4, dtype=int), Ruler(), queries=1)

    kept = condensed(np.array([[[1]], [[2]], [[judged.absent]], [[3]], [[0]]]), judged)

    assert kept[:, 0, 0].tolist() == [2, 0, judged.absent, judged.absent, judged.absent]


def test_each_run_weighs_an_item_by_the_discount_of_its_rank():
    lists = Lists(np.array([[[0], [2]], [[1], [3]], [[2], [3]]]), np.array([[3], [1]]))

    weights = weights_of_items(lists, np.array([1.0, 0.5]), 5)

    assert weights.tolist() == [[1.0, 0.5, 0, 0, 0], [0, 0, 1.0, 0, 0]]


def test_a_cut_list_remembers_how_much_was_returned():
    lists = Lists(np.zeros((5, 1, 2), dtype=int), np.array([[5, 3]]))

    assert lists.cut(2).positions.shape == (2, 1, 2)
    assert lists.cut(2).lengths.tolist() == [[5, 3]]
