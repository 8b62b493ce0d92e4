"""Ids of a file: every one once, found again by its text, in little memory."""

from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.formats.ids import Ids
from app.formats.slots import Slots

NEW = 100_000


@given(st.lists(st.text(max_size=3)))
def test_numbers_are_those_of_a_plain_dictionary(texts):
    numbers: dict[str, int] = {}
    ids = Ids()

    for text in texts:
        assert ids.find(text) == numbers.get(text)
        assert (text in ids) is (text in numbers)
        assert ids.add(text) == numbers.setdefault(text, len(numbers))

    same = Ids()
    assert list(map(same.add, numbers)) == list(numbers.values())
    assert ids == same
    same.add("longer")
    assert ids != same
    assert list(ids) == list(numbers)
    assert len(ids) == len(numbers)


def test_an_id_is_the_same_as_text_and_as_bytes_and_may_hold_any_letter():
    ids = Ids()

    for number, text in enumerate(("d", "D", "é", "日本", "a\ud800", "a\0", "a", "")):
        assert ids.add(text) == ids.add_encoded(text.encode("utf-8", "surrogatepass")) == number
        assert ids[number] == text
    assert (ids[-1], ids[1:3], 7 in ids) == ("", ["D", "é"], False)
    with pytest.raises(IndexError):
        ids[8]


@pytest.mark.thorough
def test_numbers_with_one_hash_are_all_found_however_many_there_are():
    slots = Slots()
    hashes = [-(number % 700) << 20 for number in range(3_000)]

    assert [slots.add(hashed) for hashed in hashes] == list(range(3_000))

    for hashed in (0, -1 << 20, -699 << 20):
        assert sorted(slots.with_hash(hashed)) == [at for at, each in enumerate(hashes) if each == hashed]
    assert list(slots.with_hash(1)) == []


@pytest.mark.thorough
def test_an_id_of_16_letters_takes_less_than_60_bytes():
    ids = Ids()
    tracemalloc.start()
    try:
        for number in range(NEW):
            ids.add(f"unknown-{number:08d}")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert peak / NEW < 60
