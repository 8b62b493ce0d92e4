import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.shuffle import shown_order, slot_check_of

secret = b"a project's own secret"
items = [f"item-{number}" for number in range(12)]
names = st.text(min_size=1, max_size=8)


@given(st.binary(min_size=16), names, names, names, st.lists(names, unique=True, max_size=12))
def test_29_the_same_annotator_sees_the_same_order(key, annotator, query, batch, shown):
    order = shown_order(key, annotator, query, batch, shown)

    assert order == shown_order(key, annotator, query, batch, shown)
    assert sorted(order) == list(range(len(shown)))


def test_29_every_slot_is_uniform_over_items():
    slots = np.zeros((12, 12))
    for annotator in range(10_000):
        slots[np.arange(12), shown_order(secret, f"person-{annotator}", "q1", "b1", items)] += 1

    # Chi-square with 121 degrees of freedom: 182 has a chance of 1 in 3,000.
    expected = 10_000 / 12
    assert ((slots - expected) ** 2 / expected).sum() < 182


@given(names, st.lists(names, unique=True, min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_29_the_order_is_independent_of_the_rank_in_which_items_come(annotator, shown, random):
    by_another_ranker = random.sample(shown, len(shown))

    first = [shown[place] for place in shown_order(secret, annotator, "q", "b", shown)]
    second = [
        by_another_ranker[place] for place in shown_order(secret, annotator, "q", "b", by_another_ranker)
    ]

    assert first == second


def test_29_slot_and_rank_are_uncorrelated_within_chance():
    orders = [shown_order(secret, f"person-{number}", "q", "b", items) for number in range(300)]
    slot, block = np.tile(np.arange(12), 300), np.repeat(np.arange(300), 12)

    check = slot_check_of(slot, np.concatenate(orders), block, seed=1)

    assert check.low < check.correlation < check.high
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
