import pytest

from app.scoring.discounts import discounts
from app.scoring.working import working_of
from tests.scoring.plain_ndcg import ndcg_of


def test_the_steps_add_up_to_the_score_they_explain():
    log2 = discounts("log2", 3)
    working = working_of([2, None, 1.5, 3], [2, 0, 1.5, 3], [(2, 2), (1.5, 1.5), (3, 3), (0, 0)], log2)

    assert [step.rank for step in working.steps] == [1, 2, 3]
    assert [step.grade for step in working.steps] == [2, None, 1.5]
    assert [step.discount for step in working.steps] == log2.weights.tolist()
    assert working.steps[-1].cumulated == working.dcg == sum(step.contribution for step in working.steps)
    assert [step.grade for step in working.ideal_steps] == [3, 2, 1.5]
    assert working.ndcg == working.dcg / working.ideal
    assert working.ndcg == ndcg_of([2, 0, 1.5, 3], [2, 1.5, 3, 0], log2)


def test_a_query_without_gain_has_no_score():
    working = working_of([0, None], [0, 0], [(0, 0)], discounts("log2", 5))

    assert working.ndcg is None
    assert ndcg_of([0, 0], [0], discounts("log2", 5)) is None


def test_an_empty_list_reaches_nothing():
    working = working_of([], [], [(1, 1)], discounts("log2", 5))

    assert (working.dcg, working.ideal, working.ndcg) == (0.0, 1.0, 0.0)


def test_grades_and_gains_of_different_length_are_a_mistake():
    with pytest.raises(IndexError):
        working_of([], [1.0], [(1, 1)], discounts("log2", 5))
