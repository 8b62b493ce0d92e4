import re

import pytest

from app.web.charts.bars import Difference, difference_bars, difference_outlines, share_bar


def drawn(*points):
    questions = [Difference(f"q{number}", value, f"/q/{number}") for number, value in enumerate(points)]
    return difference_bars(questions, "Blend", "Full text")


def test_bars_go_up_from_the_largest_loss_to_the_largest_win():
    chart = drawn(-5, 20, 0, 7)

    assert [bar.kind for bar in chart.bars] == ["loss", "tie", "win", "win"]
    assert [bar.label for bar in chart.bars] == [
        "q0: Full text better by 5",
        "q2: the same",
        "q3: Blend better by 7",
        "q1: Blend better by 20",
    ]
    places = [bar.x for bar in chart.bars]
    assert places == sorted(places)


def test_a_single_question_is_a_bar_and_not_a_block():
    (bar,) = drawn(37).bars

    assert bar.width < 60
    assert bar.x + bar.width / 2 == pytest.approx((38 + 1100) / 2)


def test_wins_stand_on_zero_and_losses_hang_from_it():
    loss, win = drawn(20, -20).bars

    assert win.y + win.height == pytest.approx(loss.y)


def test_the_smallest_difference_is_still_a_bar():
    loss, win = drawn(0.01, -0.01).bars

    assert win.height == loss.height == 2
    assert win.y + win.height == loss.y
    assert win.label == "q0: Blend better by less than 1"


def test_each_bar_leads_to_its_question():
    assert drawn(3).bars[0].url == "/q/0"


def test_very_many_bars_are_one_shape_for_each_kind():
    chart = difference_outlines([-1.0, 50.0, 25.0, 0.0, 25.0], width=1038, height=132)

    assert chart.bars == []
    assert [kind for kind, _ in chart.outlines] == ["loss", "tie", "win"]
    loss, tie, win = (path for _, path in chart.outlines)
    zero = f"{chart.zero:g}"
    assert loss.startswith(f"M38 {zero}V")
    assert loss.endswith(f"H238V{zero}z")
    assert tie.startswith("M238 ")
    assert re.match(rf"M438 {zero}V[\d.]+H838V", win)
    assert win.endswith(f"H1038V{zero}z")
    assert win.count("H") == 2  # both questions at 25 share a step


@pytest.mark.thorough
def test_the_shape_does_not_grow_with_the_number_of_questions():
    def length(count):
        points = [100 * (1 - 2 * number / count) for number in range(count)]
        return sum(len(path) for _, path in difference_outlines(points).outlines)

    assert length(100_000) < 1.1 * length(5_000) < 12_000


def test_shares_fill_the_bar():
    parts = share_bar(17, 9, 10)

    assert [kind for kind, _, _ in parts] == ["loss", "tie", "win"]
    assert parts[-1][1] + parts[-1][2] == pytest.approx(100, abs=0.02)


def test_an_empty_share_takes_no_room():
    assert share_bar(3, 0, 0) == [("win", 0.0, 100.0)]
    assert share_bar(0, 0, 0) == []
