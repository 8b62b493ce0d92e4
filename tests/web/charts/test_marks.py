from app.web.charts.axes import colours_among, shape_at, tone_of


def test_only_eight_rankers_have_a_colour():
    assert [tone_of(mark) for mark in (0, 1, 8, 9, -1)] == [0, 1, 8, 0, 0]


def test_the_first_four_and_the_grey_mark_have_shapes_of_their_own():
    assert len({shape_at(mark, 10, 20) for mark in range(5)}) == 5


def test_five_to_eight_repeat_the_shapes_as_outlines():
    assert [shape_at(mark, 1, 2) for mark in range(5, 9)] == [shape_at(mark, 1, 2) for mark in range(1, 5)]


def test_up_to_eight_rankers_keep_the_marks_of_their_arrival():
    assert colours_among([3, 1, 2], {1: 1, 2: 2, 3: 8}, chosen=[2]) == {3: 8, 1: 1, 2: 2}


def test_of_more_the_best_four_have_a_colour_and_no_two_the_same():
    marks = {number: number for number in range(1, 31)}
    best_first = [30, 2, 29, *range(3, 29), 1]

    tones = colours_among(best_first, marks)

    assert len({tones[ranker] for ranker in best_first[:4]} - {0}) == 4
    assert {tones[ranker] for ranker in best_first[4:]} == {0}
    assert [tones[ranker] for ranker in (2, 3)] == [2, 3]  # their own, as ever


def test_chosen_rankers_have_a_colour_too_and_the_best_keep_theirs():
    marks = {number: number for number in range(1, 31)}
    usual = colours_among(range(1, 31), marks)

    tones = colours_among(range(1, 31), marks, chosen=[20, 8, 25])

    assert [tones[ranker] for ranker in (1, 2, 3, 4)] == [usual[ranker] for ranker in (1, 2, 3, 4)]
    assert len({tones[ranker] for ranker in (1, 2, 3, 4, 8, 20, 25)} - {0}) == 7
    assert tones[8] == 8


def test_no_more_than_eight_of_the_chosen_have_a_colour():
    tones = colours_among(range(1, 31), {number: number for number in range(1, 31)}, chosen=range(11, 31))

    assert [ranker for ranker, tone in tones.items() if tone] == list(range(11, 19))
