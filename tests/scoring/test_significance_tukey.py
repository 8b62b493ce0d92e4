import itertools

import numpy as np
import pytest

from app.scoring.significance import compare_rankers
from app.scoring.significance_tukey import ASSUMPTION, tukey_hsd


def test_tukey_agrees_with_every_possible_deal():
    scores = np.array([[0.1, 0.4, 0.3, 0.2], [0.5, 0.6, 0.2, 0.9], [0.3, 0.4, 0.4, 0.5]])
    deals = itertools.product(itertools.permutations(range(3)), repeat=4)
    spreads = [np.ptp([sum(scores[deal[q][r], q] for q in range(4)) / 4 for r in range(3)]) for deal in deals]

    found = tukey_hsd(scores, seed=2)

    gaps = [abs(scores[a].mean() - scores[b].mean()) for a, b in found.pairs]
    exact = np.array([(np.array(spreads) >= gap - 1e-12).mean() for gap in gaps])
    error = np.sqrt(exact * (1 - exact) / 9_999)
    assert (np.abs(found.adjusted - exact) <= 4 * error + 2e-4).all()


def test_with_two_rankers_it_asks_what_the_sign_flip_test_asks():
    generator = np.random.default_rng(3)
    scores = generator.random((2, 40))
    scores[1] += 0.1

    tukey, flips = tukey_hsd(scores, seed=2), compare_rankers(scores, seed=2)

    assert tukey.adjusted[0] == pytest.approx(flips.adjusted[0], abs=0.02)


def test_the_same_seed_gives_the_same_p_and_another_seed_another():
    scores = np.random.default_rng(3).random((4, 30))

    same = [tukey_hsd(scores, seed=seed, shuffles=499).adjusted.tolist() for seed in (1, 1, 2)]

    assert same[0] == same[1] != same[2]


def test_identical_rankers_have_p_one_and_the_assumption_is_stated():
    found = tukey_hsd(np.full((3, 12), 0.5), seed=1, shuffles=99)

    assert found.adjusted.tolist() == [1, 1, 1]
    assert not found.exact
    assert "vary equally" in ASSUMPTION


def test_one_ranker_is_refused():
    with pytest.raises(ValueError, match="2 rankers"):
        tukey_hsd(np.ones((1, 9)), seed=1)
