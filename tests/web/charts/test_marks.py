from app.web.charts.marks import shape_at, tone_of


def test_only_eight_rankers_have_a_colour():
    assert [tone_of(mark) for mark in (0, 1, 8, 9, -1)] == [0, 1, 8, 0, 0]


def test_the_first_four_and_the_grey_mark_have_shapes_of_their_own():
    assert len({shape_at(mark, 10, 20) for mark in range(5)}) == 5


def test_five_to_eight_repeat_the_shapes_as_outlines():
    assert [shape_at(mark, 1, 2) for mark in range(5, 9)] == [shape_at(mark, 1, 2) for mark in range(1, 5)]
