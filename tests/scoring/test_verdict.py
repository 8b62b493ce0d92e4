from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.verdict import PairLook, is_provisional, verdict_of

ahead = np.array([0.1, 0.2, 0.05, 0.0, 0.1, 0.15, 0.1, 0.2, -0.05, 0.1, 0.1, 0.05])
level = np.array([0.2, -0.2] * 6) + 0.01
look = PairLook(
    number=1,
    n=10,
    alpha=0.025,
    p=0.004,
    mean=0.09,
    low=0.03,
    high=0.15,
    bounds=(0.02, 0.2),
    weight_judged=(0.99, 0.97),
    complete=False,
    mean_today=0.08,
)
numbers = st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=30)


def test_below_ten_scored_queries_it_is_too_early_whatever_else_holds():
    verdict = verdict_of(ahead[:9], expected=0.1, certificate=(1.0, 2.0), unjudged=3, looks=[look])

    assert (verdict.word, verdict.ahead, verdict.look) == ("too early", 0, None)
    assert verdict.interval.n == 9


def test_without_a_query_there_is_no_number():
    verdict = verdict_of([])

    assert verdict.word == "too early"
    assert (verdict.interval.mean, verdict.error, verdict.outlook) == (None, None, None)


def test_an_earned_look_is_sure_and_keeps_its_n():
    verdict = verdict_of(ahead, expected=-1, looks=[look], walked=10)

    assert (verdict.word, verdict.ahead) == ("sure", 1)
    assert verdict.look.n == 10


@pytest.mark.parametrize(
    "changed",
    [
        {"p": 0.026},
        {"low": -0.01},
        {"low": None, "high": None},
        {"mean_today": -0.001},
        {"mean_today": 0.0},
        {"weight_judged": (0.99, 0.94), "bounds": (-0.01, 0.2)},
    ],
)
def test_a_look_that_misses_one_condition_is_not_sure(changed):
    verdict = verdict_of(ahead, expected=0.1, looks=[replace(look, **changed)])

    assert verdict.word == "leaning"


@pytest.mark.parametrize(
    "changed",
    [{"bounds": (0.001, 0.2)}, {"complete": True}, {"weight_judged": (0.95, 0.95)}],
)
def test_one_guard_against_missing_ratings_is_enough(changed):
    shaky = replace(look, weight_judged=(0.5, 0.5), bounds=(-0.1, 0.2))

    assert not shaky.is_sure
    assert replace(shaky, **changed).is_sure


def test_a_look_can_be_sure_of_the_first_ranker():
    turned = replace(look, mean=-0.09, low=-0.15, high=-0.03, mean_today=-0.08, bounds=(-0.2, -0.02))

    assert verdict_of(-ahead, looks=[turned]).ahead == -1
    assert replace(turned, weight_judged=(0.1, 0.1)).is_sure


def test_the_newest_sure_look_is_the_one_that_counts():
    newer = replace(look, number=2, n=20)
    lost = replace(look, number=3, n=40, p=0.9)

    assert verdict_of(ahead, looks=[look, newer, lost]).look.n == 20


def test_a_certificate_settles_it_while_something_is_unjudged():
    assert verdict_of(level, certificate=(0.1, 3.0), unjudged=4).word == "settled"
    assert verdict_of(level, certificate=(-3.0, -0.1), unjudged=4).ahead == -1
    assert verdict_of(level, certificate=(0.1, 3.0), unjudged=0).word == "not sure yet"
    assert verdict_of(level, certificate=(0.0, 3.0), unjudged=4).word == "not sure yet"
    assert verdict_of(level, certificate=(0.1, 3.0), unjudged=4, complete=True).word == "not sure yet"


def test_leaning_needs_a_standard_error_and_the_estimate_on_its_side():
    assert verdict_of(ahead, expected=0.02).word == "leaning"
    assert verdict_of(-ahead, expected=-0.02).ahead == -1
    assert verdict_of(ahead, expected=-0.02).word == "not sure yet"
    assert verdict_of(ahead, expected=0.0).word == "not sure yet"
    assert verdict_of(ahead).word == "not sure yet"
    assert verdict_of(level, expected=0.02).word == "not sure yet"


def test_under_complete_grades_leaning_needs_no_estimate():
    verdict = verdict_of(ahead, complete=True, provisional=True)

    assert verdict.word == "leaning"
    assert verdict.tags == ("grades declared complete",)


def test_identical_rankers_lean_nowhere():
    verdict = verdict_of(np.zeros(50), expected=0.0)

    assert (verdict.word, verdict.ahead) == ("not sure yet", 0)
    assert verdict.outlook.too_close


def test_a_provisional_score_is_tagged():
    assert verdict_of(ahead, expected=0.1, provisional=True).tags == ("provisional",)
    assert verdict_of(ahead, expected=0.1).tags == ()


@pytest.mark.parametrize(
    ("weight", "width", "provisional"),
    [(0.95, 0.05, False), (0.949, 0.0, True), (1.0, 0.051, True), (1.0, 0.0, False)],
)
def test_a_score_is_provisional_while_too_much_is_missing(weight, width, provisional):
    assert is_provisional(weight, width) is provisional
    assert not is_provisional(weight, width, complete=True)


@given(numbers, st.floats(-1, 1), st.booleans(), st.integers(0, 5))
def test_turning_the_pair_round_turns_the_verdict_round(values, expected, complete, unjudged):
    values = np.array(values)
    sums = (values.sum() - 1, values.sum() + 1)

    one = verdict_of(values, expected=expected, certificate=sums, unjudged=unjudged, complete=complete)
    other = verdict_of(
        -values, expected=-expected, certificate=(-sums[1], -sums[0]), unjudged=unjudged, complete=complete
    )

    assert (one.word, one.ahead) == (other.word, -other.ahead)
    assert one.error == other.error
    assert one.outlook == other.outlook


@given(numbers)
def test_a_word_that_names_somebody_names_the_one_with_the_larger_mean(values):
    verdict = verdict_of(values, complete=True)

    assert verdict.ahead == 0 or verdict.ahead * verdict.interval.mean > 0
    assert (verdict.ahead == 0) == (verdict.word in {"too early", "not sure yet"})


def test_a_certificate_of_mere_rounding_settles_nothing():
    assert verdict_of(level, certificate=(1e-17, 3.0), unjudged=4).word == "not sure yet"
    assert verdict_of(level, certificate=(-3.0, -1e-17), unjudged=4).word == "not sure yet"
