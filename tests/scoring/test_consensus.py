import itertools
import statistics

import numpy as np
import pytest

from app.scoring.choices import CONSENSUS_RULES
from app.scoring.consensus import consensus_of, from_grades, middle_grades, range_of
from app.scoring.gains import gain_table

EVERY_PANEL = [panel for n in range(1, 6) for panel in itertools.combinations_with_replacement(range(4), n)]


def counted(panels, grades=4):
    return np.array([np.bincount(panel, minlength=grades) for panel in panels], dtype=np.int32)


def test_the_middle_grades_are_those_of_the_ordered_grades():
    low, high = middle_grades(counted(EVERY_PANEL))

    assert low.tolist() == [statistics.median_low(panel) for panel in EVERY_PANEL]
    assert high.tolist() == [statistics.median_high(panel) for panel in EVERY_PANEL]


def test_nobody_has_graded_is_not_the_lowest_grade():
    consensus = consensus_of(counted([[], [0]]))

    assert consensus.low.tolist() == [-1, 0]
    assert consensus.judged.tolist() == [False, True]
    assert consensus.values(gain_table(0, 3)).tolist() == [0.0, 0.0]


def test_a_median_between_two_grades_is_worth_the_mean_of_both_gains():
    consensus = consensus_of(counted([[0, 3], [1, 2], [1, 1, 3, 3]]))

    assert consensus.values(gain_table(0, 3, "exponential")).tolist() == [3.5, 2.0, 4.0]
    assert consensus.values(np.arange(4.0)).tolist() == [1.5, 1.5, 2.0]


def test_the_mean_averages_a_map_over_all_grades():
    consensus = consensus_of(counted(EVERY_PANEL), "mean")
    gains = gain_table(0, 3, "exponential")

    expected = [sum(gains[grade] for grade in panel) / len(panel) for panel in EVERY_PANEL]

    np.testing.assert_allclose(consensus.values(gains), expected, rtol=1e-15)
    assert consensus.low.tolist() == [sum(panel) // len(panel) for panel in EVERY_PANEL]
    assert consensus.high.tolist() == [-(-sum(panel) // len(panel)) for panel in EVERY_PANEL]


def test_a_majority_wins_and_a_tie_is_reported_and_follows_the_median():
    consensus = consensus_of(counted([[0, 0, 3], [0, 3], [0, 0, 1, 3, 3], []]), "majority")

    assert consensus.low.tolist() == [0, 0, 1, -1]
    assert consensus.high.tolist() == [0, 3, 1, -1]
    assert consensus.tied.tolist() == [False, True, True, False]


@pytest.mark.parametrize("rule", ["median", "mean", "majority"])
def test_an_adjudicator_decides_alone_under_every_rule(rule):
    consensus = consensus_of(counted([[0, 0, 3], [1, 1], []]), rule, np.array([2, -1, 3]))

    assert consensus.low.tolist() == consensus.high.tolist() == [2, 1, 3]
    assert consensus.values(gain_table(0, 3)).tolist() == [2.0, 1.0, 3.0]


def test_adjudicating_leaves_the_counts_as_they_were():
    counts = counted([[0, 3]])

    consensus_of(counts, "median", np.array([1]))

    assert counts.tolist() == [[1, 0, 0, 1]]


def test_single_grades_are_their_own_consensus():
    consensus = from_grades(np.array([2, -1, 0, -5]))

    assert consensus.low.tolist() == [2, -1, 0, -1]
    assert consensus.values(gain_table(0, 3)).tolist() == [2.0, 0.0, 0.0, 0.0]


def test_the_range_is_counted_in_steps_between_the_outermost_grades():
    assert range_of(counted([[], [2], [0, 3], [1, 2, 2]])).tolist() == [0, 0, 3, 1]


def test_an_unknown_rule_is_refused_with_the_known_ones():
    with pytest.raises(ValueError, match="median, mean, majority"):
        consensus_of(counted([[1]]), "loudest")


def test_grades_of_a_wide_scale_keep_their_values():
    consensus = from_grades(np.array([0, 181, 500, -1, 999]))

    assert consensus.values(gain_table(0, 1000)).tolist() == [0.0, 181.0, 500.0, 0.0, 999.0]
    assert consensus.values(gain_table(0, 1_000_000)).tolist() == [0.0, 181.0, 500.0, 0.0, 999.0]


@pytest.mark.parametrize("rule", CONSENSUS_RULES)
def test_no_grade_is_lost_on_a_scale_however_wide(rule):
    consensus = consensus_of(counted([[150], [127], [128], [200, 200, 100], []], grades=201), rule)

    assert consensus.judged.tolist() == [True, True, True, True, False]
    assert consensus.low.tolist()[:3] == consensus.high.tolist()[:3] == [150, 127, 128]
    mean = 500 / 3 if rule == "mean" else 200
    np.testing.assert_allclose(consensus.values(gain_table(0, 200)), [150, 127, 128, mean, 0])
