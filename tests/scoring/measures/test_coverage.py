import math

import pytest

from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

QRELS = {"q": {"a": 3, "b": 0, "z": 1}}


def value(name, listed):
    run = {"q": {document: -float(rank) for rank, document in enumerate(listed)}}
    return collection(QRELS, [run], ScoringRuler()).values(name)[0, 0]


def test_the_judged_share_divides_by_what_was_returned_not_by_the_cutoff():
    assert value("judged@10", "axb") == pytest.approx(2 / 3)
    assert value("judged@2", "axb") == 0.5


def test_the_judged_weight_feels_the_top_more_than_the_end():
    all_three = 1 + 1 / math.log2(3) + 1 / 2

    assert value("weight-judged@10", "axb") == pytest.approx((1 + 1 / 2) / all_three)
    assert value("weight-judged@2", "xab") == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))


@pytest.mark.parametrize("name", ["judged@5", "weight-judged@5"])
def test_an_empty_list_lacks_nothing(name):
    assert value(name, "") == 1.0


@pytest.mark.parametrize("name", ["judged@5", "weight-judged@5"])
def test_dropping_the_unjudged_before_scoring_hides_nothing_from_coverage(name):
    run = {"q": {"a": 3.0, "x": 2.0, "b": 1.0}}
    zero = collection(QRELS, [run], ScoringRuler()).values(name)
    condensed = collection(QRELS, [run], ScoringRuler(unjudged="condensed")).values(name)

    assert zero.tolist() == condensed.tolist()
