import re

import pytest

from app.web.charts.lines import sparkline


@pytest.mark.parametrize("values", [[], [70], [None, 70, None]])
def test_one_value_has_no_direction(values):
    assert sparkline(values, 1) is None


def test_a_rise_goes_up():
    drawn = sparkline([60, 70, 80], 1)

    assert drawn.paths == ["M8 40L100 24L192 8"]


def test_a_wobble_stays_small():
    drawn = sparkline([70, 71], 1)

    heights = [float(y) for y in re.findall(r" (\d+\.?\d*)", drawn.paths[0])]
    assert abs(heights[0] - heights[1]) < 4


def test_a_gap_stays_a_gap():
    drawn = sparkline([60, 61, None, 70, 71], 2)

    assert len(drawn.paths) == 2


def test_the_mark_stands_at_the_newest_value():
    drawn = sparkline([60, 70, None], 1)

    assert drawn.mark.startswith("M100 ")
