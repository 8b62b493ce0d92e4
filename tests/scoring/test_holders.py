"""Which lists hold an item."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.holders import Holders, distinct


@given(
    depth=st.integers(0, 4),
    lists=st.integers(0, 6),
    items=st.integers(1, 8),
    asked=st.sets(st.integers(0, 7)),
    seed=st.integers(0, 99),
)
def test_the_lists_of_some_items_are_all_places_that_hold_one_of_them(depth, lists, items, asked, seed):
    positions = np.random.default_rng(seed).integers(0, items + 2, (depth, lists))
    wanted = np.array(sorted(number for number in asked if number < items), dtype=np.int64)

    found = Holders(positions, items).of(wanted)

    assert found.tolist() == [
        number for item in wanted for number in np.nonzero(positions == item)[1].tolist()
    ]


@given(st.integers(1, 200), st.lists(st.integers(0, 199), max_size=90))
def test_distinct_numbers_come_once_and_ascending(below, numbers):
    within = [number for number in numbers if number < below]

    assert distinct(np.array(within, dtype=np.int64), below).tolist() == sorted({*within})
