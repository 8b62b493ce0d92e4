import numpy as np
import pytest

from app.scoring.order_blocks import blocks_of, shuffled_sums
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
    shown, leaked = (order_proof_of(*blocks(leak=leak)) for leak in (0.0, 0.4))

    assert shown.is_inside is True
    assert shown.answers == BLOCKS * LENGTH
    assert leaked.is_inside is False
    assert leaked.correlation > 0.3 > leaked.high


def test_the_correlation_is_that_of_what_is_centred_in_its_block():
    rank, place, block = blocks()

    def centred(values):
        return values - (np.bincount(block, weights=values) / np.bincount(block))[block]

    found = order_proof_of(rank, place, block)

    assert found.correlation == pytest.approx(np.corrcoef(centred(rank), centred(place))[0, 1])


def test_bands_hold_what_they_promise():
    inside = [order_proof_of(*blocks(seed)).is_inside for seed in range(300)]

    assert np.mean(inside) == pytest.approx(0.95, abs=0.04)


@pytest.mark.thorough
@pytest.mark.parametrize("level", [0.95, 0.995])
def test_the_band_is_that_of_many_drawn_orders(level):
    """Blocks of one length and of several, with more answers of the run in some than in others."""
    rank, place, block = blocks()
    kept = np.random.default_rng(9).random(len(rank)) < 0.7
    for rows in (np.arange(len(rank)), np.flatnonzero(kept)):
        found = order_proof_of(rank[rows], place[rows], block[rows], level=level)
        grouped = blocks_of(rank[rows].astype(float), place[rows], block[rows])
        spread = sum(np.square(g.values - g.values.mean(axis=1, keepdims=True)).sum() for g in grouped.groups)
        drawn = shuffled_sums(grouped, seed=1, shuffles=20_000).line / np.sqrt(grouped.squares * spread)

        assert [found.low, found.high] == pytest.approx(
            np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]), rel=0.05
        )


def test_too_few_answers_and_equal_ranks_prove_nothing():
    rank, place, block = blocks()

    few = order_proof_of(rank[:96], place[:96], block[:96])
    flat = order_proof_of(np.ones_like(rank), place, block)

    assert (few.correlation, few.is_inside, few.answers) == (None, None, 96)
    assert (flat.correlation, flat.is_inside) == (None, None)
