import numpy as np
import pytest

from app.scoring.ruler import ScoringRuler, usual_threshold
from tests.scoring.collected import judged_grades

#         q0 scored   q1 all judged 0   q2 one open   q3 nothing pooled, q4 no items at all
GRADES = np.array([3, -1, 0, 0, 0, -1, -1])
QUERY = np.array([0, 0, 1, 1, 2, 2, 3])
POOLED = np.array([True, True, True, False, True, True, False])


def made(**choices):
    return judged_grades(GRADES, QUERY, ScoringRuler(**choices), queries=5, pooled=POOLED)


def test_every_query_is_scored_or_excluded_for_one_reason():
    judged = made()

    assert judged.scored.tolist() == [True, False, False, False, False]
    assert judged.no_relevant.tolist() == [False, True, False, False, False]
    assert judged.undecided.tolist() == [False, False, True, True, True]


def test_declared_complete_nothing_is_open_and_no_query_undecided():
    judged = made(unjudged="complete")

    assert not judged.open.any()
    assert judged.no_relevant.tolist() == [False, True, True, True, True]
    assert not judged.undecided.any()


def test_an_item_outside_the_pool_is_judged_but_never_open():
    judged = made()

    assert judged.open.tolist() == [False, True, False, False, False, True, False]
    assert judged.open_counts.tolist() == [1, 0, 1, 0, 0]


def test_a_grade_outside_the_pool_scores_a_query_only_if_the_ideal_is_over_all_judged():
    grades, query = np.array([2, 0]), np.array([0, 0])
    pooled = np.array([False, True])

    over_all = judged_grades(grades, query, ScoringRuler(), queries=1, pooled=pooled)
    over_pool = judged_grades(grades, query, ScoringRuler(ideal="pool"), queries=1, pooled=pooled)

    assert over_all.scored.tolist() == [True]
    assert over_pool.scored.tolist() == [False]


def test_trec_mode_scores_every_judged_query():
    assert made(trec=True, gain="raw").scored.tolist() == [True, True, True, False, False]


def test_levels_count_the_judged_items_of_each_gain():
    judged = made(gain="exponential")

    assert judged.levels.tolist() == [0.0, 7.0]
    assert judged.level_counts.tolist() == [[0, 1], [2, 0], [1, 0], [0, 0], [0, 0]]


def test_the_two_extra_cells_are_worth_nothing_and_only_one_is_judged():
    judged = made()

    assert judged.gain[[judged.absent, judged.repeated]].tolist() == [0.0, 0.0]
    assert judged.state[[judged.absent, judged.repeated]].tolist() == [0, 2]


def test_the_usual_threshold_is_one_step_up_or_three_stars():
    assert (usual_threshold(0, 3), usual_threshold(1, 5), usual_threshold(0, 1)) == (1, 3, 1)
    assert ScoringRuler().relevant_from == 1
    assert ScoringRuler(threshold=0).relevant_from == 0


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"ideal": "best"}, "judged, pool, returned, maximum"),
        ({"unjudged": "ignored"}, "zero, complete, condensed"),
        ({"gain": "cubic"}, "linear, exponential, raw"),
        ({"discount": "log10"}, "log2, original-2002, reciprocal"),
        ({"lowest": 2, "highest": 2}, "tells nothing apart"),
    ],
)
def test_a_ruler_that_makes_no_sense_is_refused(choices, message):
    with pytest.raises(ValueError, match=message):
        ScoringRuler(**choices)


def test_a_query_can_be_scored_without_anything_relevant():
    judged = judged_grades(np.array([1, 3, 0]), np.array([0, 1, 2]), ScoringRuler(threshold=2), queries=3)

    assert judged.answered.tolist() == [False, True, False]
    assert judged.weak.tolist() == [True, False, False]
