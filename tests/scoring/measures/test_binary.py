import numpy as np
import pytest

from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

QRELS = {"q": {"a": 3, "b": 0, "c": 1, "d": 2, "e": 0, "f": 3}}
RUN = {"q": {name: -float(rank) for rank, name in enumerate("bxaec")}}


def value(name, run=RUN, qrels=QRELS, **choices):
    return collection(qrels, [run], ScoringRuler(**choices)).values(name)[0, 0]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("P@3", 1 / 3),
        ("P@10", 2 / 10),
        ("Recall@3", 1 / 4),
        ("Recall@5", 2 / 4),
        ("Success@2", 0.0),
        ("Success@3", 1.0),
        ("RR", 1 / 3),
        ("RR@2", 0.0),
        ("RR@3", 1 / 3),
        ("AP", (1 / 3 + 2 / 5) / 4),
        ("AP@4", (1 / 3) / 4),
        ("Rprec", 1 / 4),
        ("bpref", ((1 - 1 / 2) + (1 - 2 / 2)) / 4),
    ],
)
def test_a_list_worked_out_by_hand(name, expected):
    assert value(name) == pytest.approx(expected, rel=1e-15)


def test_inferred_ap_worked_out_by_hand():
    e = 1e-5
    third = 1 / 3 + (2 / 3) * (1 / 2) * (0 + e) / (1 + 2 * e)
    fifth = 1 / 5 + (4 / 5) * (3 / 4) * (1 + e) / (3 + 2 * e)

    assert value("infAP") == pytest.approx((third + fifth) / 4, rel=1e-15)


def test_inferred_ap_counts_what_is_pooled_and_not_judged():
    graded_x = {"q": QRELS["q"] | {"x": -1}}
    e = 1e-5
    third = 1 / 3 + (2 / 3) * (2 / 2) * (0 + e) / (1 + 2 * e)
    fifth = 1 / 5 + (4 / 5) * (4 / 4) * (1 + e) / (3 + 2 * e)

    assert value("infAP", qrels=graded_x) == pytest.approx((third + fifth) / 4, rel=1e-15)


def test_the_threshold_decides_what_is_relevant():
    assert value("P@3", threshold=3) == 1 / 3
    assert value("Recall@5", threshold=3) == 1 / 2
    assert value("P@5", threshold=0) == 4 / 5


def test_stars_are_relevant_from_three():
    stars = {"q": {"a": 2, "b": 3}}

    assert value("P@2", {"q": {"a": 2.0, "b": 1.0}}, stars, lowest=1, highest=5) == 1 / 2


@pytest.mark.parametrize("name", ["P@3", "Recall@3", "Success@3", "RR", "AP", "Rprec", "bpref", "infAP"])
def test_a_query_without_a_relevant_document_gives_zero(name):
    weak = {"q": {"a": 1, "b": 0}}

    assert value(name, qrels=weak, threshold=2) == 0.0


@pytest.mark.parametrize("name", ["P@3", "Recall@3", "Success@3", "RR", "AP", "Rprec", "bpref", "infAP"])
def test_a_silent_run_gives_zero(name):
    assert value(name, run={}) == 0.0


def test_a_midpoint_is_relevant_only_if_it_reaches_the_threshold():
    from app.scoring.consensus import consensus_of
    from app.scoring.judged import RELEVANT, judged_of

    counts = np.array([[0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 1]])
    judged = judged_of(consensus_of(counts), np.array([0, 0, 0]), ScoringRuler(threshold=2), queries=1)

    assert (judged.state[:3] == RELEVANT).tolist() == [False, False, True]
