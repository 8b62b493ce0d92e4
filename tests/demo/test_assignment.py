"""Who rates what, and when."""

from __future__ import annotations

from itertools import chain

import pytest

from app.demo.annotators import JOONAS, PRIYA
from app.demo.assignment import BATCH_SIZE, LEFT_TO_RATE, batches_of, followed_by_week, opened_by_week

POOLS = [
    [(f"q{query:02d}", f"w{week}-{answer}") for query in range(24) for answer in range(size)]
    for week, size in enumerate((9, 1, 1, 1, 1, 0, 1, 0))
]


def test_amara_rates_all_but_twelve_answers_each_once():
    opened = list(chain(*opened_by_week(POOLS)))

    pool = set(chain(*POOLS))
    assert len(opened) == len(set(opened)) == len(pool) - LEFT_TO_RATE
    assert set(opened) < pool


def test_amara_rates_an_answer_only_when_it_is_in_the_pool():
    known = set()
    for pool, opened in zip(POOLS, opened_by_week(POOLS), strict=True):
        known |= set(pool)
        assert set(opened) <= known


def test_few_questions_are_begun_at_first_so_that_it_is_too_early_to_say():
    first, second = opened_by_week(POOLS)[:2]

    assert len({query_id for query_id, _ in first}) < 10
    assert {query_id for query_id, _ in first} < {query_id for query_id, _ in [*first, *second]}


@pytest.mark.parametrize("annotator", [JOONAS, PRIYA], ids=lambda annotator: annotator.name)
def test_others_rate_their_share_of_the_pool_after_amara_and_after_they_joined(annotator):
    opened = opened_by_week(POOLS)
    opened_in = {pair: week for week, pairs in enumerate(opened, start=1) for pair in pairs}

    followed = followed_by_week(annotator, opened)

    assert len(list(chain(*followed))) == round(annotator.coverage * len(list(chain(*POOLS))))
    for week, pairs in enumerate(followed, start=1):
        assert not pairs or week >= annotator.since
        assert all(opened_in[pair] <= week for pair in pairs)


def test_a_batch_holds_one_question_and_at_most_twelve_answers():
    pairs = [("q1", f"d{number}") for number in range(14)] + [("q2", "d1")]

    batches = batches_of(JOONAS, 3, pairs)

    assert [(batch.query_id, len(batch.doc_ids)) for batch in batches] == [
        ("q1", BATCH_SIZE),
        ("q1", 2),
        ("q2", 1),
    ]
    assert {(b.query_id, doc_id) for b in batches for doc_id in b.doc_ids} == set(pairs)


def test_answers_are_shuffled_differently_for_each_annotator():
    pairs = [("q1", f"d{number:02d}") for number in range(12)]

    orders = {batches_of(annotator, 5, pairs)[0].doc_ids for annotator in (JOONAS, PRIYA)}

    assert len(orders) == 2
    assert tuple(doc_id for _, doc_id in pairs) not in orders
