from app.web.charts.axes import Axis
from app.web.charts.intervals import gap_bar, reference_ring

AXIS = Axis(-30, 10, 10)


def test_a_bar_runs_from_the_low_to_the_high_end_beside_the_zero_line():
    drawn = gap_bar(-10, -20, -5, AXIS, "10 points behind Full text")

    assert (drawn.dot, drawn.start, drawn.width, drawn.zero) == (50, 25, 37.5, 75)
    assert drawn.label == "10 points behind Full text"
    assert not drawn.is_reference


def test_the_reference_is_a_ring_at_zero():
    drawn = reference_ring(AXIS, "Full text is what the others are compared with")

    assert drawn.is_reference
    assert drawn.dot == drawn.zero == 75


def test_a_bar_never_leaves_its_scale():
    drawn = gap_bar(5, -40, 30, AXIS, "")

    assert (drawn.start, drawn.start + drawn.width) == (0, 100)
