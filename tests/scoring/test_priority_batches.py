from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.priority_batches import Desk, deal_batch

seeds = st.integers(0, 2**64)


def desk_of(query, priority=None, **changed):
    """Return a desk on which everything is new, dealable and outside any block."""
    query = np.array(query)
    n = len(query)
    desk = Desk(
        query=query,
        key=np.arange(n) + 100,
        priority=np.linspace(1, 0, n) if priority is None else np.array(priority, float),
        dealable=np.ones(n, bool),
        unjudged=np.ones(n, bool),
        opened=np.zeros(n, bool),
        waited=np.zeros(n),
        block=np.zeros(n, bool),
    )
    return replace(desk, **{name: np.array(value) for name, value in changed.items()})


@st.composite
def desks(draw):
    n = draw(st.integers(1, 40))
    flags = st.lists(st.booleans(), min_size=n, max_size=n)
    unjudged, dealt = np.array(draw(flags)), np.array(draw(flags))
    return desk_of(
        sorted(draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))),
        draw(st.lists(st.sampled_from([0.1, 0.5, 1.0]), min_size=n, max_size=n)),
        dealable=draw(flags),
        unjudged=unjudged,
        opened=~unjudged | dealt,
        waited=draw(st.lists(st.floats(0, 30), min_size=n, max_size=n)),
        block=draw(flags),
    )


@given(desks(), st.integers(1, 200), seeds)
def test_a_batch_is_up_to_twelve_dealable_items_of_one_query(desk, number, seed):
    batch = deal_batch(desk, number, seed=seed)

    if not desk.dealable.any():
        assert batch is None
        return
    mine = np.flatnonzero(desk.dealable & (desk.query == batch.query))
    assert len(batch.items) == len(set(batch.items.tolist())) == len(batch.arms) == min(12, len(mine))
    assert set(batch.items.tolist()) <= set(mine.tolist())


@given(desks(), st.integers(1, 200), seeds)
def test_one_slot_in_five_is_left_to_chance_and_at_least_one(desk, number, seed):
    batch = deal_batch(desk, number, seed=seed)

    if batch is not None:
        fresh = desk.dealable & desk.unjudged & (desk.query == batch.query)
        expected = min(np.count_nonzero(fresh), max(1, round(len(batch.items) / 5)))
        uniform = batch.items[[arm == "uniform" for arm in batch.arms]]
        assert len(uniform) == expected
        assert fresh[uniform].all()


@given(desks(), st.integers(1, 200), seeds)
def test_30_the_same_seed_deals_the_same_batch(desk, number, seed):
    first, second = (deal_batch(desk, number, seed=seed) for _ in range(2))

    if first is not None:
        assert (first.kind, first.query, first.items.tolist()) == (
            second.kind,
            second.query,
            second.items.tolist(),
        )


@given(desks(), st.integers(1, 200), seeds)
def test_what_was_opened_goes_on_before_anything_new_opens(desk, number, seed):
    batch = deal_batch(desk, number, seed=seed)

    if batch is not None and "priority" in batch.arms:
        opened = np.flatnonzero(desk.dealable & desk.opened & (desk.query == batch.query))
        assert set(opened.tolist()) <= set(batch.items.tolist())


def test_odd_batches_serve_the_open_block_and_all_queries_without_one():
    blocked = desk_of([0, 0, 1, 1], block=[False, False, True, True])

    kinds = [
        (deal_batch(blocked, n, seed=1).kind, deal_batch(blocked, n, seed=1).query) for n in (1, 3, 5, 7, 9)
    ]

    assert kinds == [("milestone", 1)] * 5
    assert [deal_batch(desk_of([0, 1]), n, seed=1).kind for n in (1, 2, 6, 9)] == ["race"] * 4


def test_two_and_six_take_the_query_of_the_item_of_highest_priority():
    desk = desk_of([0, 0, 1, 1], [0.1, 0.4, 0.2, 0.9], block=[True] * 4)

    assert [(deal_batch(desk, n, seed=1).kind, deal_batch(desk, n, seed=1).query) for n in (2, 16)] == [
        ("race", 1)
    ] * 2


def test_zero_takes_the_item_that_has_waited_over_fourteen_days_with_it():
    query = [0] * 30 + [1] * 30
    waited = np.zeros(60)
    waited[[40, 50]] = [15, 20]

    batch = deal_batch(desk_of(query, waited=waited), 10, seed=1)

    assert (batch.kind, batch.query) == ("waiting", 1)
    assert 50 in batch.items
    assert deal_batch(desk_of(query, waited=waited * 0.7), 10, seed=1).kind == "race"


def test_four_and_eight_draw_a_query_in_proportion_to_its_unjudged_items():
    desk = desk_of([0] * 10 + [1] * 30, unjudged=[True] * 5 + [False] * 5 + [True] * 30)
    batches = [deal_batch(desk, number, seed=7) for number in range(4, 40_000, 10)]

    share = np.mean([batch.query for batch in batches])

    assert abs(share - 30 / 35) < 4 * np.sqrt(30 * 5 / 35**2 / len(batches))
    assert {batch.kind for batch in batches} == {"drawn"}
    assert {len(batch.drawable) for batch in batches} == {35}
    assert {(batch.query, batch.share) for batch in batches} == {(0, 5 / 35), (1, 30 / 35)}


def test_uniform_slots_are_uniform_over_the_unjudged_items_of_the_query():
    desk = desk_of([0] * 20)
    counts = np.zeros(20)
    for number in range(10_000):
        batch = deal_batch(desk, number, seed=3)
        counts[batch.items[[arm == "uniform" for arm in batch.arms]]] += 1

    # Chi-square with 19 degrees of freedom: 44 has a chance of 1 in 1,000.
    assert ((counts - 1000) ** 2 / 1000).sum() < 44


@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.integers(0, 4), min_size=1, max_size=40),
    st.integers(2, 4),
    st.floats(0, 1),
    seeds,
    st.randoms(use_true_random=False),
)
def test_30_no_item_is_dealt_beyond_its_wanted_ratings_and_all_are_dealt_in_the_end(
    query, people, twice, seed, random
):
    base = desk_of(sorted(query))
    n = len(query)
    wanted = np.array([1 + (random.random() < twice) for _ in range(n)])
    ratings, rated_by = np.zeros(n, int), np.zeros((people, n), bool)
    for number in range(1, 20 * n):
        annotator = random.randrange(people)
        block = base.query == random.randrange(5)
        desk = replace(
            base,
            dealable=(ratings < wanted) & ~rated_by[annotator],
            unjudged=ratings == 0,
            opened=ratings > 0,
            block=block,
        )
        batch = deal_batch(desk, number, seed=seed)
        if batch is not None:
            ratings[batch.items] += 1
            assert not rated_by[annotator, batch.items].any()
            rated_by[annotator, batch.items] = True
        assert (ratings <= wanted).all()

    assert (ratings == wanted).all()
