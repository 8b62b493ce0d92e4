import math

import numpy as np
import pytest

from app.scoring.choices import DISCOUNTS
from app.scoring.discounts import discounts


def test_log2_divides_by_the_logarithm_of_the_rank_plus_one():
    log2 = discounts("log2", 3)

    assert log2.divisors.tolist() == [1.0, math.log2(3), 2.0]
    assert log2.weights.tolist() == [1.0, 1 / math.log2(3), 0.5]


def test_the_original_discount_leaves_ranks_below_its_base_alone():
    assert discounts("original-2002", 4).weights.tolist() == [1, 1, 1 / math.log2(3), 0.5]
    assert discounts("original-2002", 4, 3).weights.tolist()[:3] == [1, 1, 1]


def test_the_reciprocal_discount_is_one_over_the_rank():
    assert discounts("reciprocal", 4).weights.tolist() == [1, 1 / 2, 1 / 3, 1 / 4]


@pytest.mark.parametrize("kind", DISCOUNTS)
def test_no_discount_ever_rises(kind):
    assert (np.diff(discounts(kind, 200, 2.5).weights) <= 0).all()


@pytest.mark.parametrize("kind", DISCOUNTS)
def test_one_rank_or_many_at_once_are_paid_the_same_bits(kind):
    gains, paid = np.random.default_rng(1).random(50), discounts(kind, 50)

    together = paid.contributions(gains)
    one_by_one = [paid.contribution(gains[rank : rank + 1], rank)[0] for rank in range(50)]
    picked = paid.contributions_at(gains[[3, 40]], np.array([3, 40]))

    assert together.tolist() == one_by_one
    assert picked.tolist() == together[[3, 40]].tolist()


def test_a_cut_discount_is_the_same_at_the_ranks_left():
    log2 = discounts("log2", 9)

    assert log2.cut(4).depth == 4
    assert log2.cut(4).weights.tolist() == discounts("log2", 4).weights.tolist()


@pytest.mark.parametrize(
    ("kind", "depth", "base", "message"),
    [
        ("log10", 5, 2, "log2, original-2002, reciprocal"),
        ("log2", -1, 2, "-1"),
        ("original-2002", 5, 1, "above 1"),
    ],
)
def test_an_impossible_discount_is_refused(kind, depth, base, message):
    with pytest.raises(ValueError, match=message):
        discounts(kind, depth, base)
