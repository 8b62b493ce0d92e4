import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.milestones import (
    Look,
    Walk,
    alpha_of,
    due_look,
    extended_order,
    next_milestone,
    open_block,
    ready_queries,
    walk_of,
)


def walked(n, length=1000):
    return Walk(n, np.arange(n), length)


def looks_of(steps, length, last="all"):
    """Return the looks taken when the walk reaches each of these numbers of scored queries in turn."""
    taken = []
    for n in steps:
        look = due_look(walked(n, length), taken, last)
        taken += [look] if look else []
    return taken


@given(st.integers(1, 400))
def test_27_the_looks_of_every_plan_spend_five_percent_in_all(count):
    spent = [alpha_of(number, last=False) for number in range(1, count)] + [alpha_of(count, last=True)]

    assert sum(spent) == pytest.approx(0.05, abs=1e-15)


def test_27_an_import_past_three_milestones_spends_one_look():
    looks = looks_of([57], length=100)

    assert looks == [Look(1, 40, 57, 0.025, last=False)]


@given(st.lists(st.integers(0, 300), max_size=60), st.sampled_from(["all", 10, 64, 200, 999]))
def test_every_history_of_a_plan_spends_at_most_five_percent(steps, last):
    looks = looks_of(sorted(steps), 300, last)

    assert sum(look.alpha for look in looks) <= 0.05 + 1e-15
    assert [look.number for look in looks] == list(range(1, len(looks) + 1))
    assert sum(look.last for look in looks) <= 1
    assert not any(look.last for look in looks[:-1])
    if looks and looks[-1].last:
        assert sum(look.alpha for look in looks) == pytest.approx(0.05, abs=1e-15)


def test_looks_are_taken_at_ten_twenty_forty_and_all():
    looks = looks_of(range(101), length=100)

    assert [look.milestone for look in looks] == [10, 20, 40, 80, "all"]
    assert [look.n for look in looks] == [10, 20, 40, 80, 100]
    assert [look.alpha for look in looks] == pytest.approx([0.025, 0.05 / 6, 0.05 / 12, 0.0025, 0.01])


def test_complete_grades_are_one_look_with_the_whole_five_percent():
    ready = ready_queries(np.zeros((3, 225)), complete=True)
    walk = walk_of(ready, np.ones(225, bool), np.ones(225, bool))

    assert due_look(walk, []) == Look(1, "all", 225, 0.05, last=True)


def test_after_the_last_look_a_longer_order_buys_no_further_look():
    taken = looks_of([30], length=30)

    assert taken[0].last
    assert due_look(walked(60, 60), taken) is None
    assert next_milestone(walked(60, 60), taken) is None
    assert open_block(walked(30, 60), taken, ready=np.ones(60, bool), possible=np.ones(60, bool)) is None


def test_a_declared_last_milestone_ends_the_plan():
    looks = looks_of(range(300), length=300, last=50)

    assert [look.milestone for look in looks] == [10, 20, 40, 50]
    assert looks[-1].last


def test_below_ten_scored_queries_no_look_is_spent():
    assert due_look(walked(9, 9), []) is None
    with pytest.raises(ValueError, match="at least 10"):
        due_look(walked(9, 9), [], last=5)


def test_the_walk_stops_at_the_first_query_that_is_not_ready():
    ready = np.array([1, 1, 1, 0, 1], bool)
    scored = np.array([1, 0, 1, 1, 1], bool)

    walk = walk_of(ready, scored, np.ones(5, bool))

    assert (walk.passed, walk.places.tolist(), walk.stopped_at) == (3, [0, 2], 3)


def test_a_query_that_one_run_does_not_cover_is_walked_and_not_counted():
    walk = walk_of(np.ones(3, bool), np.ones(3, bool), np.array([1, 0, 1], bool))

    assert (walk.n, walk.passed, walk.stopped_at) == (2, 3, None)


def test_a_query_is_ready_when_every_run_has_enough_of_its_weight_judged():
    weights = np.array([[1.0, 0.95, 0.94, 1.0], [0.95, 1.0, 1.0, 0.5]])

    assert ready_queries(weights).tolist() == [True, True, False, False]


def test_the_open_block_is_the_shortest_stretch_that_could_reach_the_next_milestone():
    ready = np.zeros(30, bool)
    ready[:4] = True
    possible = np.ones(30, bool)
    possible[[2, 6]] = False
    walk = walk_of(ready, possible, np.ones(30, bool))

    block = open_block(walk, [], ready=ready, possible=possible)

    assert (block.milestone, block.end) == (10, 12)
    assert block.places.tolist() == list(range(4, 12))


def test_the_open_block_is_the_whole_order_when_it_cannot_reach_its_milestone():
    ready = np.zeros(12, bool)

    block = open_block(walk_of(ready, ready, ready), [], ready=ready, possible=np.arange(12) < 5, last=10)

    assert (block.milestone, block.end) == (10, 12)


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_the_next_milestone_lies_ahead(n, length):
    walk = walked(min(n, length), length)

    ahead = next_milestone(walk, [])

    assert ahead == "all" or walk.n < ahead <= length


@given(
    st.sets(st.integers(0, 10**6), max_size=30),
    st.sets(st.integers(0, 10**6), max_size=30),
    st.integers(0, 99),
)
def test_a_query_added_later_goes_to_the_end_of_the_order(first, later, seed):
    order = extended_order(np.array([], dtype=int), np.array(sorted(first), dtype=int), seed=seed)

    longer = extended_order(order, np.array(sorted(first | later), dtype=int), seed=seed)

    assert longer[: len(order)].tolist() == order.tolist()
    assert sorted(longer) == sorted(first | later)


def test_every_query_is_first_in_the_order_equally_often():
    firsts = [extended_order(np.array([], dtype=int), np.arange(6), seed=seed)[0] for seed in range(3000)]

    counts = np.bincount(firsts, minlength=6)
    assert ((counts - 500) ** 2 / 500).sum() < 20.5
