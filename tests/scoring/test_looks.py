import numpy as np
import pytest

from app.scoring.looks import take_look, with_grades_of_today
from app.scoring.milestones import Look
from app.scoring.significance import compare_rankers
from app.scoring.verdict import verdict_of

generator = np.random.default_rng(20)
scores = generator.uniform(0.2, 0.4, (3, 20))
scores[2] += 0.3
look = Look(2, 20, 20, 0.05 / 6, last=False)


def taken(**changed):
    given = {
        "seed": 3,
        "bounds": [(-1.0, 1.0)] * 3,
        "weight_judged": np.array([0.97, 0.96, 1.0]),
        "flips": 999,
    }
    return take_look(look, scores, **(given | changed))


def test_a_look_keeps_the_adjusted_test_of_every_pair():
    found = taken()

    tests = compare_rankers(scores, seed=3, flips=999)
    assert [pair.p for pair in found] == tests.adjusted.tolist()
    assert [pair.mean for pair in found] == tests.mean.tolist()
    assert [(pair.number, pair.n, pair.alpha) for pair in found] == [(2, 20, 0.05 / 6)] * 3
    assert found[1].weight_judged == (0.97, 1.0)


def test_a_clear_pair_is_sure_at_its_look_and_a_level_one_is_not():
    assert [pair.is_sure for pair in taken()] == [False, True, True]
    assert verdict_of(scores[2] - scores[0], looks=[taken()[1]]).word == "sure"


def test_missing_ratings_that_could_turn_the_sign_hold_it_back():
    thin = np.array([0.9, 0.9, 0.9])

    assert not any(pair.is_sure for pair in taken(weight_judged=thin))
    assert taken(weight_judged=thin, bounds=[(0.01, 1.0)] * 3)[1].is_sure
    assert taken(weight_judged=thin, complete=True)[1].is_sure


def test_a_claim_is_withdrawn_when_todays_grades_turn_it():
    pair = taken()[1]

    turned = with_grades_of_today(pair, scores[2], scores[0])

    assert turned.mean_today == pytest.approx(-pair.mean)
    assert not turned.is_sure
    assert with_grades_of_today(pair, scores[0], scores[2]) == pair


def test_a_look_on_other_queries_or_without_all_bounds_is_refused():
    with pytest.raises(ValueError, match="cannot be taken on 19"):
        take_look(look, scores[:, :19], seed=1, bounds=[], weight_judged=np.ones(3))
    with pytest.raises(ValueError, match="zip"):
        taken(bounds=[(0.0, 1.0)])
