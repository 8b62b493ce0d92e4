import numpy as np
import pytest

from app.scoring.gains import gain_table, pair_table, stop_table


def test_linear_gain_starts_at_zero_on_every_scale():
    assert gain_table(0, 3).tolist() == [0, 1, 2, 3]
    assert gain_table(1, 5).tolist() == [0, 1, 2, 3, 4]


def test_exponential_gain_doubles_and_starts_at_zero():
    assert gain_table(0, 3, "exponential").tolist() == [0, 1, 3, 7]
    assert gain_table(1, 5, "exponential").tolist() == [0, 1, 3, 7, 15]


def test_raw_gain_is_the_grade_itself():
    assert gain_table(1, 5, "raw").tolist() == [1, 2, 3, 4, 5]


def test_two_grades_are_worth_the_mean_of_both_gains_not_the_gain_of_the_middle():
    pairs = pair_table(gain_table(0, 3, "exponential"))

    assert pairs[0, 3] == 3.5
    assert pairs[1, 2] == 2.0
    assert np.diag(pairs).tolist() == [0, 1, 3, 7]


def test_the_chance_to_stop_is_below_one_and_the_same_on_stars_and_on_grades_from_zero():
    assert stop_table(0, 4).tolist() == [0, 1 / 16, 3 / 16, 7 / 16, 15 / 16]
    assert stop_table(1, 5).tolist() == stop_table(0, 4).tolist()


@pytest.mark.parametrize(
    ("lowest", "highest", "kind", "message"),
    [
        (3, 0, "linear", "below the lowest"),
        (-1, 3, "raw", "0 or more"),
        (0, 3, "cubic", "linear, exponential, raw"),
    ],
)
def test_a_scale_or_gain_that_makes_no_sense_is_refused_with_its_remedy(lowest, highest, kind, message):
    with pytest.raises(ValueError, match=message):
        gain_table(lowest, highest, kind)
