import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.charts.axes import Axis, Frame, axis_of, gap_axis, number_text

scores = st.floats(min_value=0, max_value=100, allow_nan=False)


@given(st.lists(scores, min_size=1))
def test_an_axis_holds_every_value_and_stays_within_its_bounds(values):
    axis = axis_of(values, within=(0, 100))

    assert axis.low <= min(values) + 1e-9
    assert axis.high >= max(values) - 1e-9
    assert axis.low >= -1e-9
    assert axis.high <= 100 + 1e-9
    assert 2 <= len(axis.values) <= 7


def test_an_axis_takes_the_finest_step_that_needs_few_ticks():
    axis = axis_of([57.5, 81.2], within=(0, 100))

    assert axis == Axis(50, 90, 10)


def test_equal_values_do_not_collapse_the_axis():
    axis = axis_of([44, 44], within=(0, 100))

    assert axis.low < 44 < axis.high


@given(st.lists(st.floats(min_value=-1_000_000, max_value=1_000_000), min_size=1))
def test_no_value_breaks_an_axis(values):
    axis = axis_of(values, within=(0, 100))

    assert axis.low < axis.high
    assert axis.low - 1e-9 <= min(values) <= max(values) <= axis.high + 1e-9
    assert all(0 <= axis.percent(value) <= 100 for value in values)
    assert len(axis.values) <= 7


def test_sums_of_gains_have_a_scale_of_their_own():
    assert axis_of([300, 1100], within=(0, 100)) == Axis(200, 1200, 200)


def test_no_value_gives_the_whole_scale():
    assert axis_of([], within=(0, 100)) == Axis(0, 100, 20)


@given(st.lists(st.integers(-10_000, 10_000).map(lambda hundredths: hundredths / 100)))
def test_axes_of_gaps_hold_zero_and_every_value_on_round_ticks(values):
    axis = gap_axis(values)

    assert axis.step in {2, 5, 10, 20, 50}
    assert axis.low <= min([0, *values])
    assert max([0, *values]) <= axis.high
    assert axis.low < axis.high
    assert 0 in axis.values


def test_ticks_of_gaps_have_their_signs():
    axis = gap_axis([-27, 10])

    assert axis == Axis(-30, 10, 10)
    assert [tick.text for tick in axis.signed_ticks] == ["−30", "−20", "−10", "0", "+10"]


@pytest.mark.parametrize(("value", "percent"), [(50, 0), (75, 50), (100, 100), (40, 0), (120, 100)])
def test_percent_keeps_values_at_the_ends(value, percent):
    assert Axis(50, 100, 10).percent(value) == percent


def test_ticks_stand_at_percentages():
    ticks = Axis(50, 100, 25).ticks

    assert [(tick.at, tick.text) for tick in ticks] == [(0, "50"), (50, "75"), (100, "100")]


def test_a_lone_place_stands_in_the_middle():
    frame = Frame(left=20, right=40, top=0, bottom=100, first=3, last=3, axis=Axis(0, 10, 5))

    assert frame.x(3) == 30


def test_bigger_values_stand_higher():
    frame = Frame(left=0, right=100, top=10, bottom=110, first=0, last=1, axis=Axis(0, 10, 5))

    assert frame.y(10) == 10
    assert frame.y(0) == 110


def test_negative_ticks_have_a_real_minus():
    assert number_text(-20.0) == "−20"
    assert number_text(math.pi) == "3.14159"
