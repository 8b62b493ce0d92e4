import numpy as np
import pytest

from app.scoring.drift import drift_of


def test_weekly_means_are_those_of_weeks_with_twenty_answers():
    difference = np.array([1.0] * 20 + [0.0, 2.0] * 10 + [5.0] * 19)
    week = np.array([3] * 20 + [1] * 20 + [2] * 19)

    found = drift_of(difference, week, seed=1)

    assert found.week.tolist() == [1, 3]
    assert found.number.tolist() == [20, 20]
    assert found.mean.tolist() == [1.0, 1.0]
    assert found.p == pytest.approx(1.0)


def test_one_week_cannot_drift():
    assert drift_of(np.ones(50), np.zeros(50, dtype=int), seed=1).p is None
    assert drift_of(np.ones(5), np.zeros(5, dtype=int), seed=1).p is None


def test_one_week_alone_is_told_no_mean():
    found = drift_of(np.ones(34), np.array([0] * 24 + [1] * 10), seed=1)

    assert (len(found.week), len(found.number), len(found.mean), found.p) == (0, 0, 0, None)


def test_a_step_between_weeks_is_found_and_told_again_alike():
    rng = np.random.default_rng(7)
    week = np.repeat([0, 1, 2], 40)
    difference = rng.normal(0, 0.5, 120) + (week == 2)

    first, again = (drift_of(difference, week, seed=3) for _ in range(2))

    assert first.p == again.p == 1 / 2_000
    assert drift_of(rng.normal(0, 0.5, 120), week, seed=3).p > 0.01


def test_without_drift_five_in_a_hundred_are_found():
    rng = np.random.default_rng(5)
    week = np.repeat(np.arange(4), 25)
    p = [drift_of(rng.normal(0, 1, 100), week, seed=n, shuffles=199).p for n in range(400)]

    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.03)
