import numpy as np

from app.scoring.speed import hasty_flags


def flagged(ms, grade=None):
    grades = np.arange(len(ms)) % 3 if grade is None else np.array(grade)
    return np.flatnonzero(hasty_flags(np.array(ms), grades)).tolist()


def test_under_one_and_a_half_seconds_is_too_fast_and_no_time_is_no_time():
    assert flagged([1_499, 1_500, 0]) == [0]


def test_far_below_the_own_pace_is_too_fast_from_ten_times_on():
    pace = [20_000, 22_000, 18_000, 25_000, 16_000, 20_000, 21_000, 19_000, 23_000]

    assert flagged([*pace, 4_000]) == [9]
    assert flagged([*pace[:8], 4_000]) == []
    # The same four seconds are no haste for somebody whose times vary that much.
    assert flagged([2_000, 90_000, 5_000, 60_000, 3_000, 40_000, 8_000, 20_000, 12_000, 4_000]) == []


def test_somebody_who_always_takes_the_same_time_has_no_spread_to_fall_out_of():
    assert flagged([9_000] * 12 + [3_000]) == []


def test_ten_equal_grades_in_a_row_are_too_fast_only_if_they_are_fast():
    assert flagged([1_900] * 10, [2] * 10) == list(range(10))
    assert flagged([1_900] * 9, [2] * 9) == []
    assert flagged([2_000] * 10, [2] * 10) == []
    assert flagged([1_900] * 11, [2] * 5 + [1] + [2] * 5) == []
    # What was not timed in between neither breaks nor joins the stretch.
    assert flagged([1_900] * 5 + [0] + [1_900] * 5, [2] * 5 + [0] + [2] * 5) == [
        0,
        1,
        2,
        3,
        4,
        6,
        7,
        8,
        9,
        10,
    ]
