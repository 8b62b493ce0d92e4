import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.seeds import (
    hash_words,
    multinomial_draws,
    random_words,
    seed_of,
    seeded_order,
    shuffled_copies,
    unit_floats,
)

seeds = st.integers(0, 2**128 - 1)


def test_a_seed_depends_on_every_part_and_its_place():
    made = {seed_of("ruler", "a", "b", 20), seed_of("ruler", "b", "a", 20), seed_of("ruler", "ab", 20)}

    assert len(made) == 3
    assert seed_of("ruler", "a", "b", 20) in made


def mixed(word):
    word = (word + 0x9E3779B97F4A7C15) % 2**64
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9 % 2**64
    word = (word ^ word >> 27) * 0x94D049BB133111EB % 2**64
    return word ^ word >> 31


def test_splitmix_gives_its_published_first_words():
    assert [mixed(0), mixed(0x9E3779B97F4A7C15)] == [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4]


@given(seeds, st.lists(st.integers(0, 2**62), max_size=5))
def test_a_hash_is_two_rounds_of_splitmix(seed, keys):
    low, high = seed % 2**64, seed >> 64

    hashed = hash_words(seed, np.array(keys, dtype=np.int64)).tolist()

    assert hashed == [mixed((mixed(key ^ low) + high) % 2**64) for key in keys]


def test_the_stream_is_the_one_it_always_was():
    words = random_words(seed_of("fixed"), 2)

    assert words.tolist() == [6951337998992558198, 4720507766484117074]


@given(seeds, st.sets(st.integers(0, 10**9), min_size=1, max_size=40), st.data())
def test_removing_a_key_does_not_stir_the_order_of_the_others(seed, keys, data):
    keys = np.array(sorted(keys))
    gone = data.draw(st.sampled_from(keys.tolist()))
    rest = keys[keys != gone]

    order = keys[seeded_order(seed, keys)]

    assert order[order != gone].tolist() == rest[seeded_order(seed, rest)].tolist()


def test_hashes_of_keys_are_spread_evenly():
    floats = unit_floats(hash_words(3, np.arange(100_000)))

    counts = np.bincount((floats * 20).astype(int), minlength=20)
    assert 0 <= floats.min() < floats.max() < 1
    assert ((counts - 5000) ** 2 / 5000).sum() < 45


@given(seeds, st.integers(1, 20), st.integers(1, 4))
def test_shuffled_copies_hold_every_value_of_each_row(seed, length, copies):
    values = np.arange(2.0 * length).reshape(2, length)

    shuffled = shuffled_copies(seed, values, copies)

    assert shuffled.shape == (copies, 2, length)
    assert (np.sort(shuffled, axis=2) == values).all()


def test_shuffles_give_every_order_alike_and_are_those_they_always_were():
    shuffled = shuffled_copies(seed_of("fixed"), np.arange(3.0), 6_000)

    orders, number = np.unique(shuffled, axis=0, return_counts=True)
    assert len(orders) == 6
    # Chi-square with 5 degrees of freedom: once in a thousand.
    assert np.square(number - 1_000).sum() / 1_000 < 20.5
    assert shuffled[:4].astype(int).tolist() == [[2, 1, 0], [2, 1, 0], [2, 0, 1], [0, 2, 1]]


def test_draws_from_several_outcomes_are_those_they_always_were():
    drawn = multinomial_draws(seed_of("fixed"), 10, np.array([0.2, 0.3, 0.5]), 3)

    assert drawn.tolist() == [[2, 2, 6], [0, 5, 5], [2, 2, 6]]
