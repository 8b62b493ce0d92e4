import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.scoring.bounds_reference import lower_bound, upper_bound
from app.scoring.discounts import discounts
from app.scoring.priority_estimate import Candidates, estimated_gains, ndcg_table


def candidates_of(query, ranks, measure, *, current, depth=None):
    """Return the candidates with the discounts at which the runs return them."""
    padded = np.concatenate([[0.0], measure.weights])
    weights = padded[np.where(ranks <= measure.depth, ranks, 0)]
    returned = (ranks > 0) & (ranks <= (measure.depth if depth is None else depth))
    popularity = np.count_nonzero(returned[current], axis=0)
    return Candidates(query, weights, returned.any(axis=0), current, popularity)


nan = np.nan
three = discounts(depth=3)


@st.composite
def projects(draw):
    """Return candidates and gains of a small project; NaN is unjudged."""
    items, runs = draw(st.integers(1, 14)), draw(st.integers(1, 4))
    query = sorted(draw(st.lists(st.integers(0, 3), min_size=items, max_size=items)))
    ranks = draw(st.lists(st.integers(0, 4), min_size=items * runs, max_size=items * runs))
    gains = draw(st.lists(st.sampled_from([nan, 0.0, 1.0, 2.0, 3.0]), min_size=items, max_size=items))
    table = np.array(ranks).reshape(runs, items)
    candidates = candidates_of(np.array(query), table, three, current=np.ones(runs, bool))
    # Without a grade, only what is pooled is a candidate.
    return candidates, np.where(candidates.pooled, gains, np.nan_to_num(np.array(gains)))


def expected_of(candidates, gains, highest):
    """Return the estimate of EVALUATION's formula, item by item."""
    known = [i for i in range(len(gains)) if gains[i] == gains[i] and candidates.pooled[i]]
    m = sum(gains[i] for i in known) / len(known) if known else 0
    out = np.nan_to_num(gains)
    if m == 0:
        return out

    def mb(v):
        bucket = [gains[i] for i in known if candidates.popularity[i] == v]
        return (sum(bucket) + 3 * m) / (len(bucket) + 3)

    for u in np.flatnonzero(np.isnan(gains)):
        mine = [i for i in known if candidates.query[i] == candidates.query[u]]
        r = (sum(gains[i] for i in mine) + 4 * m) / (sum(mb(candidates.popularity[i]) for i in mine) + 4 * m)
        out[u] = min(highest, mb(candidates.popularity[u]) * r)
    return out


@settings(deadline=None)
@given(projects(), st.sampled_from([3.0, 1.0]))
def test_the_estimate_is_its_formula(project, highest):
    candidates, gains = project

    found = estimated_gains(candidates, gains, highest)

    np.testing.assert_allclose(found, expected_of(candidates, gains, highest), atol=1e-12)


@given(projects())
def test_estimates_leave_judged_gains_alone_and_stay_on_the_scale(project):
    candidates, gains = project
    judged = ~np.isnan(gains)

    found = estimated_gains(candidates, gains, 3.0)

    assert found[judged].tolist() == gains[judged].tolist()
    assert ((found >= 0) & (found <= 3)).all()


@given(projects(), st.booleans())
def test_with_nothing_judged_or_all_gains_zero_every_estimate_is_zero(project, judged):
    candidates, gains = project
    nothing = np.where(np.isnan(gains) | (not judged), nan, 0.0)

    assert not estimated_gains(candidates, nothing, 3.0).any()


@settings(deadline=None)
@given(projects())
def test_the_table_of_ndcg_is_dcg_over_the_ideal_of_all_items(project):
    candidates, gains = project
    gains = np.nan_to_num(gains)

    table = ndcg_table(candidates, gains, three, queries=4)

    for q in range(4):
        mine = candidates.query == q
        best = np.sort(gains[mine])[::-1][:3]
        ideal = best @ three.weights[: len(best)]
        reached = (candidates.weights[:, mine] * gains[mine]).sum(axis=1)
        assert table[:, q] == pytest.approx(reached / ideal if ideal else 0 * reached, abs=1e-12)


def test_an_item_many_runs_return_is_expected_to_be_worth_more():
    query = np.array([0, 0, 0, 1, 1])
    ranks = np.array([[1, 2, 0, 1, 2], [1, 0, 2, 1, 0], [1, 0, 0, 1, 0]])
    candidates = candidates_of(query, ranks, three, current=np.ones(3, bool))

    found = estimated_gains(candidates, np.array([3.0, 0.0, 0.0, nan, nan]), 3.0)

    assert found[3] > found[4] > 0


@settings(deadline=None)
@given(projects())
def test_15_a_score_by_the_estimate_lies_inside_the_exact_bounds(project):
    candidates, gains = project

    table = ndcg_table(candidates, estimated_gains(candidates, gains, 3.0), three, queries=4)

    for q in range(4):
        mine = candidates.query == q
        judged, unjudged = mine & ~np.isnan(gains), mine & np.isnan(gains)
        for run, weights in enumerate(candidates.weights):
            reached = float(weights[judged] @ gains[judged])
            given_ = (
                reached,
                gains[judged].tolist(),
                weights[unjudged].tolist(),
                three.weights.tolist(),
                3.0,
            )
            assert lower_bound(*given_) - 1e-12 <= table[run, q] <= upper_bound(*given_) + 1e-12
