"""What is said about the choices is what the engine does."""

import math

import pytest

from app.scoring.discounts import DISCOUNTS, discounts
from app.scoring.gains import GAINS, gain_table
from app.scoring.measures.choices import DISCOUNT_CHOICES, GAIN_CHOICES, IDEAL_CHOICES, UNJUDGED_CHOICES
from app.scoring.ruler import IDEALS, UNJUDGED


@pytest.mark.parametrize(
    ("said", "known"),
    [
        (GAIN_CHOICES, GAINS),
        (DISCOUNT_CHOICES, DISCOUNTS),
        (IDEAL_CHOICES, IDEALS),
        (UNJUDGED_CHOICES, UNJUDGED),
    ],
)
def test_every_choice_that_the_engine_knows_is_said_once(said, known):
    assert tuple(choice.name for choice in said) == known


def worked_out(formula, **values):
    known = {"log2": math.log2, "log_b": math.log2, "b": 2, **values}
    one, _, other = formula.replace("^", "**").partition(", else ")
    if other:
        value, _, condition = one.partition(" for ")
        one = value if eval(condition, known) else other
    return eval(one, known)


@pytest.mark.parametrize("choice", GAIN_CHOICES, ids=lambda choice: choice.name)
def test_the_formula_of_a_gain_gives_the_gain(choice):
    expected = [worked_out(choice.formula, g=grade, lowest=1) for grade in range(1, 6)]

    assert gain_table(1, 5, choice.name).tolist() == expected


@pytest.mark.parametrize("choice", DISCOUNT_CHOICES, ids=lambda choice: choice.name)
def test_the_formula_of_a_discount_gives_the_discount(choice):
    expected = [worked_out(choice.formula, i=rank) for rank in range(1, 12)]

    assert discounts(choice.name, 11).weights.tolist() == pytest.approx(expected, rel=1e-14)
