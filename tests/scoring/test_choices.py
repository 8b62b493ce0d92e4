"""What is said about the choices is what the engine does."""

import math

import pytest

from app.scoring.choices import (
    CONSENSUS_CHOICES,
    CONSENSUS_RULES,
    DISCOUNT_CHOICES,
    DISCOUNTS,
    FILE_IDEALS,
    FILE_UNJUDGED,
    GAIN_CHOICES,
    GAINS,
    IDEAL_CHOICES,
    IDEALS,
    PROJECT_IDEALS,
    UNJUDGED,
    UNJUDGED_CHOICES,
    choice_of,
)
from app.scoring.discounts import discounts
from app.scoring.gains import gain_table


@pytest.mark.parametrize(
    ("message", "known"),
    [
        (GAIN_CHOICES, GAINS),
        (DISCOUNT_CHOICES, DISCOUNTS),
        (IDEAL_CHOICES, IDEALS),
        (UNJUDGED_CHOICES, UNJUDGED),
        (CONSENSUS_CHOICES, CONSENSUS_RULES),
    ],
)
def test_every_choice_that_the_engine_knows_is_said_once(message, known):
    assert tuple(choice.name for choice in message) == known


def test_projects_and_files_choose_among_what_the_engine_knows():
    assert set(FILE_IDEALS) == set(IDEALS) - {"pool"}
    assert set(FILE_UNJUDGED) == set(UNJUDGED) - {"complete"}
    assert set(PROJECT_IDEALS) == set(IDEALS) - {"maximum"}


def test_a_scale_that_begins_with_0_needs_no_lowest_grade_in_the_head_of_a_column():
    linear = choice_of(GAIN_CHOICES, "linear")

    assert (linear.column_head(0), linear.column_head(1)) == ("grade", "grade − 1")


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
