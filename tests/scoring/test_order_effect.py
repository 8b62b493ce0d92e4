import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from app.scoring.order_blocks import blocks_of, shuffled_sums, sums_of
from app.scoring.order_effect import Shown, order_effect_of, residuals_of


def shown_ratings(*, annotators=10, batches=10, length=12, slope=0.0, bend=0.0, carry=0.0, seed=1, items=600):
    """Return ratings of shuffled batches in which places move grades by a known amount."""
    generator = np.random.default_rng(seed)
    size = annotators * batches * length
    true = generator.integers(0, 4, items)
    item = np.concatenate([generator.permutation(items)[: batches * length] for _ in range(annotators)])
    place = np.tile(np.arange(1, length + 1), annotators * batches)
    centred = (place - (length + 1) / 2) / (length - 1)
    noise = generator.normal(0, 0.6, size)
    noise[1:] += carry * np.where(place[1:] > 1, noise[:-1], 0)
    grade = true[item] + noise + slope * centred + bend * centred**2
    block = np.repeat(np.arange(annotators * batches), length)
    return Shown(np.repeat(np.arange(annotators), batches * length), item, block, place, grade)


def test_a_planted_slope_is_found_with_its_size():
    found = order_effect_of(shown_ratings(slope=0.4), seed=1, shuffles=999)

    assert found.finding == "effect found"
    assert found.slope_p == 1 / 1000
    assert found.low < 0.4 < found.high
    assert (found.ratings, found.blocks, found.annotators, found.length) == (1200, 100, 10, 12)


def test_a_planted_curve_and_a_planted_carry_over_are_each_found_as_what_they_are():
    bent = order_effect_of(shown_ratings(bend=1.5), seed=1, shuffles=999)
    carried = order_effect_of(shown_ratings(carry=0.5), seed=1, shuffles=999)

    assert bent.curvature_p <= 0.01 < bent.slope_p
    assert carried.carry_over_p <= 0.01 < carried.slope_p


def test_without_an_effect_many_ratings_rule_out_a_large_one():
    found = order_effect_of(shown_ratings(batches=30, items=400, seed=2), seed=1, shuffles=999)

    assert found.finding == "no larger effect"
    assert -0.15 <= found.low < found.high <= 0.15


def test_the_margin_decides_what_can_be_ruled_out():
    ratings = shown_ratings(batches=4)

    narrow = order_effect_of(ratings, seed=1, shuffles=999, margin=0.05)
    wide = order_effect_of(ratings, seed=1, shuffles=999, margin=0.6)

    assert (narrow.finding, wide.finding) == ("not enough ratings", "no larger effect")


@pytest.mark.parametrize(("annotators", "batches", "length"), [(4, 4, 12), (9, 2, 12)])
def test_few_ratings_or_few_blocks_find_nothing_however_strong(annotators, batches, length):
    ratings = shown_ratings(annotators=annotators, batches=batches, length=length, slope=3)

    found = order_effect_of(ratings, seed=1, shuffles=99)

    assert found.finding == "not enough ratings"
    assert found.slope_p <= 0.05


def test_without_a_batch_of_two_there_is_no_number():
    ratings = shown_ratings(length=2)

    alone = order_effect_of(replace(ratings, block=np.arange(len(ratings.item))), seed=1)

    assert (alone.finding, alone.effect, alone.slope_p, alone.ratings) == (
        "not enough ratings",
        None,
        None,
        0,
    )


@pytest.mark.thorough
def test_type_one_error_of_the_slope_is_near_five_percent():
    seeds = range(300)
    p = [
        order_effect_of(shown_ratings(batches=2, items=60, seed=s), seed=1000 + s, shuffles=99).slope_p
        for s in seeds
    ]

    # 300 draws at 5% stay within 4 standard errors of .05.
    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.051)
    assert np.mean(np.array(p) <= 0.5) == pytest.approx(0.5, abs=0.116)


@pytest.mark.thorough
def test_type_one_error_of_the_carry_over_is_near_five_percent_though_its_centre_is_below_zero():
    seeds = range(300)
    p = [
        order_effect_of(shown_ratings(batches=2, items=60, seed=s), seed=1000 + s, shuffles=99).carry_over_p
        for s in seeds
    ]

    assert np.mean(np.array(p) <= 0.05) == pytest.approx(0.05, abs=0.051)


def test_a_residual_is_taken_from_the_others_and_else_from_the_block():
    ratings = Shown(
        annotator=np.array([0, 1, 2, 0, 0]),
        item=np.array([7, 7, 7, 8, 9]),
        block=np.array([4, 5, -1, 4, 4]),
        place=np.array([1, 1, 0, 2, 3]),
        grade=np.array([3.0, 1.0, 2.0, 2.0, 1.0]),
    )

    assert residuals_of(ratings).tolist() == [1.5, -1.5, 0.0, 0.0, -1.0]


def test_imported_ratings_serve_as_others_and_have_no_place():
    ratings = shown_ratings(batches=2)
    imported = replace(ratings, block=np.where(ratings.annotator == 9, -1, ratings.block))

    assert order_effect_of(imported, seed=1, shuffles=9).ratings == 9 * 24


def test_below_eight_annotators_the_spread_of_the_shuffles_makes_the_interval():
    few = order_effect_of(shown_ratings(annotators=7, items=130), seed=1, shuffles=999)
    many = order_effect_of(shown_ratings(annotators=8, items=130), seed=1, shuffles=999)

    for found in (few, many):
        assert found.low < found.effect < found.high
        assert found.high - found.low == pytest.approx(0.26, abs=0.1)


def test_of_few_annotators_the_interval_is_1_96_spreads_of_the_shuffled_slopes_either_way():
    ratings = shown_ratings(annotators=7, batches=3, slope=0.2)
    blocks = blocks_of(residuals_of(ratings), ratings.place, ratings.block)
    spread = shuffled_sums(blocks, seed=4, shuffles=99).line.std(ddof=1) / (21 * 143)

    found = order_effect_of(ratings, seed=4, shuffles=99)

    # Twelve places have squares of 143 in all around their middle; the effect is over eleven steps.
    assert (found.high - found.effect) / 11 == pytest.approx(1.96 * spread)
    assert (found.effect - found.low) / 11 == pytest.approx(1.96 * spread)


def test_the_interval_over_annotators_is_the_cluster_robust_one():
    ratings = shown_ratings(batches=3, slope=0.2)
    e, p = residuals_of(ratings), ratings.place - 6.5
    slope = (e * p).sum() / (p * p).sum()
    sums = [(p * (e - slope * p))[ratings.annotator == a].sum() for a in range(10)]
    error = np.sqrt(10 / 9 * np.square(sums).sum()) / (p * p).sum()

    found = order_effect_of(ratings, seed=1, shuffles=9)

    half = stats.t.ppf(0.975, 9) * error
    assert found.effect == pytest.approx(slope * 11)
    assert found.low == pytest.approx((slope - half) * 11)
    assert found.high == pytest.approx((slope + half) * 11)


def test_shuffled_sums_are_those_of_the_possible_orders_equally_often():
    values, place, block = (
        np.array([1.0, 2.0, 4.0, 7.0, 5.0]),
        np.array([1, 3, 4, 1, 2]),
        np.array([0, 0, 0, 1, 1]),
    )
    blocks = blocks_of(values, place, block)
    possible = []
    for first in itertools.permutations([1.0, 2.0, 4.0]):
        for second in ([7.0, 5.0], [5.0, 7.0]):
            order = np.array([*first, *second])
            line = order[:3] @ (place[:3] - 8 / 3) + order[3:] @ (place[3:] - 1.5)
            x, y = order[[0, 1, 3]], order[[1, 2, 4]]
            possible.append((round(line, 6), round(np.corrcoef(x, y)[0, 1], 6)))

    drawn = shuffled_sums(blocks, seed=1, shuffles=6000)

    found = list(zip(drawn.line.round(6).tolist(), drawn.lag(3).round(6).tolist(), strict=True))
    assert set(found) == set(possible)
    counts = np.array([found.count(order) for order in set(possible)])
    assert ((counts - 500) ** 2 / 500).sum() < 40
    assert (round(sums_of(blocks).line[0], 6), round(sums_of(blocks).lag(3)[0], 6)) == possible[0]


def test_a_bend_is_centred_in_its_block_and_ratings_in_any_order_give_the_same_numbers():
    ratings = shown_ratings(batches=2, bend=1)
    stirred = np.random.default_rng(3).permutation(len(ratings.item))
    other = Shown(
        *(getattr(ratings, name)[stirred] for name in ("annotator", "item", "block", "place", "grade"))
    )

    first, second = (order_effect_of(each, seed=5, shuffles=99) for each in (ratings, other))

    assert first.effect == pytest.approx(second.effect, abs=1e-12)
    assert (first.slope_p, first.curvature_p) == (second.slope_p, second.curvature_p)
