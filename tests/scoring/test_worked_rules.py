"""Worked examples of the rules: ties, precision, negative grades, levels, short lists, the first bound."""

import itertools

import numpy as np
import pytest

from app.scoring.bounds import ndcg_bounds
from app.scoring.discounts import discounts
from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection
from tests.scoring.plain_ndcg import ndcg_of


def test_all_scores_equal_follow_the_document_id_downwards():
    made = collection({"q": {"a": 3, "b": 0, "c": 1}}, [{"q": {"a": 1.0, "b": 1.0, "c": 1.0}}])

    assert round(made.values("nDCG@3")[0, 0], 4) == 0.6885


@pytest.mark.parametrize(("trec", "rr"), [(True, 0.5), (False, 1.0)])
@pytest.mark.parametrize("scores", [(0.123456784, 0.12345678), (16777217.0, 16777216.0)])
def test_only_trec_mode_takes_scores_as_equal_that_differ_in_double_precision(trec, rr, scores):
    ruler = ScoringRuler(highest=1, trec=trec)
    made = collection({"q": {"x": 1, "y": 0}}, [{"q": dict(zip("xy", scores, strict=True))}], ruler)

    assert made.values("RR")[0, 0] == rr


def test_a_negative_grade_is_unjudged_in_trec_mode():
    qrels, run = {"q": {"a": -1, "b": 2, "c": 0, "e": 1}}, {"q": {"a": 4.0, "b": 3.0, "c": 2.0, "d": 1.0}}
    made = collection(qrels, [run], ScoringRuler(highest=2, gain="raw", trec=True))

    got = {name: round(made.values(name)[0, 0], 4) for name in ("nDCG", "bpref", "infAP", "cnDCG@10")}

    assert got == {"nDCG": 0.4796, "bpref": 0.5, "infAP": 0.375, "cnDCG@10": 0.7602}


def test_a_higher_relevance_level_leaves_gain_and_ideal_alone():
    made = collection(
        {"q": {"a": 1, "b": 2, "c": 3}}, [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}], ScoringRuler(threshold=2)
    )

    got = {name: round(made.values(name)[0, 0], 4) for name in ("nDCG", "P@2", "AP")}

    assert got == {"nDCG": 0.79, "P@2": 0.5, "AP": 0.5833}


def test_a_short_list_is_padded_and_its_ideal_is_not_cut():
    made = collection({"q": {"a": 3, "b": 2, "c": 1, "e": 1}}, [{"q": {"c": 2.0, "a": 1.0}}])

    got = {name: round(made.values(name)[0, 0], 4) for name in ("nDCG@10", "P@10", "judged@10", "bpref")}

    assert got == {"nDCG@10": 0.5571, "P@10": 0.2, "judged@10": 1.0, "bpref": 0.5}


def test_rank_biased_precision_of_three_relevant_documents():
    made = collection(
        {"q": {"a": 1, "b": 1, "c": 1}}, [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}], ScoringRuler(highest=1)
    )

    assert round(made.values("RBP(.8)")[0, 0], 6) == 0.488
    assert round(made.values("RBP-residual(.8)")[0, 0], 6) == 0.512


def test_expected_reciprocal_rank_and_exponential_ndcg_of_grades_one_two_three():
    qrels, run = {"q": {"a": 1, "b": 2, "c": 3}}, {"q": {"a": 3.0, "b": 2.0, "c": 1.0}}

    assert round(collection(qrels, [run], ScoringRuler(highest=4)).values("ERR@10")[0, 0], 4) == 0.2615
    assert round(collection(qrels, [run], ScoringRuler(gain="exponential")).values("nDCG")[0, 0], 4) == 0.6806


def test_one_unjudged_answer_below_a_grade_of_one_leaves_a_range():
    made = collection({"q": {"a": 1, "u": -1}}, [{"q": {"a": 2.0, "u": 1.0}}], ScoringRuler(highest=3))

    bounds = ndcg_bounds(made.lists, made.judged, 2)

    assert made.values("nDCG@2")[0, 0] == 1.0
    assert round(bounds.low[0, 0], 4) == 0.7967
    assert bounds.high[0, 0] == 1.0


def test_every_completion_of_that_example_lies_in_the_range_and_both_ends_are_reached():
    log2 = discounts("log2", 2)

    values = [ndcg_of([1, x], [1, x], log2) for x in np.linspace(0, 3, 301)]

    assert max(values) == 1.0
    assert round(min(values), 4) == 0.7967
    assert all(a >= b for a, b in itertools.pairwise(values[101:]))
