from app.web.charts import Axis, streak

AXIS = Axis(50, 100, 10)


def test_a_streak_runs_from_the_low_to_the_high_end():
    drawn = streak(81, 77, 85, AXIS)

    assert (drawn.dot, drawn.start, drawn.width) == (62, 54, 16)
    assert drawn.label == "Score 81, likely between 77 and 85"


def test_without_an_interval_only_the_dot_is_drawn():
    drawn = streak(81, None, None, AXIS)

    assert drawn.width is None
    assert drawn.label == "Score 81, too few questions to say how sure"


def test_a_streak_never_leaves_its_scale():
    drawn = streak(99, 90, 104, AXIS)

    assert drawn.start + drawn.width == 100
