"""The five words about a pair, each at its edges."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from app.scoring.verdict import (
    LEAST_QUERIES,
    PairSample,
    is_provisional,
    may_be_final,
    paired_p,
    samples_of,
    verdicts_of,
)

numbers = st.lists(st.floats(-1, 1, allow_subnormal=False), max_size=30)
ahead = np.array([0.1, 0.2, 0.05, 0.0, 0.1, 0.15, 0.1, 0.2, -0.05, 0.1, 0.1, 0.05])
level = np.array([0.2, -0.2] * 6)
close = np.array([0.01, -0.01] * 6)
slight = np.array([0.3, -0.2, 0.25, -0.2] * 3)


def sample_of(differences, *, finished):
    row = np.asarray(differences, dtype=float)[None]
    return samples_of(row, np.ones(row.shape, dtype=bool), [finished])[0]


def verdict(values, *, n=None, finished=True, family=1, final=None):
    """Return the verdict on differences of which the first n are the sample."""
    row = np.asarray(values, dtype=float)[None]
    sample = sample_of(values[:n], finished=finished)
    return verdicts_of(row, np.ones(row.shape, dtype=bool), [sample], family=family, final=[final])[0]


def test_below_ten_scored_queries_it_is_too_early_whatever_else_holds():
    found = verdict(np.full(9, 0.5), final=0.001)

    assert (found.word, found.ahead, found.early) == ("too early", 0, True)


def test_without_a_query_there_is_no_number():
    found = verdict(np.array([]))

    assert (found.word, found.interval.mean, found.concentration, found.to_add) == (
        "too early",
        None,
        None,
        None,
    )


@pytest.mark.parametrize(
    ("final", "word"), [(0.04, "sure"), (0.0401, "probably better"), (None, "probably better")]
)
def test_the_final_test_makes_it_sure_up_to_four_percent(final, word):
    found = verdict(ahead, final=final)

    assert (found.word, found.ahead) == (word, 1)


def test_the_early_test_makes_it_sure_before_the_pair_is_finished():
    clear = np.full(14, 0.5)

    assert verdict(clear, finished=False, family=1).word == "sure"
    # e of the sample is about 400: enough for one pair, not for thirty.
    assert verdict(np.full(14, 0.25), finished=False, family=1).early
    assert not verdict(np.full(14, 0.25), finished=False, family=30).early


def test_from_a_sample_with_too_few_judgments_nothing_is_concluded():
    row = np.full((1, 30), 0.6) + np.linspace(0, 0.1, 30)
    words = []
    for share in (1.0, 0.95, 0.94):
        samples = samples_of(row, row > 0, [True], [share])
        words.append(verdicts_of(row, row > 0, samples, family=1, final=[None])[0].word)

    assert words == ["sure", "sure", "not sure yet"]


def test_the_one_behind_is_surely_worse():
    found = verdict(-ahead, final=0.001)

    assert (found.word, found.ahead) == ("sure", -1)


@pytest.mark.parametrize("final", [0.001, None])
def test_a_sample_that_points_the_other_way_than_all_questions_names_nobody(final):
    values = np.concatenate([np.full(12, 0.4), np.full(12, -0.6)])

    found = verdict(values, n=12, finished=False, final=final)

    assert found.early
    assert (found.word, found.ahead) == ("not sure yet", 0)


def test_a_sure_sample_that_all_questions_do_not_bear_out_is_not_sure():
    """The first 15 are clear, the other 45 say nothing: the mean is positive, and its interval holds 0."""
    values = np.concatenate([np.tile([0.5, 0.45, 0.55], 5), np.tile([0.6, -0.7, 0.58, -0.7, 0.0], 9)])

    found = verdict(values, n=15, finished=False)

    assert found.early
    assert found.interval.low < 0 < found.interval.mean
    assert (found.word, found.ahead) == ("not sure yet", 0)


@given(first=numbers, rest=numbers)
def test_rating_the_rest_as_it_is_counted_now_never_takes_a_winner_away(first, rest):
    """Declared complete, unrated answers count as they did: only the sample grows to all questions."""
    values = np.array([*first, *rest])
    before = verdict(values, n=len(first), finished=False)
    after = verdict(values)

    if before.ahead:
        assert after.word in {"sure", "probably better"}
        assert after.ahead == before.ahead


def test_probably_needs_ten_queries_in_the_sample():
    values = np.concatenate([ahead, ahead])

    assert verdict(values, n=10, finished=False).word == "probably better"
    assert verdict(values, n=9, finished=False).word == "not sure yet"


def test_probably_goes_up_to_ten_percent_of_the_t_test():
    base = np.array([1.0, -1.0] * 10)
    # The mean that gives P = .10 exactly, a little more and a little less.
    error = base.std(ddof=1) / math.sqrt(20)
    for factor, word in ((1.001, "probably better"), (0.999, "not sure yet")):
        mean = stats.t.ppf(0.95, 19) * error * factor
        assert verdict((base + mean) / 3).word == word


def test_a_finished_pair_within_five_points_is_too_close_to_call():
    assert verdict(close).word == "too close to call"
    assert verdict(close, finished=False).word == "not sure yet"
    assert verdict(level).word == "not sure yet"


def test_the_interval_may_reach_five_points_and_no_further():
    half = stats.t.ppf(0.975, 11) * close.std(ddof=1) / math.sqrt(12)

    assert verdict(close * (0.0499 / half)).word == "too close to call"
    assert verdict(close * (0.0501 / half)).word == "not sure yet"


def test_equal_means_name_nobody_even_if_a_test_were_to_hold():
    found = verdict(level, final=0.001)

    assert (found.ahead, found.leads) == (0, 0)
    assert found.word == "not sure yet"


def test_equal_scores_everywhere_are_too_close_to_call():
    assert verdict(np.zeros(12)).word == "too close to call"


@pytest.mark.parametrize(
    ("n", "judged", "finished", "complete", "final"),
    [
        (10, (0.95, 0.95), True, False, True),
        (9, (1.0, 1.0), True, False, False),
        (10, (0.9499, 1.0), True, False, False),
        (10, (1.0, 0.9499), True, False, False),
        (10, (1.0, 1.0), False, False, False),
        (10, (0.1, 0.1), True, True, True),
    ],
)
def test_the_final_test_is_for_finished_pairs_that_are_judged(n, judged, finished, complete, final):
    assert may_be_final(n, judged, finished=finished, complete=complete) is final


@given(numbers)
def test_the_other_way_round_everything_turns(values):
    d = np.array(values)
    there, back = verdict(d, final=0.03), verdict(-d, final=0.03)

    turned = there.turned()
    assert (turned.word, turned.ahead, turned.leads) == (back.word, back.ahead, back.leads)
    assert turned.interval == back.interval
    assert turned.sample.mean == back.sample.mean


@given(st.lists(st.floats(-1, 1, allow_subnormal=False), min_size=2, max_size=30))
def test_the_t_test_is_scipys(values):
    d = np.array(values)
    if d.std(ddof=1) < 1e-6:
        return
    expected = stats.ttest_1samp(d, 0).pvalue

    assert paired_p(float(d.mean()), float(d.std(ddof=1)), len(d)) == pytest.approx(expected, abs=1e-9)


def test_a_constant_gap_leaves_no_doubt_and_no_gap_leaves_all():
    assert paired_p(0.2, 0.0, 5) == 0
    assert paired_p(0.0, 0.0, 5) == 1
    assert paired_p(0.2, 0.0, 1) is None


@pytest.mark.parametrize(
    ("d", "share"),
    [([0.6, 0.2, 0.2], 0.6), ([-0.6, -0.2, -0.2], 0.6), ([0.6, -0.3], 2.0), ([0.3, -0.3], None), ([], None)],
)
def test_the_concentration_is_the_share_of_the_most_favourable_query(d, share):
    found = verdict(np.array(d)).concentration

    assert found is None if share is None else found == pytest.approx(share)


def test_nothing_but_the_sample_is_tested():
    values = np.concatenate([level, np.full(12, 0.9)])

    found = verdict(values, n=12, finished=False)

    assert found.sample == sample_of(level, finished=False)
    assert (found.word, found.leads) == ("not sure yet", 1)


def test_a_sample_holds_its_numbers():
    assert sample_of([], finished=True) == PairSample(0, None, None, 0.0, finished=True)
    found = sample_of(ahead, finished=False)
    assert (found.n, found.finished) == (12, False)
    assert found.e_value == pytest.approx(math.exp(found.log_e))
    assert found.mean == pytest.approx(ahead.mean())


def test_more_questions_are_named_where_a_number_helps():
    assert verdict(slight).to_add is not None
    assert verdict(close).to_add is None, "five points would have shown by now"
    assert LEAST_QUERIES == 10


@pytest.mark.parametrize(
    ("weight", "width", "complete", "provisional"),
    [(0.95, 0.05, False, False), (0.949, 0, False, True), (1, 0.051, False, True), (0, 1, True, False)],
)
def test_a_score_is_provisional_while_much_is_missing(weight, width, complete, provisional):
    assert is_provisional(weight, width, complete=complete) is provisional
