import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from app.scoring.shuffle import shown_order, slot_check_of
from tests.scoring.chance import STRICT, chance_of_slots

secret = b"a project's own secret"
secrets = st.binary(min_size=16, max_size=32)
items = [f"item-{number}" for number in range(12)]
some_items = st.lists(st.text(min_size=1, max_size=8), unique=True, min_size=3, max_size=8)
ANNOTATORS = 10_000
names = st.text(min_size=1, max_size=8)


@given(st.binary(min_size=16), names, names, names, st.lists(names, unique=True, max_size=12))
def test_29_the_same_annotator_sees_the_same_order(key, annotator, query, batch, shown):
    order = shown_order(key, annotator, query, batch, shown)

    assert order == shown_order(key, annotator, query, batch, shown)
    assert sorted(order) == list(range(len(shown)))


def orders_of_annotators(key, query, batch, shown):
    return [shown_order(key, f"person-{number}", query, batch, shown) for number in range(ANNOTATORS)]


@settings(max_examples=12)
@given(secrets, names, names, some_items)
def test_29_every_slot_is_uniform_over_items(key, query, batch, shown):
    assert chance_of_slots(orders_of_annotators(key, query, batch, shown)) > STRICT


@settings(max_examples=6)
@given(secrets, names, names, some_items)
def test_29_one_order_in_ten_left_as_it_came_would_be_found(key, query, batch, shown):
    orders = orders_of_annotators(key, query, batch, shown)
    orders[::10] = [list(range(len(shown)))] * (ANNOTATORS // 10)

    # The least power, of three items: 4 degrees of freedom, noncentrality 10,000 / 100 * 2^2.
    assert stats.ncx2.sf(stats.chi2.isf(STRICT, 4), 4, 400) > 1 - STRICT
    assert chance_of_slots(orders) < STRICT


@given(names, st.lists(names, unique=True, min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_29_the_order_is_independent_of_the_rank_in_which_items_come(annotator, shown, random):
    by_another_ranker = random.sample(shown, len(shown))

    first = [shown[place] for place in shown_order(secret, annotator, "q", "b", shown)]
    second = [
        by_another_ranker[place] for place in shown_order(secret, annotator, "q", "b", by_another_ranker)
    ]

    assert first == second


@settings(max_examples=20)
@given(secrets, names, names, st.integers(0, 2**64))
def test_29_slot_and_rank_are_uncorrelated_within_chance(key, query, batch, seed):
    orders = [shown_order(key, f"person-{number}", query, batch, items) for number in range(300)]
    slot, block = np.tile(np.arange(12), 300), np.repeat(np.arange(300), 12)

    check = slot_check_of(slot, np.concatenate(orders), block, seed=seed)

    # A random order of 12 has a correlation with a spread of 1 / sqrt(11), 300 of them together this one.
    spread = (300 * 11) ** -0.5
    assert abs(check.correlation) < spread * stats.norm.isf(STRICT)
    # The band is made of 999 shuffles: its ends have a spread of a tenth of this.
    assert np.allclose([check.low, check.high], np.array([-1.96, 1.96]) * spread, rtol=0, atol=0.6 * spread)
    assert check.ratings == 3600


def test_a_list_shown_in_its_own_order_is_caught():
    slot, block = np.tile(np.arange(12), 20), np.repeat(np.arange(20), 12)

    check = slot_check_of(slot, slot, block, seed=1)

    assert check.correlation > 0.999 > check.high


def test_without_two_ranks_in_a_block_there_is_nothing_to_correlate():
    check = slot_check_of(np.array([1, 1]), np.array([3, 4]), np.array([0, 1]), seed=1)

    assert (check.correlation, check.low, check.high, check.ratings) == (None, None, None, 2)


def test_moving_a_letter_between_the_parts_makes_another_order():
    orders = {
        tuple(shown_order(secret, *parts, items))
        for parts in [("ab", "c", "d"), ("a", "bc", "d"), ("a", "b", "cd")]
    }

    assert len(orders) == 3
