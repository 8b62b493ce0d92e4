import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.pool import lists_in, pool_of, union_of

RUNS = st.integers(0, 2**32 - 1).map(
    lambda seed: np.stack(
        [
            np.stack([np.random.default_rng([seed, run, q]).permutation(9)[:6] for q in range(4)], axis=1)
            for run in range(3)
        ],
        axis=1,
    )
)


def pairs(pool):
    return list(zip(pool.query.tolist(), pool.document.tolist(), strict=True))


def test_a_pool_is_the_union_of_the_top_of_each_run_query_by_query():
    documents = np.array([[[4, 7], [5, 7]], [[5, -1], [1, 2]], [[9, -1], [-1, -1]]])

    assert pairs(pool_of(documents, 1)) == [(0, 4), (0, 5), (1, 7)]
    assert pairs(pool_of(documents, 2)) == [(0, 1), (0, 4), (0, 5), (1, 2), (1, 7)]
    assert pairs(pool_of(documents, 9)) == [(0, 1), (0, 4), (0, 5), (0, 9), (1, 2), (1, 7)]


def test_a_withdrawn_run_leaves_the_pool():
    documents = np.array([[[4], [5]]])

    assert pairs(pool_of(documents, 1, np.array([True, False]))) == [(0, 4)]


def test_no_runs_make_an_empty_pool():
    assert len(pool_of(np.zeros((0, 0, 3), dtype=int), 10)) == 0


@given(RUNS, st.integers(1, 6))
def test_pooling_a_run_twice_adds_nothing_and_the_order_of_runs_does_not_matter(documents, depth):
    once = pairs(pool_of(documents, depth))

    assert pairs(pool_of(np.concatenate([documents, documents[:, :1]], axis=1), depth)) == once
    assert pairs(pool_of(documents[:, ::-1], depth)) == once


@given(RUNS, st.integers(1, 5))
def test_a_deeper_pool_contains_the_shallower_one(documents, depth):
    assert set(pairs(pool_of(documents, depth))) <= set(pairs(pool_of(documents, depth + 1)))


@given(RUNS)
def test_every_document_is_found_at_the_place_of_its_pair(documents):
    items = pool_of(documents, 3)
    lists = lists_in(documents, items)

    for rank, run, query in np.ndindex(documents.shape):
        place = lists.positions[rank, run, query]
        pair = (query, documents[rank, run, query])
        assert (place == len(items)) == (pair not in pairs(items))
        assert place == len(items) or pairs(items)[place] == pair


def test_lengths_are_what_was_returned_also_beyond_the_depth():
    documents = np.array([[[1, 2]], [[3, -1]]])
    items = pool_of(documents, 1)

    assert lists_in(documents, items).lengths.tolist() == [[2, 1]]
    assert lists_in(documents, items, np.array([[50, 1]])).lengths.tolist() == [[50, 1]]


def test_a_document_met_again_further_down_keeps_its_rank_and_counts_for_nothing():
    documents = np.array([[[1]], [[2]], [[1]], [[2]], [[1]]])
    items = union_of(np.array([0, 0]), np.array([1, 2]))

    positions = lists_in(documents, items).positions[:, 0, 0]

    assert positions.tolist() == [0, 1, len(items) + 1, len(items) + 1, len(items) + 1]
