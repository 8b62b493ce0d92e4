from app.web.charts.lines import Point, Series, last_point_of, segments_of


def test_a_gap_stops_the_line():
    points = [Point(1, 70, "a"), Point(2, None, "b"), Point(3, 71, "c"), Point(4, 72, "d")]

    segments = segments_of(points)

    assert [[point.x for point in segment] for segment in segments] == [[1], [3, 4]]


def test_points_of_different_rulers_are_never_joined():
    points = [Point(1, 70, "a", fingerprint="x"), Point(2, 71, "b", fingerprint="y")]

    assert len(segments_of(points)) == 2


def test_a_return_to_an_old_ruler_is_not_joined_across_the_other():
    points = [Point(x, 70, str(x), fingerprint=ruler) for x, ruler in enumerate("aabba")]

    assert [len(segment) for segment in segments_of(points)] == [2, 2, 1]


def test_the_newest_value_passes_over_gaps():
    series = Series("Blend", 1, [Point(1, 70, "a"), Point(2, None, "b")])

    assert last_point_of(series) == Point(1, 70, "a")
    assert last_point_of(Series("Silent", 2)) is None
