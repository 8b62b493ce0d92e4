import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.discounts import discounts
from app.scoring.priority import candidates_of
from app.scoring.simulation import RULES, Replay, Truth, needed_of, order_of, replay, share_first


def truth_of(seed=1, queries=12, depth=5, skill=(0.0, 0.5, 1.0, 2.0)):
    """Return a complete pool whose runs rank by the gain times their skill plus noise."""
    generator = np.random.default_rng(seed)
    gains = np.minimum(3, generator.geometric(0.5, (queries, 20)) - 1).astype(float)
    scores = np.array(skill)[:, None, None] * gains + generator.normal(size=(len(skill), queries, 20))
    ranks = (-scores).argsort(axis=2).argsort(axis=2) + 1
    pooled = (ranks <= depth).any(axis=0)
    query = np.nonzero(pooled)[0]
    candidates = candidates_of(
        query, ranks[:, pooled], discounts(depth=depth), current=np.ones(len(skill), bool)
    )
    return Truth(candidates, gains[pooled], discounts(depth=depth), queries, 3.0)


truth = truth_of()


def dealt(rule, seed, whole=truth):
    known = np.full(len(whole.gains), np.nan)
    order = []
    for item in order_of(whole, rule, known, seed):
        known[item] = whole.gains[item]
        order.append(item)
    return order


@settings(deadline=None, max_examples=10)
@given(st.sampled_from(RULES), st.integers(0, 2**32))
def test_30_every_rule_gives_every_item_once(rule, seed):
    assert sorted(dealt(rule, seed)) == list(range(len(truth.gains)))


@pytest.mark.parametrize("rule", RULES)
def test_30_an_identical_seed_gives_the_identical_order(rule):
    assert dealt(rule, 5) == dealt(rule, 5) != dealt(rule, 6)


def test_depth_order_never_gives_a_deeper_item_first():
    best = truth.candidates.weights.max(axis=0)[dealt("depth", 3)]

    assert (np.diff(best) <= 0).all()


def test_every_fifth_item_of_the_open_race_is_picked_by_chance():
    order, chance = dealt("open race", 9), dealt("random", 9)

    picks = order[4::5]
    assert [item for item in chance if item in set(picks)] == picks
    assert dealt("open race without chance", 9)[:4] == order[:4]


@pytest.mark.parametrize("rule", RULES)
def test_a_replay_ends_at_the_truth(rule):
    run = replay(truth, rule, seed=2, grid=0.1)

    assert run.shares[-1] == 1
    assert run.zero_fill[-1].tolist() == run.smoothed[-1].tolist() == run.truth.tolist()
    assert run.zero_fill.shape == run.smoothed.shape == (10, 4)


def test_the_share_needed_is_the_first_point_from_which_the_ranking_stays_right():
    right, wrong = [0.1, 0.2, 0.3], [0.3, 0.2, 0.1]
    run = Replay(
        shares=np.array([0.25, 0.5, 0.75, 1.0]),
        zero_fill=np.array([right, wrong, right, right]),
        smoothed=np.array([right] * 4),
        truth=np.array(right),
    )

    needed = needed_of(run)

    assert (needed.zero_fill, needed.smoothed) == (0.75, 0.25)
    assert share_first(run, run.zero_fill, 2) == 0.75
    assert share_first(run, run.zero_fill, 0) is None


def test_close_pairs_count_only_among_all_pairs():
    run = Replay(
        shares=np.array([0.5, 1.0]),
        zero_fill=np.array([[0.11, 0.10, 0.5], [0.10, 0.11, 0.5]]),
        smoothed=np.array([[0.11, 0.10, 0.5], [0.10, 0.11, 0.5]]),
        truth=np.array([0.10, 0.11, 0.5]),
    )

    needed = needed_of(run)

    assert (needed.zero_fill, needed.zero_fill_apart) == (1.0, 0.5)


def test_rankers_that_are_all_equal_have_no_order_to_find():
    equal = Replay(np.array([1.0]), np.ones((1, 3)), np.ones((1, 3)), np.ones(3))

    assert needed_of(equal).zero_fill is None


def test_open_race_and_depth_need_less_than_chance_on_average():
    needed = {
        rule: np.mean([needed_of(replay(truth_of(seed), rule, seed=seed)).zero_fill for seed in range(8)])
        for rule in ("random", "depth", "open race")
    }

    assert needed["open race"] <= 0.75 * needed["random"]
    assert needed["depth"] <= 0.75 * needed["random"]
