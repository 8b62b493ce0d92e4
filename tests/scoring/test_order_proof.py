import numpy as np
import pytest

from app.scoring.order_proof import order_proof_of

BLOCKS, LENGTH = 60, 8


def blocks(seed=1, *, leak=0.0):
    """Return ranks, places and blocks; `leak` of the blocks show answers in the order of the run."""
    generator = np.random.default_rng(seed)
    rank = np.concatenate([np.sort(generator.permutation(30)[:LENGTH]) for _ in range(BLOCKS)])
    place = np.concatenate(
        [
            np.arange(1, LENGTH + 1) if number < leak * BLOCKS else generator.permutation(LENGTH) + 1
            for number in range(BLOCKS)
        ]
    )
    return rank, place, np.repeat(np.arange(BLOCKS), LENGTH)


def test_a_random_order_lies_inside_its_band_and_a_leaked_one_outside():
    shown, leaked = (order_proof_of(*blocks(leak=leak), seed=1, shuffles=499) for leak in (0.0, 0.4))

    assert shown.is_inside is True
    assert shown.answers == BLOCKS * LENGTH
    assert leaked.is_inside is False
    assert leaked.correlation > 0.3 > leaked.high


def test_the_correlation_is_that_of_what_is_centred_in_its_block():
    rank, place, block = blocks()

    def centred(values):
        return values - (np.bincount(block, weights=values) / np.bincount(block))[block]

    found = order_proof_of(rank, place, block, seed=1, shuffles=99)

    assert found.correlation == pytest.approx(np.corrcoef(centred(rank), centred(place))[0, 1])


def test_bands_hold_what_they_promise():
    inside = [order_proof_of(*blocks(seed), seed=seed, shuffles=199).is_inside for seed in range(300)]

    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)


def test_too_few_answers_and_equal_ranks_prove_nothing():
    rank, place, block = blocks()

    few = order_proof_of(rank[:96], place[:96], block[:96], seed=1, shuffles=99)
    flat = order_proof_of(np.ones_like(rank), place, block, seed=1, shuffles=99)

    assert (few.correlation, few.is_inside, few.answers) == (None, None, 96)
    assert (flat.correlation, flat.is_inside) == (None, None)
