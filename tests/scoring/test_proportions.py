import math

import pytest

from app.scoring.proportions import highest_share, wilson_interval


def test_the_ends_solve_the_equation_that_defines_them():
    """At an end p the observed share lies z standard errors of p away."""
    for successes, trials in [(3, 10), (0, 12), (7, 7), (55, 80)]:
        share = successes / trials
        for end in wilson_interval(successes, trials):
            if 0 < end < 1:
                assert abs(share - end) == pytest.approx(
                    1.959964 * (end * (1 - end) / trials) ** 0.5, abs=1e-6
                )


def test_without_trials_everything_is_possible():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    assert wilson_interval(5, 5)[1] == pytest.approx(1.0)


def test_impossible_counts_are_refused():
    with pytest.raises(ValueError, match="not possible"):
        wilson_interval(3, 2)


@pytest.mark.parametrize("trials", [1, 5, 30, 100])
def test_the_highest_share_without_a_success_is_the_rule_of_three_done_exactly(trials):
    assert highest_share(0, trials) == pytest.approx(1 - 0.05 ** (1 / trials), abs=1e-15)
    assert highest_share(trials, trials) == 1.0


@pytest.mark.parametrize(("found", "trials"), [(1, 30), (3, 40), (9, 10), (20, 200)])
def test_the_highest_share_makes_so_few_successes_as_rare_as_the_level_says(found, trials):
    share = highest_share(found, trials)

    so_few = sum(math.comb(trials, n) * share**n * (1 - share) ** (trials - n) for n in range(found + 1))
    assert so_few == pytest.approx(0.05, abs=1e-9)


def test_a_share_of_nothing_can_be_anything():
    assert highest_share(0, 0) == 1.0
    with pytest.raises(ValueError, match="2 successes in 1 trials"):
        highest_share(2, 1)
