import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from app.scoring.agreement import Ratings
from app.scoring.agreement_pairs import pair_kappas, quadratic_kappa

grades = st.lists(st.integers(0, 4), min_size=50, max_size=90)


@given(grades, st.randoms(use_true_random=False))
@pytest.mark.thorough
def test_kappa_of_a_pair_agrees_with_scikit_learn(first, random):
    second = [min(4, max(0, grade + random.choice([-1, 0, 0, 1]))) for grade in first]
    assume(len(set(first + second)) > 1)
    items = np.arange(len(first))
    ratings = Ratings(np.tile(items, 2), np.repeat([7, 3], len(first)), np.array(first + second), 5)

    (found,) = pair_kappas(ratings)

    expected = cohen_kappa_score(first, second, weights="quadratic", labels=range(5))
    assert (found.first, found.second, found.shared) == (3, 7, len(first))
    assert found.kappa == pytest.approx(expected, abs=1e-12)


def test_a_pair_shows_no_kappa_under_fifty_shared_items():
    items = np.concatenate([np.arange(80), np.arange(31, 120)])
    people = np.repeat([0, 1], [80, 89])
    ratings = Ratings(items, people, items % 4, 4)

    (found,) = pair_kappas(ratings)

    assert (found.shared, found.kappa) == (49, None)


def test_annotators_who_share_no_item_are_no_pair():
    ratings = Ratings(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3]), np.array([1, 1, 2, 2]), 4)

    assert [(pair.first, pair.second) for pair in pair_kappas(ratings)] == [(0, 1), (2, 3)]


def test_kappa_without_variation_is_undefined():
    assert quadratic_kappa(np.diag([0, 60, 0])) is None
    assert quadratic_kappa(np.zeros((3, 3), dtype=int)) is None


def test_kappa_is_one_for_equal_grades_and_minus_one_for_opposite_ones():
    assert quadratic_kappa(np.diag([30, 0, 30])) == 1
    assert quadratic_kappa(np.array([[0, 30], [30, 0]])) == -1
