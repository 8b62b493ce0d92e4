"""What must hold for nDCG whatever the data."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

from app.scoring.discounts import discounts
from app.scoring.means import means_of
from app.scoring.ruler import Ruler
from app.scoring.working import ndcg_of
from tests.scoring.drawn import DOCUMENTS, cutoffs, judgments, projects, ranked, rulers, scored
from tests.scoring.made import collection

gains = st.lists(st.floats(0, 1000, allow_subnormal=False), min_size=1, max_size=8)


def ndcg(qrels, order, ruler, cutoff):
    """Return the nDCG of one list of the query q1."""
    made = collection(qrels, [{"q1": scored(order)}], ruler)
    return made.values(f"nDCG@{cutoff}")[0, made.queries.index("q1")]


@given(projects(), cutoffs)
def test_ndcg_lies_between_zero_and_one_or_is_undefined(made, cutoff):
    values = made.values(f"nDCG@{cutoff}")

    assert np.isnan(values[:, ~made.judged.scored]).all()
    assert (values[:, made.judged.scored] >= 0).all()
    assert (values[:, made.judged.scored] <= 1).all()


@given(judgments(lowest=0), rulers, cutoffs)
def test_the_ideal_order_gives_exactly_one_wherever_something_has_gain(qrels, ruler, cutoff):
    best = sorted(qrels["q1"], key=qrels["q1"].get, reverse=True)
    assume(max(qrels["q1"].values()) > 0)

    assert ndcg(qrels, best, ruler, cutoff) == 1.0


@given(ranked(), rulers, cutoffs)
def test_a_query_of_nothing_but_zeros_is_excluded_for_its_reason_and_never_a_number(run, ruler, cutoff):
    made = collection({"q1": {"d0": 0, "d1": 0}, "q2": {"d0": 0, "d1": -1}}, [run], ruler)
    values = made.values(f"nDCG@{cutoff}")

    assert np.isnan(values).all()
    assert made.judged.no_relevant.tolist() == [True, False]
    assert made.judged.undecided.tolist() == [False, True]
    assert means_of(values, made.judged.scored) == [None]


@given(judgments(), rulers, cutoffs)
def test_a_silent_run_has_zero_on_a_scored_query(qrels, ruler, cutoff):
    made = collection(qrels, [{}], ruler)
    values = made.values(f"nDCG@{cutoff}")

    assert (values[:, made.judged.scored] == 0).all()


@given(judgments(), ranked(shortest=2), rulers, cutoffs, st.data())
def test_permuting_documents_of_equal_gain_changes_nothing(qrels, run, ruler, cutoff, data):
    order = list(run["q1"])
    worth = {name: max(qrels["q1"].get(name, 0), 0) for name in order}
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


def test_adding_a_constant_to_all_gains_does_change_it():
    stars = {"q1": {"d0": 1, "d1": 5, "d2": 2}}

    linear = ndcg(stars, ["d0", "d1", "d2"], Ruler(lowest=1, highest=5), 3)
    raw = ndcg(stars, ["d0", "d1", "d2"], Ruler(lowest=1, highest=5, gain="raw"), 3)

    assert abs(linear - raw) > 0.05


@given(judgments(lowest=0), ranked(shortest=2), rulers, cutoffs, st.data())
def test_moving_a_better_document_up_never_lowers_ndcg_and_raises_it_where_the_discount_falls(
    qrels, run, ruler, cutoff, data
):
    order = list(run["q1"])
    upper = data.draw(st.integers(0, len(order) - 2))
    lower = data.draw(st.integers(upper + 1, len(order) - 1))
    worth = [qrels["q1"].get(order[place], 0) for place in (upper, lower)]
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

    before = collection(qrels, [{"q1": scored(order)}], ruler)
    after = collection(longer, [{"q1": scored([*order, "new"])}], ruler)

    assert after.values(f"DCG@{cutoff}")[0, 0] == before.values(f"DCG@{cutoff}")[0, 0]
    if grade <= 0:
        assert np.array_equal(
            after.values(f"nDCG@{cutoff}")[0, :1], before.values(f"nDCG@{cutoff}")[0, :1], equal_nan=True
        )


@given(judgments(lowest=0), ranked(), rulers, cutoffs, st.integers(0, 3))
def test_a_new_judged_document_outside_the_list_never_raises_ndcg(qrels, run, ruler, cutoff, grade):
    assume(max(qrels["q1"].values()) > 0)
    more = {**qrels, "q1": qrels["q1"] | {"elsewhere": grade}}
    order = list(run["q1"])

    assert ndcg(more, order, ruler, cutoff) <= ndcg(qrels, order, ruler, cutoff)


@given(projects(), cutoffs)
def test_mndcg_is_never_above_ndcg(made, cutoff):
    scored_queries = made.judged.scored
    ndcg_values = made.values(f"nDCG@{cutoff}")[:, scored_queries]

    assert (made.values(f"MNDCG@{cutoff}")[:, scored_queries] <= ndcg_values + 1e-15).all()


@given(projects())
def test_a_cutoff_beyond_lists_and_judgments_changes_nothing_more(made):
    enough = len(DOCUMENTS)

    at_once, later = made.values(f"nDCG@{enough}"), made.values(f"nDCG@{enough + 5}")

    assert np.array_equal(at_once, later, equal_nan=True)
    assert np.array_equal(at_once, made.values("nDCG"), equal_nan=True)


@given(judgments(), ranked(), cutoffs)
def test_on_binary_grades_linear_and_exponential_gain_are_the_same(qrels, run, cutoff):
    binary = {query: {name: min(grade, 1) for name, grade in row.items()} for query, row in qrels.items()}

    linear = collection(binary, [run], Ruler(highest=1)).values(f"nDCG@{cutoff}")
    exponential = collection(binary, [run], Ruler(highest=1, gain="exponential")).values(f"nDCG@{cutoff}")

    assert np.array_equal(linear, exponential, equal_nan=True)


@given(judgments(lowest=0), ranked(shortest=1), rulers)
def test_at_a_cutoff_of_one_ndcg_is_the_first_gain_over_the_best(qrels, run, ruler):
    table = ruler.gains()
    best = table[max(qrels["q1"].values())]
    assume(best > 0)
    order = list(run["q1"])

    assert ndcg(qrels, order, ruler, 1) == table[qrels["q1"].get(order[0], 0)] / best


@given(rulers, cutoffs)
def test_a_full_list_of_highest_grades_gives_one_by_every_ideal(ruler, cutoff):
    names = [f"d{n:02}" for n in range(cutoff)]
    made = collection({"q1": dict.fromkeys(names, 3)}, [{"q1": scored(names)}], ruler)

    assert made.values(f"nDCG@{cutoff}")[0, 0] == 1.0
    assert made.values(f"MNDCG@{cutoff}")[0, 0] == 1.0
