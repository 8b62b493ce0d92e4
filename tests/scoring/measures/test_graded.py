import math

import numpy as np
import pytest

from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

QRELS = {"q": {"a": 3, "b": 0, "c": 1, "d": 2, "e": 3}}
RUN = {"q": {name: -float(rank) for rank, name in enumerate("xcbaz")}}


def value(name, qrels=QRELS, run=RUN, **choices):
    return collection(qrels, [run], ScoringRuler(**choices)).values(name)[0, 0]


def test_ndcg_counts_the_unjudged_as_zero_and_the_ideal_over_all_judged():
    reached = 1 / math.log2(3) + 3 / math.log2(5)
    ideal = 3 + 3 / math.log2(3) + 2 / 2 + 1 / math.log2(5)

    assert value("nDCG@4") == pytest.approx(reached / ideal, rel=1e-15)
    assert value("DCG@4") == pytest.approx(reached, rel=1e-15)


def test_a_condensed_list_closes_its_gaps():
    reached = 1 + 3 / 2
    ideal = 3 + 3 / math.log2(3) + 2 / 2

    assert value("condensed-nDCG@3") == pytest.approx(reached / ideal, rel=1e-15)
    assert value("nDCG@3", unjudged="condensed") == value("condensed-nDCG@3")


def test_an_ideal_over_the_pool_leaves_out_what_only_imported_grades_know():
    made = collection(QRELS, [RUN], ScoringRuler(ideal="pool"))
    pooled = np.isin(np.arange(len(made.judged.query)), made.lists.positions)
    from dataclasses import replace

    made.judged = replace(made.judged, pooled=pooled)
    ideal = 3 + 1 / math.log2(3)

    assert made.values("nDCG@4")[0, 0] == pytest.approx(value("DCG@4") / ideal, rel=1e-15)


def test_the_mean_gain_counts_missing_ranks_as_nothing():
    assert value("MNG@10") == pytest.approx((1 + 3) / (10 * 3))


def test_f1_is_zero_where_nothing_good_is_shown_and_undefined_without_ndcg():
    assert value("F1@2", run={"q": {"b": 1.0}}) == 0.0
    assert np.isnan(value("F1@2", qrels={"q": {"b": 0}}))


def test_expected_reciprocal_rank_follows_a_reader_who_stops():
    chance = {1: 1 / 8, 3: 7 / 8}

    expected = chance[1] / 2 + (1 - chance[1]) * chance[3] / 4

    assert value("ERR@10") == pytest.approx(expected, rel=1e-15)
    assert value("ERR@2") == pytest.approx(chance[1] / 2, rel=1e-15)


def test_rank_biased_precision_and_its_residual_bound_every_completion():
    low, residual = value("RBP(.5)"), value("RBP-residual(.5)")
    perfect = value("RBP(.5)", qrels={"q": QRELS["q"] | {"x": 3, "z": 3}})

    assert low == pytest.approx(0.5 * (0.5 / 3 + 0.125))
    assert low + residual == pytest.approx(perfect + 0.5**5)


def test_a_perfect_list_reaches_one_in_every_normalised_measure():
    run = {"q": {"a": 3.0, "e": 2.0}}

    assert value("nDCG@2", run=run) == value("MNDCG@2", run=run) == value("MNG@2", run=run) == 1.0
    assert value("F1@2", run=run) == 1.0


@pytest.mark.parametrize("name", ["nDCG@5", "DCG@5", "MNDCG@5", "MNG@5", "F1@5", "ERR@5", "RBP(.8)", "nDCG"])
def test_a_silent_run_has_zero_on_a_scored_query(name):
    assert value(name, run={}) == 0.0
