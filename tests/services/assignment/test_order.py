"""The annotator's own order: keyed, stable, and independent of whatever a ranker decides."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.services.assignment.wanted import drawn_twice, is_rated_twice, shuffled
from tests.scoring.chance import STRICT, chance_of_slots

SECRET = bytes(range(32))
IDS = st.lists(
    st.text("abcdefghijklmnopqrstuvwxyz0123456789_-", min_size=4, max_size=16), unique=True, max_size=12
)
NUMBERS = st.integers(1, 10_000)


@given(ids=IDS, annotator=NUMBERS, query=NUMBERS, batch=NUMBERS, seed=st.randoms())
def test_the_order_does_not_depend_on_the_order_in_which_answers_come(ids, annotator, query, batch, seed):
    mixed = list(ids)
    seed.shuffle(mixed)

    place = {"annotator": annotator, "query": query, "batch": batch}

    assert shuffled(SECRET, ids, **place) == shuffled(SECRET, mixed, **place)
    assert sorted(shuffled(SECRET, ids, **place)) == sorted(ids)


@pytest.mark.parametrize("other", [{"annotator": 2}, {"query": 2}, {"batch": 2}])
def test_another_annotator_query_or_batch_has_another_order(other):
    ids = [f"answer-{number}" for number in range(12)]
    place = {"annotator": 1, "query": 1, "batch": 1}

    assert shuffled(SECRET, ids, **place) != shuffled(SECRET, ids, **(place | other))
    assert shuffled(SECRET, ids, **place) != shuffled(SECRET[::-1], ids, **place)


def test_the_place_shown_says_nothing_about_the_place_a_ranker_gave():
    # 600 batches of 6; slot against rank is a 6 x 6 table with 100 expected in each cell.
    table = Counter()
    for batch in range(600):
        ranked = [f"{batch}-{rank}" for rank in range(6)]
        for slot, public_id in enumerate(shuffled(SECRET, ranked, annotator=7, query=3, batch=batch)):
            table[slot, ranked.index(public_id)] += 1

    chi_square = sum((table[slot, rank] - 100) ** 2 / 100 for slot in range(6) for rank in range(6))

    # The 99.9 % point of chi-square with 25 degrees of freedom; the ids are fixed, so this never flickers.
    assert chi_square < 52.6


def orders_of_annotators():
    """Return the order of five answers for 10,000 annotators, as places in the list as it came."""
    ids = [f"answer-{number}" for number in range(5)]
    orders = [shuffled(SECRET, ids, annotator=number, query=3, batch=8) for number in range(10_000)]
    return [[ids.index(one) for one in order] for order in orders]


@pytest.mark.thorough
def test_every_slot_is_uniform_over_answers_and_one_order_in_ten_left_as_it_came_would_be_found():
    orders = orders_of_annotators()

    assert chance_of_slots(orders) > STRICT
    orders[::10] = [list(range(5))] * 1000
    assert chance_of_slots(orders) < STRICT


@pytest.mark.parametrize("share", [0, 0.2, 0.5, 1])
def test_the_share_that_is_rated_twice_is_keyed_and_about_as_large_as_asked_for(share):
    numbers = np.arange(1, 20_001)

    drawn = drawn_twice(SECRET, numbers, share)

    assert drawn.mean() == pytest.approx(share, abs=0.015)
    assert (drawn == drawn_twice(SECRET, numbers, share)).all()
    assert [is_rated_twice(SECRET, number, share) for number in range(1, 101)] == drawn[:100].tolist()


def test_another_secret_draws_another_share():
    numbers = np.arange(1, 20_001)

    both = drawn_twice(SECRET, numbers, 0.2) & drawn_twice(SECRET[::-1], numbers, 0.2)

    assert both.mean() == pytest.approx(0.04, abs=0.01)
