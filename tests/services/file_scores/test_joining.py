"""Pairs are matched by their full ids, also where their hashes meet."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.words import HASH_BITS, words_of
from app.services.file_scores.joining import KnownPairs, numbered

IDS = st.sampled_from([f"d{n}" for n in range(12)] + ["a-document-of-another-length"])
PAIRS = st.lists(st.tuples(st.integers(0, 3), IDS), max_size=20)


def keyed(pairs, bits):
    """Return keys and ids of pairs; few bits make different documents share a key."""
    words = words_of([document for _, document in pairs])
    query = np.array([query for query, _ in pairs], dtype=np.uint64)
    return (query << HASH_BITS) | (words.hashes() & ((1 << bits) - 1)), words


@given(PAIRS.map(lambda pairs: list(dict.fromkeys(pairs))), PAIRS, st.sampled_from([0, 1, 2, HASH_BITS]))
def test_each_pair_is_found_at_its_place_or_not_at_all(known, asked, bits):
    found = KnownPairs(*keyed(known, bits)).places_of(*keyed(asked, bits))

    assert found.tolist() == [known.index(pair) if pair in known else -1 for pair in asked]


@given(PAIRS.map(lambda pairs: list(dict.fromkeys(pairs))), PAIRS)
def test_a_table_that_is_too_small_for_all_pairs_finds_the_same(known, asked):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("app.services.file_scores.joining.MOST_BITS", 1)
        found = KnownPairs(*keyed(known, HASH_BITS)).places_of(*keyed(asked, HASH_BITS))

    assert found.tolist() == [known.index(pair) if pair in known else -1 for pair in asked]


@given(st.lists(PAIRS, max_size=3), st.sampled_from([0, 1, 2, HASH_BITS]))
def test_equal_pairs_of_all_runs_get_one_number(runs, bits):
    everything = [pair for run in runs for pair in run]
    keys, words = zip(*(keyed(run, bits) for run in runs), strict=True) if runs else ((), ())

    number, query = numbered(keys, words)

    assert len(query) == len(set(everything))
    assert len(set(zip(number.tolist(), everything, strict=True))) == len(set(everything))
    assert [query[n] for n in number] == [pair[0] for pair in everything]


@pytest.mark.parametrize("bits", [1, HASH_BITS])
def test_nothing_is_found_among_nothing(bits):
    assert KnownPairs(*keyed([], bits)).places_of(*keyed([(0, "d1")], bits)).tolist() == [-1]
