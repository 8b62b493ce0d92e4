import numpy as np
import pytest

from app.scoring.look_forecast import forecast_of
from app.scoring.milestones import due_look, open_block, walk_of


def forecast(ready, possible, last="all"):
    walk = walk_of(ready, possible, np.ones_like(possible))
    block = open_block(walk, [], ready=ready, possible=possible, last=last)
    return forecast_of([], block, ready=ready, possible=possible, last=last)


@pytest.mark.parametrize(
    ("waiting", "milestone", "n", "alpha", "last"),
    [
        ([1], "all", 24, 0.05, True),  # one question keeps a whole plan waiting
        ([1, 15], 10, 15, 0.025, False),
        ([1, 22], 20, 22, 0.025, False),
        (range(1, 24), 10, 10, 0.025, False),
    ],
)
def test_the_walk_goes_on_over_queries_that_are_ready_already(waiting, milestone, n, alpha, last):
    ready = np.ones(24, bool)
    ready[list(waiting)] = False

    found = forecast(ready, np.ones(24, bool))

    assert (found.stretch, found.ready) == (10, int(ready[:10].sum()))
    assert (found.look.milestone, found.n, found.look.alpha, found.look.last) == (milestone, n, alpha, last)


def test_what_is_forecast_is_the_look_that_is_due_once_the_block_is_ready():
    rng = np.random.default_rng(5)
    for _ in range(200):
        ready, possible = rng.random(45) < 0.8, rng.random(45) < 0.8
        found = forecast(ready, possible)
        ready[: found.stretch] = True

        assert found.look == due_look(walk_of(ready, possible, np.ones(45, bool)), [])


def test_too_few_queries_lead_to_no_look():
    ready = np.zeros(9, bool)

    assert forecast(ready, np.ones(9, bool)).look is None
