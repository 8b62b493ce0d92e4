import krippendorff
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from app.scoring.agreement import Ratings, agreement_of, alpha_of, krippendorff_alpha, reading_of
from tests.furniture.properties import tried
from tests.scoring.chance import STRICT, chance_of_mean

blank = -1


def ratings_of(table, levels=4):
    """Return the ratings of a table (annotators, items) in which -1 is no rating."""
    table = np.array(table)
    annotator, item = np.nonzero(table != blank)
    return Ratings(item, annotator, table[annotator, item], levels)


@st.composite
def tables(draw, least_items=2, most_items=12):
    rows, columns = draw(st.integers(2, 5)), draw(st.integers(least_items, most_items))
    cells = draw(st.lists(st.integers(-1, 3), min_size=rows * columns, max_size=rows * columns))
    return np.array(cells).reshape(rows, columns)


published = ratings_of(
    [
        [0, 1, 2, 2, 1, 0, 3, 0, 1, -1, -1, -1],
        [0, 1, 2, 2, 1, 1, 3, 0, 1, 4, -1, 2],
        [-1, 2, 2, 2, 1, 2, 3, 1, 1, 4, 0, -1],
        [0, 1, 2, 2, 1, 3, 3, 0, 1, 4, 0, -1],
    ],
    levels=5,
)


def test_28_alpha_equals_the_published_example():
    assert round(krippendorff_alpha(published.counts), 3) == 0.815


@settings(deadline=None)
@given(tables())
def test_alpha_agrees_with_the_krippendorff_package(table):
    ratings = ratings_of(table)
    assume(np.count_nonzero(ratings.counts.sum(axis=0)) > 1)
    data = np.where(table == blank, np.nan, table.astype(float))

    expected = krippendorff.alpha(
        reliability_data=data, level_of_measurement="ordinal", value_domain=range(4)
    )

    assert krippendorff_alpha(ratings.counts) == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.integers(0, 3), min_size=2, max_size=40), st.integers(2, 5))
def test_28_alpha_is_one_for_identical_annotators_whose_grades_vary(grades, annotators):
    assume(len(set(grades)) > 1)

    assert krippendorff_alpha(ratings_of([grades] * annotators).counts) == pytest.approx(1, abs=1e-12)


def alphas_of_random_annotators(seed, annotators, copied=0.0):
    """Return alpha of 24 tables of 300 items; in a share of them the second annotator says what the first says."""
    generator = np.random.default_rng(seed)
    found = []
    for _ in range(24):
        table = generator.integers(0, 4, (annotators, 300))
        same = generator.random(300) < copied
        table[1, same] = table[0, same]
        found.append(krippendorff_alpha(ratings_of(table).counts))
    return found


@settings(max_examples=tried(20))
@given(st.integers(0, 2**32), st.integers(2, 4))
def test_28_alpha_is_about_zero_for_random_annotators(seed, annotators):
    assert chance_of_mean(alphas_of_random_annotators(seed, annotators)) > STRICT


@settings(max_examples=tried(10))
@given(st.integers(0, 2**32))
def test_28_half_of_the_answers_copied_from_another_annotator_would_be_found(seed):
    # Alpha is about .5 with a spread of .05: 24 tables lie some 50 standard errors from 0, where 10 are enough.
    assert chance_of_mean(alphas_of_random_annotators(seed, 2, copied=0.5)) < STRICT


@given(tables(), st.lists(st.integers(0, 3), max_size=20))
def test_28_alpha_is_unmoved_by_items_rated_once(table, single):
    alone = np.full((len(table), len(single)), blank)
    alone[0] = single

    with_them = ratings_of(np.hstack([table, alone]))

    assert krippendorff_alpha(with_them.counts) == krippendorff_alpha(ratings_of(table).counts)


@given(tables(), st.randoms(use_true_random=False))
def test_28_alpha_is_unmoved_by_relabelling_annotators(table, random):
    shuffled = np.array(random.sample(table.tolist(), len(table)))

    assert krippendorff_alpha(ratings_of(shuffled).counts) == krippendorff_alpha(ratings_of(table).counts)


def test_alpha_of_ratings_that_never_differ_is_undefined():
    found = agreement_of(ratings_of(np.full((2, 40), 2)), seed=1)

    assert (found.stage, found.alpha, found.low) == ("no variation", None, None)


def noisy(items, annotators=2, seed=3):
    generator = np.random.default_rng(seed)
    true = generator.integers(0, 4, items)
    return np.clip(true + generator.integers(-1, 2, (annotators, items)), 0, 3)


@pytest.mark.parametrize(("items", "stage"), [(29, "too few"), (30, "early"), (99, "early"), (100, "full")])
def test_alpha_is_hidden_under_thirty_items_and_early_under_a_hundred(items, stage):
    found = agreement_of(ratings_of(noisy(items)), seed=1)

    assert found.stage == stage
    assert (found.alpha is None) == (stage == "too few")
    assert (found.items, found.annotators) == (items, 2)


def test_a_single_annotator_agrees_with_nobody():
    found = agreement_of(ratings_of(noisy(200, annotators=1)), seed=1)

    assert (found.items, found.annotators, found.stage) == (0, 0, "too few")


def test_the_interval_holds_alpha_is_deterministic_and_shrinks_with_items():
    few, many = ratings_of(noisy(60)), ratings_of(noisy(2000))

    first, again, wide = agreement_of(many, seed=4), agreement_of(many, seed=4), agreement_of(few, seed=4)

    assert first == again
    assert first.low < first.alpha < first.high
    assert first.high - first.low < (wide.high - wide.low) / 3


@pytest.mark.thorough
def test_the_interval_equals_a_bootstrap_that_draws_item_by_item():
    counts = ratings_of(noisy(80)).counts
    generator = np.random.default_rng(0)
    drawn = [krippendorff_alpha(counts[generator.integers(0, 80, 80)]) for _ in range(4000)]

    found = agreement_of(ratings_of(noisy(80)), seed=9, resamples=8000)

    assert found.low == pytest.approx(np.quantile(drawn, 0.025), abs=0.015)
    assert found.high == pytest.approx(np.quantile(drawn, 0.975), abs=0.015)


def test_there_is_no_interval_when_many_resamples_would_not_vary():
    table = np.zeros((2, 40), dtype=int)
    table[0, 0] = 3

    found = agreement_of(ratings_of(table), seed=1)

    assert found.alpha is not None
    assert (found.low, found.high) == (None, None)


@pytest.mark.parametrize(
    ("alpha", "reading"), [(0.8, "strong"), (0.667, "tentative"), (0.66, "low"), (-1, "low")]
)
def test_the_reading_is_krippendorffs(alpha, reading):
    assert reading_of(alpha) == reading


@pytest.mark.parametrize(
    ("item", "annotator", "grade", "reason"),
    [
        ([0, 0], [1, 1], [2, 3], "two ratings of one item"),
        ([0, 1], [1, 1], [2, 4], "off a scale"),
        ([0, 1], [1, 1], [2, -1], "off a scale"),
        ([0, 1], [1], [2, 1], "needs an item"),
    ],
)
def test_ratings_that_cannot_be_are_refused(item, annotator, grade, reason):
    with pytest.raises(ValueError, match=reason):
        Ratings(np.array(item), np.array(annotator), np.array(grade), 4)


def test_alpha_alone_is_that_of_the_agreement_and_hidden_by_the_same_rules():
    many = Ratings(
        item=np.repeat(np.arange(40), 2),
        annotator=np.tile([1, 2], 40),
        grade=np.random.default_rng(3).integers(0, 4, 80),
        levels=4,
    )
    few = Ratings(item=many.item[:40], annotator=many.annotator[:40], grade=many.grade[:40], levels=4)

    assert alpha_of(many) == agreement_of(many, seed=1).alpha
    assert alpha_of(many) is not None
    assert alpha_of(few) is None
