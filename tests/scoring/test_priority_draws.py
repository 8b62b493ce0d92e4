import numpy as np
import pytest

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


def test_30_the_estimate_from_drawn_batches_averages_to_the_truth_over_seeds():
    truth = weights @ gains
    settled = np.ones(n, bool)

    totals = np.array(
        [drawn_total(weights, gains, settled, rate_everything(seed)).total for seed in range(1000)]
    )

    error = totals.std(axis=0, ddof=1) / np.sqrt(len(totals))
    assert (error < 0.03 * truth).all()
    assert (np.abs(totals.mean(axis=0) - truth) < 4 * error).all()


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
