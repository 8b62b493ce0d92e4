"""What the next batch is: requests, turns by number, parts in a row, first ratings before second ones."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.priority_batches import (
    HELD,
    NO_REQUEST,
    RATED,
    UNTOUCHED,
    AssignmentState,
    BatchNumbers,
    next_batch,
    next_queries,
)

QUERIES, EACH = 4, 30
ITEMS = QUERIES * EACH


def state_of(**values):
    """Return a state of four queries of thirty items; the priority runs through the queries in turn."""
    item = np.arange(ITEMS)
    usual = {
        "query": item // EACH,
        "key": item + 1000,
        "place": (item % EACH) * QUERIES + item // EACH,
        "eligible": np.ones(ITEMS, dtype=bool),
        "touched": np.full(ITEMS, UNTOUCHED),
        "waited": np.zeros(ITEMS),
        "requested": np.full(ITEMS, NO_REQUEST),
        "drawn": np.array([2, 0, 3, 1]),
        "unfinished": np.ones(QUERIES, dtype=bool),
    }
    return AssignmentState(**{**usual, **values})


def assigned(state, numbers=None, *, seed=1, size=12):
    """Return all batches of one annotator, in the order in which they come."""
    numbers, begun, batches = numbers or BatchNumbers(), None, []
    while (batch := next_batch(state, numbers, seed=seed, begun=begun, size=size)) is not None:
        batches.append(batch)
        left = state.eligible.copy()
        left[batch.items] = False
        state, numbers = replace(state, eligible=left), numbers.after(batch.number)
        begun = batch.query if batch.kind == "finish" else None
    return batches


def where(*items):
    found = np.zeros(ITEMS, dtype=bool)
    found[list(items)] = True
    return found


def test_odd_numbers_finish_the_first_unfinished_query_in_the_drawn_order():
    batch = next_batch(state_of(), BatchNumbers(), seed=1)

    assert (batch.number, batch.kind, batch.query) == (1, "finish", 1)
    closed = state_of(unfinished=np.array([True, False, True, True]))
    assert next_batch(closed, BatchNumbers(), seed=1).query == 3


def test_even_numbers_take_the_query_of_the_highest_priority_and_its_best_first():
    batch = next_batch(state_of(), BatchNumbers(odd=3), seed=1)

    assert (batch.number, batch.kind, batch.query) == (2, "front", 0)
    assert set(range(8)) <= set(batch.items.tolist()), "two thirds by priority"
    rest = set(batch.items.tolist()) - set(range(8))
    assert len(rest) == 4
    others = {
        tuple(
            sorted(set(next_batch(state_of(), BatchNumbers(odd=3), seed=seed).items.tolist()) - set(range(8)))
        )
        for seed in range(20)
    }
    assert len(others) > 10, "the others at random"


def test_the_parts_of_a_question_follow_one_another_and_even_numbers_make_up_for_it():
    batches = assigned(state_of())

    assert [batch.number for batch in batches[:4]] == [1, 3, 5, 2]
    assert [batch.query for batch in batches[:3]] == [1, 1, 1]
    assert sorted(batch.number for batch in batches) == sorted({batch.number for batch in batches})
    for batch in batches:
        assert batch.kind == ("finish" if batch.number % 2 else "front")


def test_a_finishing_batch_says_nothing_of_ranks():
    slots = np.zeros(EACH)
    for seed in range(300):
        slots[next_batch(state_of(), BatchNumbers(), seed=seed).items - EACH] += 1

    # Each of thirty items has a chance of 12 in 30: 120 times, give or take 5 standard errors.
    assert abs(slots - 120).max() < 5 * np.sqrt(300 * 0.4 * 0.6)


def rank_by_part(batches, kinds):
    """Return, over the queries, how parts of these kinds and the mean ranks of their answers go together: -1 to 1."""
    parts, ranks = [], []
    for query in range(QUERIES):
        mine = [batch for batch in batches if batch.query == query and batch.kind in kinds]
        means = [float(np.mean(batch.items % EACH)) for batch in mine if len(batch.items) == 6]
        parts += list(np.arange(len(means)) - (len(means) - 1) / 2)
        ranks += list(np.array(means) - np.mean(means)) if means else []
    return float(np.dot(parts, ranks) / (np.linalg.norm(parts) * np.linalg.norm(ranks)))


def test_the_number_of_a_part_and_the_ranks_of_its_answers_have_nothing_to_do_with_each_other():
    several = [assigned(state_of(), seed=seed, size=6) for seed in range(150)]

    numbered = np.array([rank_by_part(batches, {"finish"}) for batches in several])
    all_of_them = np.array([rank_by_part(batches, {"finish", "front"}) for batches in several])

    assert abs(numbered.mean()) < 3 * numbered.std() / np.sqrt(len(several))
    # With those that were chosen by priority among them, the number would tell.
    assert abs(all_of_them.mean()) > 10 * all_of_them.std() / np.sqrt(len(several))


def test_what_a_number_asks_for_and_is_not_there_gives_way_to_priority():
    batch = next_batch(state_of(unfinished=np.zeros(QUERIES, dtype=bool)), BatchNumbers(), seed=1)

    assert (batch.number, batch.kind, batch.query) == (1, "front", 0)


def test_every_tenth_takes_what_has_waited_longest_over_fourteen_days():
    waited = np.where(where(77), 15.0, np.where(where(3, 40), 14.5, 0.0))
    numbers = BatchNumbers(odd=11, even=10)

    batch = next_batch(state_of(waited=waited), numbers, seed=1)
    assert (batch.kind, batch.query, 77 in batch.items) == ("waiting", 2, True)
    assert next_batch(state_of(waited=waited / 2), numbers, seed=1).kind == "front"
    assert next_batch(state_of(waited=waited), BatchNumbers(odd=11, even=8), seed=1).kind == "front"
    rated = np.where(where(77), RATED, UNTOUCHED)
    assert next_batch(state_of(waited=waited, touched=rated), numbers, seed=1).query != 2


def test_requests_come_first_in_the_order_asked_and_query_by_query_in_the_drawn_order():
    requested = np.where(where(95, 5, 6), 1, np.where(where(40), 0, NO_REQUEST))

    batches = assigned(state_of(requested=requested))

    assert [(batch.kind, batch.query) for batch in batches[:3]] == [
        ("requested", 1),
        ("requested", 3),
        ("requested", 0),
    ]
    assert 40 in batches[0].items
    assert {5, 6} <= set(batches[2].items.tolist())
    assert len(batches[0].items) == 12, "filled up from the same question"
    assert [batch.number for batch in batches[:3]] == [1, 2, 3]


def test_a_requested_answer_that_somebody_has_in_hand_keeps_nobody_else():
    requested = np.where(where(40), 0, NO_REQUEST)
    held = np.where(where(40), HELD, UNTOUCHED)

    assert next_batch(state_of(requested=requested, touched=held), BatchNumbers(), seed=1).kind == "finish"


def test_second_ratings_only_fill_up_while_an_answer_has_none():
    touched = np.where(np.arange(ITEMS) < 115, RATED, UNTOUCHED)

    first, second, *_ = assigned(state_of(touched=touched))

    assert first.query == 3
    assert set(range(115, 120)) <= set(first.items.tolist()), "what has no rating comes first"
    assert len(first.items) == 12
    assert second.items.max() < 115


def test_what_others_have_in_hand_comes_before_a_second_rating():
    touched = np.where(np.arange(ITEMS) == 100, HELD, RATED)

    assert 100 in next_batch(state_of(touched=touched), BatchNumbers(), seed=1).items


def test_plain_random_order_takes_any_query_and_no_turns_but_requests():
    place = np.random.default_rng(3).permutation(ITEMS)
    state = state_of(is_random=True, place=place)

    batches = assigned(state)
    assert {batch.kind for batch in batches} == {"random"}
    assert batches[0].query == place.argmin() // EACH
    assert [batch.number for batch in batches] == list(range(1, len(batches) + 1))
    asked = replace(state, requested=np.where(where(40), 0, NO_REQUEST))
    assert next_batch(asked, BatchNumbers(), seed=1).kind == "requested"


def test_nothing_left_is_no_batch():
    assert next_batch(state_of(eligible=np.zeros(ITEMS, dtype=bool)), BatchNumbers(), seed=1) is None


@given(st.integers(0, 2**32), st.booleans(), st.lists(st.integers(0, ITEMS - 1), max_size=20))
def test_every_item_comes_once_in_batches_of_one_query(seed, is_random, asked):
    requested = np.full(ITEMS, NO_REQUEST)
    requested[asked] = 0
    batches = assigned(state_of(is_random=is_random, requested=requested), seed=seed)

    items = np.concatenate([batch.items for batch in batches])
    assert sorted(items.tolist()) == list(range(ITEMS))
    for batch in batches:
        assert 1 <= len(batch.items) <= 12
        assert set((batch.items // EACH).tolist()) == {batch.query}
    again = assigned(state_of(is_random=is_random, requested=requested), seed=seed)
    assert [batch.items.tolist() for batch in batches] == [batch.items.tolist() for batch in again]


@pytest.mark.parametrize(
    ("numbers", "number"), [(BatchNumbers(), 1), (BatchNumbers(odd=3), 2), (BatchNumbers(7, 4), 4)]
)
def test_the_smaller_free_number_is_next(numbers, number):
    assert numbers.next == number
    assert numbers.after(number).next > numbers.next


def test_the_queries_that_come_next_are_those_of_the_next_batches_each_once():
    state, numbers, expected = state_of(), BatchNumbers(), []
    while (batch := next_batch(state, numbers, seed=1)) is not None:
        expected.append(batch.query)
        state = replace(state, eligible=state.eligible & (state.query != batch.query))
        numbers = numbers.after(batch.number)

    assert next_queries(state_of(), BatchNumbers(), most=3) == expected[:3]
    assert next_queries(state_of(), BatchNumbers(), most=99) == expected


def kinds_in_turn(people, state):
    """Return the kinds of each person's batches, who take turns and rate all they get."""
    kinds = dict.fromkeys(range(people), "")
    numbers, begun, turn = BatchNumbers(), dict.fromkeys(kinds), 0
    while (batch := next_batch(state, numbers, seed=1, begun=begun[turn % people], size=EACH)) is not None:
        kinds[turn % people] += "f" if batch.kind == "finish" else "."
        begun[turn % people] = batch.query if batch.kind == "finish" else None
        state = replace(state, eligible=state.eligible & (state.query != batch.query))
        numbers, turn = numbers.after(batch.number), turn + 1
    return list(kinds.values())


def many_queries(queries=24):
    item = np.arange(queries * EACH)
    few = {
        name: np.resize(value, len(item)) for name, value in vars(state_of()).items() if name != "is_random"
    }
    query = item // EACH
    whole = {"query": query, "key": item, "place": item, "drawn": np.arange(queries)[::-1].copy()}
    return AssignmentState(**{**few, **whole, "unfinished": np.ones(queries, dtype=bool)})


@pytest.mark.parametrize("people", [1, 2, 3, 4])
def test_people_who_take_turns_all_get_both_kinds_and_every_second_batch_finishes(people):
    kinds = kinds_in_turn(people, many_queries())

    for own in kinds:
        assert abs(own.count("f") - own.count(".")) <= 1, kinds
    in_order = "".join(kinds[turn % people][turn // people] for turn in range(24))
    for upto in range(25):
        assert abs(in_order[:upto].count("f") - in_order[:upto].count(".")) <= 1


def test_the_turns_of_batches_that_were_given_back_come_again():
    lapsed = BatchNumbers(odd=11, even=2, given_back=5)

    batches = assigned(state_of(), lapsed)

    assert [batch.number for batch in batches[:7]] == [11, 13, 15, 2, 4, 6, 17]
    assert len({batch.query for batch in batches[:3]}) == 1, "all parts of one question"
    assert BatchNumbers(odd=3, even=12, given_back=-5).next == 12
