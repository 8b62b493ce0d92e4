import numpy as np
import pytest

from app.scoring.savings import share_needed
from app.scoring.simulation import RULES, needed_of, replay
from tests.scoring.test_simulation import truth_of


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("grid", [0.02, 0.1])
def test_the_share_needed_is_the_one_of_the_whole_simulation(rule, grid):
    for seed in range(4):
        truth = truth_of(seed, queries=8)

        found = share_needed(truth, rule, seed=seed, grid=grid)

        assert found == needed_of(replay(truth, rule, seed=seed, grid=grid)).zero_fill


def test_rankers_that_are_equal_need_no_share():
    truth = truth_of(queries=4)
    truth.gains[:] = 0.0

    assert share_needed(truth, "depth", seed=1) is None
    assert np.all(truth.scores(truth.gains) == 0)
