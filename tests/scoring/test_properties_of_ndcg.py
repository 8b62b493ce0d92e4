"""What must hold for nDCG whatever the data."""

from dataclasses import replace

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from app.scoring.choices import DISCOUNTS, IDEALS
from app.scoring.discounts import discounts
from app.scoring.means import means_of
from app.scoring.ruler import ScoringRuler
from tests.scoring.drawn import (
    DOCUMENTS,
    UNJUDGED,
    WHOLE_LISTS,
    cutoffs,
    judgments,
    made_of,
    projects,
    ranked,
    rulers,
    rulers_of,
    scored,
)
from tests.scoring.made import collection
from tests.scoring.plain_ndcg import ndcg_of

gains = st.lists(st.floats(0, 1000, allow_subnormal=False), min_size=1, max_size=8)


without_gain = st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0, 0, UNJUDGED]), min_size=1)


def worth_of(step, ruler):
    """Return the gain of a step of the ruler's scale, 0 for an unjudged document."""
    return 0.0 if step == UNJUDGED else ruler.gains()[step]


def ndcg(qrels, order, ruler, cutoff):
    """Return the nDCG of one list of the query q1, judged in steps of the ruler's scale."""
    made = made_of(qrels, [{"q1": scored(order)}], ruler)
    return made.values(f"nDCG@{cutoff}")[0, made.queries.index("q1")]


@given(projects(ideals=IDEALS), cutoffs)
def test_ndcg_lies_between_zero_and_one_or_is_undefined(made, cutoff):
    values = made.values(f"nDCG@{cutoff}")

    if made.judged.ruler.ideal in {"judged", "pool"}:
        assert np.isnan(values[:, ~made.judged.scored]).all()
    assert (values[:, made.judged.scored] >= 0).all()
    assert (values[:, made.judged.scored] <= 1).all()


@given(judgments(lowest=0), rulers, cutoffs)
def test_the_ideal_order_gives_exactly_one_where_and_only_where_something_has_gain(qrels, ruler, cutoff):
    best = sorted(qrels["q1"], key=qrels["q1"].get, reverse=True)
    value = ndcg(qrels, best, ruler, cutoff)

    if ruler.gains()[max(qrels["q1"].values())] > 0:
        assert value == 1.0
    else:
        assert np.isnan(value)


@given(without_gain, without_gain, ranked(), rulers_of(["linear", "exponential"]), cutoffs)
def test_a_query_of_nothing_but_zeros_is_excluded_for_its_reason_and_never_a_number(
    one, other, run, ruler, cutoff
):
    made = made_of({"q1": one, "q2": other}, [run], ruler)
    values = made.values(f"nDCG@{cutoff}")
    open_ones = [UNJUDGED in steps.values() for steps in (one, other)]

    assert np.isnan(values).all()
    assert made.judged.no_relevant.tolist() == [not still_open for still_open in open_ones]
    assert made.judged.undecided.tolist() == open_ones
    assert means_of(values, made.judged.scored) == [None]


@given(judgments(), rulers, cutoffs)
def test_a_silent_run_has_zero_on_a_scored_query(qrels, ruler, cutoff):
    made = made_of(qrels, [{}], ruler)
    values = made.values(f"nDCG@{cutoff}")

    assert (values[:, made.judged.scored] == 0).all()


@given(judgments(), ranked(shortest=2), rulers, cutoffs, st.data())
def test_permuting_documents_of_equal_gain_changes_nothing(qrels, run, ruler, cutoff, data):
    order = list(run["q1"])
    worth = {name: worth_of(qrels["q1"].get(name, UNJUDGED), ruler) for name in order}
    one, other = data.draw(st.tuples(st.sampled_from(order), st.sampled_from(order)))
    assume(worth[one] == worth[other])
    swapped = [other if name == one else one if name == other else name for name in order]

    a, b = ndcg(qrels, order, ruler, cutoff), ndcg(qrels, swapped, ruler, cutoff)

    assert a == b or (np.isnan(a) and np.isnan(b))


@given(gains, st.permutations(range(8)), st.floats(1e-3, 1e3), st.integers(1, 10))
def test_gains_times_a_constant_leave_ndcg_as_it_was(judged, order, constant, cutoff):
    log2 = discounts("log2", cutoff)
    listed = [judged[place] for place in order if place < len(judged)]

    once = ndcg_of(listed, judged, log2)
    times = ndcg_of([constant * g for g in listed], [constant * g for g in judged], log2)

    assert (once is None) == (times is None)
    assert once is None or abs(once - times) < 1e-12


@given(judgments(lowest=0, steps=4), ranked(), st.sampled_from(DISCOUNTS), cutoffs)
def test_adding_a_constant_to_all_gains_changes_it_unless_it_adds_in_proportion(qrels, run, discount, cutoff):
    stars = ScoringRuler(lowest=1, highest=5, discount=discount)
    order, weights = list(run["q1"]), stars.discounts(cutoff).weights
    linear = ndcg(qrels, order, stars, cutoff)
    assume(not np.isnan(linear))

    raw = ndcg(qrels, order, replace(stars, gain="raw"), cutoff)

    # One more point for each judged document: what it adds to the list and to the ideal.
    listed = [weight for weight, name in zip(weights, order, strict=False) if name in qrels["q1"]]
    added = sum(listed) / weights[: len(qrels["q1"])].sum()
    assert (abs(linear - raw) > 1e-12) == (abs(linear - added) > 1e-12 * len(weights))
    assert min(linear, added) - 1e-12 <= raw <= max(linear, added) + 1e-12


def test_raw_stars_lift_a_list_that_is_far_from_the_best():
    stars = {"q1": {"d0": 0, "d1": 4, "d2": 1}}

    linear = ndcg(stars, ["d0", "d1", "d2"], ScoringRuler(lowest=1, highest=5), 3)
    raw = ndcg(stars, ["d0", "d1", "d2"], ScoringRuler(lowest=1, highest=5, gain="raw"), 3)

    assert raw - linear > 0.05


@given(judgments(lowest=0), ranked(shortest=2), rulers, cutoffs, st.data())
def test_moving_a_better_document_up_never_lowers_ndcg_and_raises_it_where_the_discount_falls(
    qrels, run, ruler, cutoff, data
):
    order = list(run["q1"])
    upper = data.draw(st.integers(0, len(order) - 2))
    lower = data.draw(st.integers(upper + 1, len(order) - 1))
    worth = [worth_of(qrels["q1"].get(order[place], UNJUDGED), ruler) for place in (upper, lower)]
    assume(worth[0] < worth[1])
    swapped = order.copy()
    swapped[upper], swapped[lower] = order[lower], order[upper]
    weights = np.append(ruler.discounts(cutoff).weights, np.zeros(len(order)))

    before, after = ndcg(qrels, order, ruler, cutoff), ndcg(qrels, swapped, ruler, cutoff)

    assert after >= before - 1e-15
    assert (after > before) == bool(weights[upper] > weights[lower])


@given(judgments(lowest=0), ranked(), rulers, cutoffs, st.sampled_from([-1, 0, 1, 3]))
def test_what_is_appended_below_the_cutoff_counts_only_in_the_ideal(qrels, run, ruler, cutoff, grade):
    order = list(run["q1"])
    assume(len(order) >= cutoff)
    longer = {**qrels, "q1": qrels["q1"] | {"new": grade}}

    before = made_of(qrels, [{"q1": scored(order)}], ruler)
    after = made_of(longer, [{"q1": scored([*order, "new"])}], ruler)

    assert after.values(f"DCG@{cutoff}")[0, 0] == before.values(f"DCG@{cutoff}")[0, 0]
    if worth_of(grade, ruler) == 0:
        assert np.array_equal(
            after.values(f"nDCG@{cutoff}")[0, :1], before.values(f"nDCG@{cutoff}")[0, :1], equal_nan=True
        )


@given(judgments(lowest=0), ranked(), rulers, cutoffs, st.integers(0, 3))
def test_a_new_judged_document_outside_the_list_never_raises_ndcg(qrels, run, ruler, cutoff, grade):
    assume(ruler.gains()[max(qrels["q1"].values())] > 0)
    more = {**qrels, "q1": qrels["q1"] | {"elsewhere": grade}}
    order = list(run["q1"])

    assert ndcg(more, order, ruler, cutoff) <= ndcg(qrels, order, ruler, cutoff)


@given(projects(), cutoffs)
def test_mndcg_is_never_above_ndcg(made, cutoff):
    scored_queries = made.judged.scored
    ndcg_values = made.values(f"nDCG@{cutoff}")[:, scored_queries]

    assert (made.values(f"MNDCG@{cutoff}")[:, scored_queries] <= ndcg_values + 1e-15).all()


@given(projects(ideals=["judged", "pool"]))
def test_a_cutoff_beyond_lists_and_judgments_changes_nothing_more(made):
    enough = WHOLE_LISTS

    at_once, later = made.values(f"nDCG@{enough}"), made.values(f"nDCG@{enough + 5}")

    assert np.array_equal(at_once, later, equal_nan=True)
    assert np.array_equal(at_once, made.values("nDCG"), equal_nan=True)


@given(judgments(), ranked(), cutoffs)
def test_on_binary_grades_linear_and_exponential_gain_are_the_same(qrels, run, cutoff):
    binary = {query: {name: min(grade, 1) for name, grade in row.items()} for query, row in qrels.items()}

    linear = collection(binary, [run], ScoringRuler(highest=1)).values(f"nDCG@{cutoff}")
    exponential = collection(binary, [run], ScoringRuler(highest=1, gain="exponential")).values(
        f"nDCG@{cutoff}"
    )

    assert np.array_equal(linear, exponential, equal_nan=True)


@given(judgments(lowest=0), ranked(shortest=1), rulers)
def test_at_a_cutoff_of_one_ndcg_is_the_first_gain_over_the_best(qrels, run, ruler):
    table = ruler.gains()
    best = table[max(qrels["q1"].values())]
    assume(best > 0)
    order = list(run["q1"])

    assert ndcg(qrels, order, ruler, 1) == worth_of(qrels["q1"].get(order[0], UNJUDGED), ruler) / best


@given(rulers_of(ideals=IDEALS), cutoffs)
def test_a_full_list_of_highest_grades_gives_one_by_every_ideal(ruler, cutoff):
    names = [f"d{n:02}" for n in range(cutoff)]
    best = ruler.highest - ruler.lowest
    made = made_of({"q1": dict.fromkeys(names, best)}, [{"q1": scored(names)}], ruler)

    assert made.values(f"nDCG@{cutoff}")[0, 0] == 1.0
    assert made.values(f"MNDCG@{cutoff}")[0, 0] == 1.0
