import pytest

from app.scoring.proportions import wilson_interval


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
