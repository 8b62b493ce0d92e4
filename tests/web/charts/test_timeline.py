from app.services.scores.verdict_text import printed_score, signed_gap
from app.web.charts.lines import ChartNote, Point, Series
from app.web.charts.timeline import time_chart

BLEND = Series("Blend", 1, [Point(2, 72.4, "Week 2", 68, 76), Point(3, 81.2, "Week 3", 77, 85)], focused=True)
FULL = Series("Full text", 2, [Point(1, 70, "Week 1"), Point(2, 71, "Week 2"), Point(3, 76.8, "Week 3")])


def values(row):
    return [cell.value for cell in row.cells]


def test_the_table_holds_every_value_of_the_drawing():
    chart = time_chart([BLEND, FULL])

    assert [row.label for row in chart.rows] == ["Week 1", "Week 2", "Week 3"]
    assert values(chart.rows[0]) == [None, "70.0"]
    assert values(chart.rows[2]) == ["81.2 (77.0 to 85.0)", "76.8"]
    assert len(chart.wide.columns) == len(chart.narrow.columns) == 3


def test_a_version_that_stands_is_in_every_later_row():
    first = Series(
        "Alpha", 1, [Point(1, 40, "1 May", note="v1"), Point(3, 60, "3 May", note="v2")], stands=True
    )
    second = Series(
        "Beta", 2, [Point(2, None, "2 May", note="v1"), Point(4, 50, "4 May", note="v2")], stands=True
    )

    chart = time_chart([first, second])

    assert [values(row) for row in chart.rows] == [
        ["40.0", None],
        ["40.0", None],
        ["60.0", None],
        ["60.0", "50.0"],
    ]
    assert [[cell.note for cell in row.cells] for row in chart.rows] == [
        ["v1", ""],
        ["v1", "v1"],
        ["v2", "v1"],
        ["v2", "v2"],
    ]
    assert [row.cells[1].valueless for row in chart.rows] == [False, True, True, False]
    # What is read off the drawing is what the table says.
    assert chart.wide.lines[0].ys.count(None) + chart.wide.lines[1].ys.count(None) == 3


def test_the_sentence_says_where_each_line_went():
    chart = time_chart([BLEND, FULL])

    assert chart.summary == (
        "Score over time. Blend from 72.4 (Week 2) to 81.2 (Week 3); Full text from 70.0 (Week 1) to 76.8 (Week 3)."
    )


def test_the_sentence_names_eight_and_counts_the_rest():
    chart = time_chart([Series(f"R{n}", n, [Point(1, 50, "now")]) for n in range(1, 31)])

    assert chart.summary.endswith("R8 50.0 (now); and 22 more in the table.")


def test_a_scale_that_does_not_start_at_zero_says_so():
    assert time_chart([BLEND, FULL]).starts_at == "65"
    assert time_chart([Series("Wide", 1, [Point(1, 3, "a"), Point(2, 90, "b")])]).starts_at is None


def test_the_narrow_drawing_has_a_legend_instead_of_names():
    chart = time_chart([BLEND, FULL])

    assert chart.narrow.labels == []
    assert [(head.name, head.mark, head.now) for head in chart.heads] == [
        ("Blend", 1, "81.2"),
        ("Full text", 2, "76.8"),
    ]


def test_nothing_to_show_is_said():
    chart = time_chart([], [ChartNote(1, 1, "Project made")])

    assert chart.is_empty
    assert chart.summary == "Score over time. Nothing to show yet."


def test_halves_are_rounded_as_on_every_other_page():
    reference = Series("Full text", 1, [Point(1, 58.0, "May")], reference=True)
    other = Series("Blend", 2, [Point(1, 60.5, "May", 58.5, 62.5)])

    chart = time_chart([reference, other])

    assert chart.heads[1].scores == [printed_score(0.605, 1)] == ["60.5"]
    assert chart.heads[1].gaps == [signed_gap(0.025)] == ["+3"]
    assert values(chart.rows[0]) == ["58.0", "60.5 (58.5 to 62.5)"]
    assert [label.now for label in chart.wide.labels] == ["58.0", "60.5"]


def test_a_point_with_a_link_is_drawn_once_and_one_without_keeps_its_mark():
    line = Series("Blend", 1, [Point(1, 50, "May", run=7), Point(2, 60, "June")])

    drawn = time_chart([line]).wide.lines[0]

    assert (len(drawn.marks), len(drawn.alone), len(drawn.others)) == (2, 1, 1)
