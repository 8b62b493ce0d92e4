from app.web.charts.axes import Axis, Frame
from app.web.charts.lines import Point, Series, line_of

FRAME = Frame(left=0, right=100, top=0, bottom=100, first=0, last=2, axis=Axis(0, 100, 20))
COLUMNS = [(0, "a"), (1, "b"), (2, "c")]


def test_a_line_goes_through_its_points():
    line = line_of(
        FRAME, Series("Blend", 1, [Point(0, 0, "a"), Point(1, 50, "b"), Point(2, 100, "c")]), COLUMNS
    )

    assert line.paths == ["M0 100L50 50L100 0"]
    assert line.ys == [100, 50, 0]


def test_what_stands_until_the_next_point_is_drawn_in_steps():
    points = [Point(0, 0, "a", 0, 10), Point(1, 50, "b", 40, 60)]

    line = line_of(FRAME, Series("Blend", 1, points, focused=True, stands=True), COLUMNS)

    assert line.paths == ["M0 100L50 100L50 50"]
    assert line.bands == ["M0 90L50 90L50 40L50 60L50 100L0 100z"]
    assert line.ys == [100, 50, 50]
    assert len(line.marks) == 2


def test_a_band_goes_up_and_comes_back_below():
    points = [Point(0, 50, "a", 40, 60), Point(2, 50, "c", 30, 70)]

    line = line_of(FRAME, Series("Blend", 1, points, focused=True), COLUMNS)

    assert line.bands == ["M0 40L100 30L100 70L0 60z"]


def test_the_band_of_a_lone_point_can_be_seen():
    line = line_of(FRAME, Series("Blend", 1, [Point(1, 50, "b", 40, 60)], focused=True), COLUMNS)

    assert line.bands == ["M47 40L53 40L53 60L47 60z"]


def test_a_missing_bound_interrupts_the_band():
    points = [Point(0, 50, "a", 40, 60), Point(1, 50, "b"), Point(2, 50, "c", 40, 60)]

    line = line_of(FRAME, Series("Blend", 1, points, focused=True), COLUMNS)

    assert len(line.bands) == 2


def test_a_series_without_values_draws_nothing():
    line = line_of(FRAME, Series("Silent", 9, [Point(0, None, "a")]), COLUMNS)

    assert (line.paths, line.marks, line.bands) == ([], [], [])
    assert line.ys == [None, None, None]
