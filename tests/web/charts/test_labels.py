from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.web.charts.axes import readable, shorten, shorten_middle, spread

places = st.lists(st.floats(min_value=0, max_value=300, allow_nan=False), max_size=40)


@given(places)
def test_labels_are_kept_apart_in_order_and_inside(values):
    moved = spread(values, gap=14, low=30, high=300)

    gap = min(14, 270 / max(1, len(values) - 1))
    from_top = [after for _, after in sorted(zip(values, moved, strict=True))]
    assert all(later - earlier >= gap - 0.11 for earlier, later in pairwise(from_top))
    assert all(29.9 <= place <= 300.1 for place in moved)


def test_labels_that_are_free_stay_where_they_are():
    assert spread([200, 50, 100], gap=14, low=0, high=300) == [200, 50, 100]


def test_two_labels_at_the_foot_are_pushed_up():
    assert spread([299, 298], gap=14, low=0, high=300) == [300, 286]


def test_no_labels_are_no_trouble():
    assert spread([], gap=14, low=0, high=300) == []


def test_axis_labels_that_would_touch_are_left_out():
    kept = readable([(0, "Week 1"), (20, "Week 2"), (100, "Week 3")])

    assert kept == [(0, "Week 1"), (100, "Week 3")]


def test_a_label_is_not_said_twice_in_a_row():
    kept = readable([(0, "3 Nov"), (200, "3 Nov"), (400, "4 Nov")])

    assert kept == [(0, "3 Nov"), (400, "4 Nov")]


def test_long_names_end_in_an_ellipsis():
    assert shorten("Topic match", 22) == "Topic match"
    assert shorten("A very long ranker name", 8) == "A very…"


def test_names_that_begin_alike_differ_when_they_are_cut_in_the_middle():
    names = [f"Dense retriever, fine-tuned, temperature {number}" for number in (1, 2)]
    cut = [shorten_middle(name, 22) for name in names]
    assert len(set(cut)) == 2
    assert all(name.startswith("Dense") for name in cut)
    assert max(map(len, cut)) <= 22
