"""Ids as words: equal ids are equal rows with equal hashes, and come back as they were."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.formats.words import HASH_BITS, joined, words_of
from tests.formats.made import IDS

COLUMNS = st.lists(IDS, min_size=1, max_size=12)


@given(COLUMNS)
def test_ids_come_back_as_they_were(ids):
    words = words_of(ids)

    assert words.texts(range(len(ids))) == ids
    assert [words[line] for line in range(len(ids))] == ids


@given(IDS, COLUMNS)
def test_the_hash_of_an_id_does_not_depend_on_the_ids_beside_it(one, others):
    alone, among = words_of([one]), words_of([*others, one, "a-rather-long-id-to-widen-the-column"])

    assert alone.hashes()[0] == among.hashes()[len(others)]
    assert alone.hashes()[0] < 1 << HASH_BITS


@given(COLUMNS, st.data())
def test_two_columns_are_the_same_where_their_ids_are(ids, data):
    others = data.draw(st.lists(st.sampled_from([*ids, "x", "xx" * 9]), min_size=len(ids), max_size=len(ids)))

    same = words_of(ids).same_as(words_of(others))

    assert same.tolist() == [a == b for a, b in zip(ids, others, strict=True)]


@given(st.lists(COLUMNS, max_size=4))
def test_columns_joined_hold_all_ids_in_their_order(columns):
    everything = [one for column in columns for one in column]

    assert joined([words_of(column) for column in columns]).texts(range(len(everything))) == everything


def test_hashes_spread_numbered_ids_without_meeting():
    words = words_of([f"d{number}" for number in range(200_000)])

    # 2 * 10**10 pairs in 10**12 places: a handful of meetings, not thousands.
    assert len(np.unique(words.hashes())) > 200_000 - 20
