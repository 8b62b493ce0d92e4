from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.web.charts.line_chart import bubbles_of

WITHIN = (34, 656)


def test_events_far_apart_keep_their_numbers():
    bubbles = bubbles_of([(100, 1), (200, 2)], within=WITHIN)

    assert [(bubble.x, bubble.text) for bubble in bubbles] == [(100, "1"), (200, "2")]


def test_neighbours_share_a_bubble():
    bubbles = bubbles_of([(100, 1), (105, 2), (110, 3)], within=WITHIN)

    assert [(bubble.x, bubble.text) for bubble in bubbles] == [(105, "1–3")]


def test_numbers_that_do_not_follow_each_other_are_listed():
    assert bubbles_of([(100, 1), (101, 4)], within=WITHIN)[0].text == "1, 4"


def test_bubbles_stay_inside_the_chart():
    bubbles = bubbles_of([(34, 1), (656, 2)], within=WITHIN)

    assert bubbles[0].x - bubbles[0].width / 2 >= 34
    assert bubbles[1].x + bubbles[1].width / 2 <= 656


@given(
    st.lists(st.floats(min_value=34, max_value=656, allow_nan=False), max_size=30),
    st.sampled_from([(34, 656), (34, 320)]),
)
def test_no_number_hides_another(places, within):
    events = [(min(place, within[1]), number) for number, place in enumerate(sorted(places), 1)]

    bubbles = bubbles_of(events, within=within)

    for left, right in pairwise(bubbles):
        assert left.x + left.width / 2 < right.x - right.width / 2


@given(st.lists(st.floats(min_value=34, max_value=656, allow_nan=False), max_size=30))
def test_no_event_is_lost(places):
    events = [(place, number) for number, place in enumerate(sorted(places), 1)]

    bubbles = bubbles_of(events, within=WITHIN)

    named = []
    for bubble in bubbles:
        first, _, last = bubble.text.partition("–")
        named += range(int(first), int(last or first) + 1)
    assert named == [number for _, number in events]
