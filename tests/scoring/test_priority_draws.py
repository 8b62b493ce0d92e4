import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.scoring.priority_batches import Desk, deal_batch
from app.scoring.priority_draws import Draw, drawn_total

generator = np.random.default_rng(44)
query = np.repeat(np.arange(8), 9)
n = len(query)
weights = generator.choice([0, 0.4, 0.5, 0.63, 1], (3, n))
gains = np.minimum(3, generator.poisson(0.7, n)) * (1.0 + (query % 3))


def rate_everything(seed, batches=30):
    """Return the drawn batches of a project that is rated to its end under an adaptive rule."""
    found = np.zeros(n)
    rated = np.zeros(n, bool)
    draws = []
    for number in range(1, batches):
        # The rule chases what it found: queries that paid are asked again, so chances depend on the past.
        paid = np.bincount(query, found, minlength=8)[query]
        desk = Desk(
            query, np.arange(n), paid + weights.max(axis=0), ~rated, ~rated, rated, np.zeros(n), query < 0
        )
        batch = deal_batch(desk, number, seed=seed, size=6)
        if batch is None:
            break
        if batch.kind == "drawn":
            slots = batch.items[[arm == "uniform" for arm in batch.arms]]
            draws.append(Draw(batch.drawable, slots))
        rated[batch.items] = True
        found[batch.items] = gains[batch.items]
    return draws


def test_30_the_estimate_from_batches_as_they_are_dealt_averages_to_the_truth_over_seeds():
    truth = weights @ gains
    settled = np.ones(n, bool)

    totals = np.array(
        [drawn_total(weights, gains, settled, rate_everything(seed)).total for seed in range(1000)]
    )

    error = totals.std(axis=0, ddof=1) / np.sqrt(len(totals))
    assert (error < 0.03 * truth).all()
    assert (np.abs(totals.mean(axis=0) - truth) < 4 * error).all()


@st.composite
def small_projects(draw):
    """Draw queries, weights and gains of a few items, and the uniform slots of a batch of each size."""
    of = draw(st.lists(st.integers(0, 1), min_size=2, max_size=5))
    amounts = st.lists(st.sampled_from([0.0, 0.5, 1.0, 3.0]), min_size=len(of), max_size=len(of))
    return (
        np.array(of),
        np.array([draw(amounts), draw(amounts)]),
        np.array(draw(amounts)),
        draw(st.integers(1, 2)),
    )


def every_way(queries, worth, slots, left, draws=()):
    """Yield the chance and the draws of every way in which two batches can be drawn, all slots to chance.

    A query has the chance of its items left; its slots are any of them alike. Beside each draw the item
    that would pay most for what was just found is rated as well, as an adaptive rule would.
    """
    if len(draws) == 2 or not left.any():
        yield 1.0, draws
        return
    drawable = np.flatnonzero(left)
    for query in np.unique(queries[drawable]):
        mine = drawable[queries[drawable] == query]
        ways = list(itertools.combinations(mine.tolist(), min(slots, len(mine))))
        for taken in ways:
            after = left.copy()
            after[list(taken)] = False
            rest = np.flatnonzero(after)
            if len(rest) > 1:
                after[rest[int(worth[:, list(taken)].sum() * 2) % len(rest)]] = False
            chance = len(mine) / len(drawable) / len(ways)
            step = (*draws, Draw(drawable, np.array(taken)))
            for further, found in every_way(queries, worth, slots, after, step):
                yield chance * further, found


@given(small_projects())
def test_30_the_estimate_averages_to_the_truth_over_all_that_chance_can_draw(project):
    queries, weights, gains, slots = project
    settled = np.ones(len(queries), bool)
    ways = list(every_way(queries, weights * gains, slots, settled))

    assert sum(chance for chance, _ in ways) == pytest.approx(1)
    # However many batches follow, every one alone is without bias.
    for number in range(min(len(draws) for _, draws in ways)):
        average = sum(
            chance * drawn_total(weights, gains, settled, [draws[number]]).total for chance, draws in ways
        )
        np.testing.assert_allclose(average, weights @ gains, atol=1e-12)


def test_a_draw_of_everything_is_the_truth_itself():
    all_items = np.arange(n)

    found = drawn_total(weights, gains, np.ones(n, bool), [Draw(all_items, all_items)])

    np.testing.assert_allclose(found.total, weights @ gains)
    assert (found.error, found.batches) == (None, 1)


def test_a_batch_enters_once_everything_it_uses_is_settled():
    settled = np.ones(n, bool)
    settled[[3, 4]] = False
    rest_open, slot_open = Draw(np.array([1, 3]), np.array([1])), Draw(np.array([3, 4]), np.array([3]))
    neither = Draw(np.array([1, 3, 4]), np.array([1]))

    assert drawn_total(weights, gains, settled, [rest_open, slot_open]) is None
    assert drawn_total(weights, gains, settled, [rest_open, neither]).batches == 1


@pytest.mark.parametrize(
    ("drawable", "slots", "told"),
    [([1, 2], [], "at least one uniform slot"), ([1, 2], [2, 3], "could not give")],
)
def test_a_draw_that_says_nothing_is_refused(drawable, slots, told):
    with pytest.raises(ValueError, match=told):
        Draw(np.array(drawable, dtype=int), np.array(slots, dtype=int))


def test_an_item_nobody_could_judge_is_worth_nothing_and_an_unjudged_gain_is_not_read():
    known = np.where(np.arange(n) == 5, np.nan, gains)
    settled = np.arange(n) != 5

    found = drawn_total(weights, known, settled, [Draw(np.array([2, 5]), np.array([2]))])

    assert np.isfinite(found.total).all()


def test_the_standard_error_is_that_of_the_mean_over_batches():
    draws = [Draw(np.arange(n), np.array([item])) for item in range(20)]
    each = np.array([n * weights[:, item] * gains[item] for item in range(20)])

    found = drawn_total(weights, gains, np.ones(n, bool), draws)

    assert found.total == pytest.approx(each.mean(axis=0))
    assert found.error == pytest.approx(each.std(axis=0, ddof=1) / np.sqrt(20))
