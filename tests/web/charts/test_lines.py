import itertools
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.web.charts.axes import shape_at
from app.web.charts.line_chart import line_chart
from app.web.charts.lines import ChartNote, Point, Series

values = st.one_of(st.none(), st.floats(min_value=0, max_value=100, allow_nan=False))
series = st.builds(
    lambda ys, mark, focused: Series(
        f"Ranker {mark}",
        mark,
        [
            Point(x, y, f"Week {x}", None if y is None else y - 5, None if y is None else y + 5)
            for x, y in enumerate(ys)
        ],
        focused,
    ),
    st.lists(values, max_size=60),
    st.integers(min_value=0, max_value=40),
    st.booleans(),
)


def weekly(name, mark, *ys, focused=False):
    return Series(name, mark, [Point(x, y, f"Week {x + 1}") for x, y in enumerate(ys)], focused)


def numbers_in(path):
    return [float(number) for number in re.findall(r"-?\d+\.?\d*", path)]


@given(st.lists(series, max_size=12))
def test_nothing_is_drawn_outside_the_view_box(drawn):
    chart = line_chart(drawn)

    for line in chart.lines:
        for path in line.paths + line.bands:
            coordinates = numbers_in(path)
            assert all(0 <= x <= chart.width for x in coordinates[::2])
            assert all(0 <= y <= chart.height for y in coordinates[1::2])


def test_the_line_in_focus_is_drawn_last_and_alone_has_a_band():
    blend = Series("Blend", 1, [Point(0, 80, "a", 75, 85), Point(1, 81, "b", 77, 85)], focused=True)
    other = Series("Other", 2, [Point(0, 70, "a", 60, 80), Point(1, 71, "b", 61, 81)])

    chart = line_chart([blend, other])

    assert [line.name for line in chart.lines] == ["Other", "Blend"]
    assert [len(line.bands) for line in chart.lines] == [0, 1]


def test_a_single_point_has_a_mark_but_no_line():
    chart = line_chart([weekly("Only", 1, 44)])

    assert chart.lines[0].paths == []
    assert len(chart.lines[0].marks) == 1


def test_a_gap_leaves_two_stretches_and_keeps_its_column():
    chart = line_chart([weekly("Blend", 1, 70, 71, None, 72, 73)])

    assert len(chart.lines[0].paths) == 2
    assert chart.lines[0].ys[2] is None
    assert len(chart.columns) == 5


def test_crowded_marks_are_thinned_but_both_ends_stay():
    chart = line_chart([weekly("Blend", 1, *range(100))])

    marks = chart.lines[0].marks
    places = [numbers_in(mark)[0] for mark in marks]
    assert len(marks) < 60
    assert places[0] == chart.columns[0]
    assert places[-1] == chart.columns[-1]
    assert all(later - earlier >= 11 for earlier, later in itertools.pairwise(places))


def test_grey_rankers_have_one_mark_and_a_name_where_few_are_drawn():
    chart = line_chart([weekly("Ninth", 9, 40, 41, 42)])

    assert [(label.text, label.now) for label in chart.labels] == [("Ninth", "42.0")]
    assert chart.lines[0].tone == 0
    assert len(chart.lines[0].marks) == 1


def test_of_many_lines_only_those_with_a_colour_or_in_focus_are_named():
    many = [weekly(f"R{mark}", mark, mark, mark, focused=mark == 20) for mark in range(1, 31)]

    assert [label.text.split()[0] for label in line_chart(many).labels] == [
        *(f"R{mark}" for mark in range(1, 9)),
        "R20",
    ]


def test_names_at_the_line_ends_do_not_cover_each_other():
    chart = line_chart([weekly(f"Ranker {mark}", mark, 70, 70 + mark / 10) for mark in range(1, 9)])

    heights = sorted(label.y for label in chart.labels)
    assert len(heights) == 8
    assert all(later - earlier >= 13.9 for earlier, later in itertools.pairwise(heights))


def test_names_fit_between_their_line_and_the_edge():
    chart = line_chart([weekly("A very long ranker name that goes on and on", 1, 70, 71)])

    label = chart.labels[0]
    assert label.text == "A very long…on and on"
    assert label.x + 6.9 * len(f"{label.text} {label.now}") <= chart.width


def test_events_outside_the_points_widen_the_chart():
    chart = line_chart([weekly("Blend", 1, 70, 71)], [ChartNote(1, 5, "Guidelines")])

    assert chart.events[0] > chart.columns[-1]


@pytest.mark.parametrize("width", [760, 340])
def test_axis_words_stay_inside(width):
    chart = line_chart([weekly("Blend", 1, *[70] * 12)], width=width, labelled=False)

    assert chart.x_ticks
    assert all(
        tick.at - 3 * len(tick.text) >= 0 and tick.at + 3 * len(tick.text) <= width for tick in chart.x_ticks
    )


def test_a_chart_without_series_still_has_its_scale():
    chart = line_chart([])

    assert [tick.text for tick in chart.y_ticks] == ["0", "20", "40", "60", "80", "100"]
    assert chart.lines == []


@pytest.mark.parametrize("width", [760, 340])
def test_axis_words_moved_inside_do_not_run_into_their_neighbours(width):
    days = [Point(day, 70.0, f"{day + 1} September 2026, 19:14") for day in range(40)]
    ticks = line_chart([Series("Blend", 1, days)], width=width, labelled=False).x_ticks

    for one, after in itertools.pairwise(ticks):
        assert after.at - one.at >= 6.9 * (len(one.text) + len(after.text)) / 2


def test_weeks_are_named_once_and_numbered_after_that():
    chart = line_chart([weekly("Blend", 1, 70, 71, 72)])

    assert [tick.text for tick in chart.x_ticks] == ["Week 1", "2", "3"]


def test_a_target_is_inside_the_scale_and_named():
    chart = line_chart([weekly("Blend", 1, 70, 71)], goal=85)

    assert float(chart.y_ticks[-1].text) >= 85
    assert chart.goal.text == "Target 85"
    assert chart.goal.y < min(chart.lines[0].ys)


def test_new_versions_stand_on_coloured_lines_and_their_names_never_overlap():
    def line(mark, y):
        points = [Point(x, y, f"{x}", note=f"v{x + 1}", begins=10 * mark + x if x else 0) for x in range(40)]
        return Series(f"R{mark}", mark, points, focused=mark == 1)

    chart = line_chart([line(1, 70), line(2, 70.2), line(9, 60)])

    begins = {one.name: len(one.begins) for one in chart.lines}
    assert begins == {"R1": 39, "R2": 39, "R9": 0}
    assert chart.told
    for one, other in itertools.combinations(chart.told, 2):
        assert abs(one.x - other.x) >= 6.9 * 2 or abs(one.y - other.y) >= 13


def test_the_name_of_a_version_does_not_hide_behind_the_next_point():
    points = [Point(x, y, f"{x}", note=f"v{x}", begins=x) for x, y in enumerate((50, 68, 69))]
    early = Series("Blend", 1, [*points, Point(100, 69, "100")])

    assert [one.text for one in line_chart([early]).told] == ["v2"]


def test_a_ring_stands_at_its_own_place_and_value_and_within_the_drawing():
    one = Series("Blend", 1, [Point(0, 60, "a"), Point(10, 80, "b")], stands=True, rings=[(4, 80), (12, 60)])

    chart = line_chart([one])
    line = chart.lines[0]

    places = [place for place, _ in line.rings]
    assert [y for _, y in places] == [line.ys[1], line.ys[0]]
    assert chart.columns[0] < places[0][0] < chart.columns[1] < places[1][0] <= chart.right
    # The marked point is drawn again, above those of other lines.
    assert [shape for _, shape in line.rings] == [shape_at(1, *place) for place in places]


def test_every_shape_of_a_version_is_a_point_that_can_be_a_link():
    def line(mark, y):
        points = [
            Point(x, y, f"{x}", note=f"v{x + 1}", begins=x if x == 3 else 0, run=x + 1) for x in range(8)
        ]
        return Series(f"R{mark}", mark, points)

    for one in line_chart([line(1, 70), line(9, 60)]).lines:
        assert {point.shape for point in [*one.others, *one.begins]} == set(one.marks)
        assert len(one.others) + len(one.begins) == len(one.marks) > 0
