import numpy as np
import pytest

from app.scoring.choices import DISCOUNTS
from app.scoring.dcg import dcg, ideal_dcg, ndcg
from app.scoring.discounts import discounts
from tests.scoring.plain_ndcg import dcg_of, ideal_dcg_of


@pytest.mark.parametrize("kind", DISCOUNTS)
def test_all_lists_at_once_have_the_bits_of_one_list_at_a_time(kind):
    rng = np.random.default_rng(1)
    gain = np.append(rng.choice([0, 1, 1.5, 7, 3.5], size=90), 0.0)
    positions = rng.integers(0, 91, size=(12, 4, 30), dtype=np.int32)

    for depth in (0, 1, 5, 12, 40):
        paid = discounts(kind, depth)
        together = dcg(positions, gain, paid)

        for run, query in np.ndindex(4, 30):
            assert together[run, query] == dcg_of(gain[positions[:, run, query]].tolist(), paid)


@pytest.mark.parametrize("kind", DISCOUNTS)
def test_an_ideal_from_counts_has_the_bits_of_a_sort_and_a_sum(kind):
    rng = np.random.default_rng(2)
    levels = np.array([0.0, 1.0, 2.5, 7.0, 15.0])
    counts = rng.integers(0, 6, size=(50, 5)) * (rng.random((50, 5)) < 0.7)

    for depth in (0, 1, 3, 10, 100):
        paid = discounts(kind, depth)
        together = ideal_dcg(counts, levels, paid)

        for query in range(50):
            gains = np.repeat(levels, counts[query]).tolist()
            assert together[query] == ideal_dcg_of(gains, paid)


def test_ideals_are_the_same_in_small_blocks(monkeypatch):
    rng = np.random.default_rng(3)
    counts, levels = rng.integers(0, 4, size=(40, 3)), np.array([0.0, 1.0, 3.0])
    at_once = ideal_dcg(counts, levels, discounts("log2", 10))

    monkeypatch.setattr("app.scoring.dcg.BLOCK", 30)

    assert ideal_dcg(counts, levels, discounts("log2", 10)).tolist() == at_once.tolist()


def test_queries_without_judgments_have_an_ideal_of_zero():
    assert ideal_dcg(np.zeros((2, 0), dtype=int), np.zeros(0), discounts()).tolist() == [0, 0]


def test_no_ideal_makes_the_ratio_undefined_or_what_the_caller_says():
    reached, ideal = np.array([[0.0, 1.0]]), np.array([0.0, 2.0])

    assert np.isnan(ndcg(reached, ideal)[0, 0])
    assert ndcg(reached, ideal, undefined=0.0).tolist() == [[0.0, 0.5]]
