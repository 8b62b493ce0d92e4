import pytest

from app.web.charts.intervals import gap_chart, points


def test_zero_stands_in_the_middle():
    drawn = gap_chart(4.4, -0.7, 9.4)

    assert drawn.zero == 320
    assert drawn.start < drawn.zero < drawn.dot < drawn.start + drawn.length
    assert [tick.text for tick in drawn.ticks] == ["−10", "−5", "0", "+5", "+10"]


def test_without_an_interval_there_is_no_streak():
    drawn = gap_chart(4.4, None, None)

    assert drawn.start is None
    assert drawn.length is None


def test_equal_rankers_have_a_scale_too():
    drawn = gap_chart(0, None, None, width=340)

    assert drawn.dot == drawn.zero == 170


@pytest.mark.parametrize(
    ("gap", "text"),
    [(4.4, "+4 points"), (-0.6, "−1 point"), (1.2, "+1 point"), (0.3, "less than 1 point"), (0, "0 points")],
)
def test_differences_are_said_in_whole_points(gap, text):
    assert points(gap) == text
