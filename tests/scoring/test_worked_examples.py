"""Published worked examples, to the last printed digit, through the readable form and the engine."""

import numpy as np
import pytest

from app.scoring.discounts import discounts
from app.scoring.gains import gain_table
from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection
from tests.scoring.plain_ndcg import dcg_of, ideal_dcg_of, ndcg_of

JARVELIN = [3, 2, 3, 0, 0, 1, 2, 2, 3, 0]
IDEAL = [3, 3, 3, 2, 2, 2, 1, 1, 1, 1]


def through_the_engine(name, grades, judged, **choices):
    """Return one measure of one list: ``grades`` in rank order, ``judged`` all grades of the query."""
    rest = list(judged)
    qrels = {}
    for rank, grade in enumerate(grades):
        if grade in rest:
            rest.remove(grade)
            qrels[f"d{rank:02}"] = grade
    qrels |= {f"z{n:02}": grade for n, grade in enumerate(rest)}
    run = {f"d{rank:02}": -float(rank) for rank in range(len(grades))}
    ruler = ScoringRuler(**{"highest": max([*judged, 1]), **choices})
    return float(collection({"q": qrels}, [{"q": run}], ruler).values(name)[0, 0])


def test_jarvelin_and_kekalainen_2002_cumulated_gains():
    original = discounts("original-2002", 10)

    reached = [dcg_of(JARVELIN[:n], original) for n in range(1, 11)]
    ideal = [ideal_dcg_of(IDEAL[:n], original) for n in range(1, 11)]

    printed = [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61]
    printed_ideal = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83]
    np.testing.assert_allclose(reached, printed, atol=0.0101)
    np.testing.assert_allclose(ideal, printed_ideal, atol=0.0101)


def test_jarvelin_and_kekalainen_2002_side_by_side_through_the_engine():
    judged, choices = [*IDEAL, 0, 0, 0], {"discount": "original-2002"}

    def across(name):
        return [through_the_engine(f"{name}@{n}", JARVELIN, judged, **choices) for n in range(1, 11)]

    assert across("CG") == [3, 5, 8, 8, 8, 9, 11, 13, 16, 16]
    np.testing.assert_allclose(
        across("DCG"), [3, 5, 6.89, 6.89, 6.89, 7.28, 7.99, 8.66, 9.61, 9.61], atol=0.0101
    )
    printed_ideal = [3, 6, 7.89, 8.89, 9.75, 10.52, 10.88, 11.21, 11.53, 11.83]
    np.testing.assert_allclose(across("IDCG"), printed_ideal, atol=0.0101)
    np.testing.assert_array_equal(across("nDCG"), np.divide(across("DCG"), across("IDCG")))


def test_jarvelin_and_kekalainen_2002_ndcg_and_the_last_value_that_tells_the_discounts_apart():
    printed = [1, 0.833, 0.873, 0.775, 0.707, 0.691, 0.734, 0.772, 0.833, 0.812]

    original = [
        through_the_engine(f"nDCG@{n}", JARVELIN, [*IDEAL, 0, 0, 0], discount="original-2002")
        for n in range(1, 11)
    ]
    log2 = through_the_engine("nDCG@10", JARVELIN, [*IDEAL, 0, 0, 0])

    np.testing.assert_allclose(original, printed, atol=0.001)
    assert round(log2, 4) == 0.8336


@pytest.mark.parametrize(
    ("gains", "base", "dcg"),
    [
        ([3, 3, 2, 2, 0], 2, 8.261860),
        ([0, 2, 3, 1, 3], 2, 5.684819),
        ([0, 2, 3, 1, 3], 3, 7.840300),
        ([0, 2, 3, 1, 3], 10, 9.0),
    ],
)
def test_the_original_discount_with_several_bases(gains, base, dcg):
    assert round(dcg_of(gains, discounts("original-2002", 5, base)), 6) == dcg
    engine = through_the_engine("DCG@5", gains, gains, discount="original-2002", base=base)
    assert round(engine, 6) == dcg


def test_the_original_discount_normalised_by_the_list_itself():
    original = discounts("original-2002", 5)

    assert round(ideal_dcg_of([0, 2, 3, 1, 3], original), 6) == 7.761860
    assert round(ndcg_of([0, 2, 3, 1, 3], [0, 2, 3, 1, 3], original), 6) == 0.732404
    assert round(
        through_the_engine("nDCG@5", [0, 2, 3, 1, 3], [0, 2, 3, 1, 3], discount="original-2002"), 6
    ) == 0.732404  # fmt: skip


@pytest.mark.parametrize(
    ("grades", "judged", "cutoff", "dcg", "ideal", "ndcg"),
    [
        ([2, 4, 5, 3, 1, 1], [2, 4, 5, 3, 1, 1], 6, 9.058809, 10.628132, 0.852342),
        ([4, 3, 3, 4, 2, 2, 0, 0], [4, 4, 3, 3, 2, 2, 2, 1], 8, 10.601615, 11.784000, 0.899662),
        ([3, 2, 3, 0, 1, 2, 3, 0], [3, 2, 3, 0, 1, 2, 3, 0], 6, 6.861127, 8.384055, 0.818354),
        ([3, 2, 3, 0, 1, 2], [3, 2, 3, 0, 1, 2], 6, 6.861127, 7.140995, 0.960808),
    ],
)
def test_linear_gain_with_the_log2_discount(grades, judged, cutoff, dcg, ideal, ndcg):
    log2 = discounts("log2", cutoff)

    assert round(dcg_of(grades, log2), 6) == dcg
    assert round(ideal_dcg_of(judged, log2), 6) == ideal
    assert round(ndcg_of(grades, judged, log2), 6) == ndcg
    assert round(through_the_engine(f"DCG@{cutoff}", grades, judged), 6) == dcg
    assert round(through_the_engine(f"nDCG@{cutoff}", grades, judged), 6) == ndcg


def test_exponential_gain_of_the_same_list():
    grades, judged = [4, 3, 3, 4, 2, 2, 0, 0], [4, 4, 3, 3, 2, 2, 2, 1]
    table, log2 = gain_table(0, 4, "exponential"), discounts("log2", 8)

    assert round(dcg_of(table[grades].tolist(), log2), 6) == 31.605837
    assert round(ideal_dcg_of(table[judged].tolist(), log2), 6) == 34.523327
    assert round(through_the_engine("nDCG@8", grades, judged, gain="exponential"), 6) == 0.915492


@pytest.mark.parametrize("grades", [[3, 2, 3, 0, 1, 2, 3, 0], [3, 2, 3, 0, 1, 2]])
def test_doubled_gains_have_the_same_ndcg(grades):
    log2 = discounts("log2", 6)
    doubled = [2 * grade for grade in grades]

    assert ndcg_of(doubled, doubled, log2) == ndcg_of(grades, grades, log2)


@pytest.mark.parametrize("judged", [[3, 2, 3, 0, 1, 2, 3, 0], [3, 2, 3, 0, 1, 2]])
def test_the_ideal_over_the_returned_list_cut_at_six(judged):
    values = through_the_engine("nDCG@6", judged, [*judged, 3, 3, 3, 3], ideal="returned")

    assert round(values, 6) == (0.818354 if len(judged) == 8 else 0.960808)


@pytest.mark.parametrize(
    ("grades", "nmap", "ndcg", "f1", "mndcg"),
    [
        ([0, 5, 5, 5, 5], 0.8, 0.760640, 0.779823, 0.660840),
        ([5, 5, 0, 0, 5], 0.6, 0.946902, 0.734554, 0.684352),
        ([1, 2, 0, 0, 0], 0.12, 0.859719, 0.210604, 0.153427),
        ([5, 3, 0, 5, 0], 0.52, 0.936976, 0.668820, 0.613620),
    ],
)
def test_mean_gain_ndcg_their_f1_and_mndcg_on_a_scale_up_to_five(grades, nmap, ndcg, f1, mndcg):
    choices = {"highest": 5}

    assert round(through_the_engine("nmap@5", grades, grades, **choices), 6) == nmap
    assert round(through_the_engine("nDCG@5", grades, grades, **choices), 6) == ndcg
    assert round(through_the_engine("F1@5", grades, grades, **choices), 6) == f1
    assert round(through_the_engine("MNDCG@5", grades, grades, **choices), 6) == mndcg
    assert round(through_the_engine("nDCG@5", grades, grades, ideal="maximum", **choices), 6) == mndcg


@pytest.mark.parametrize(("highest", "mndcg"), [(2, 0.383566), (3, 0.255711), (5, 0.153427)])
def test_mndcg_depends_on_the_highest_grade_of_the_scale_not_of_the_list(highest, mndcg):
    grades = [1, 2, 0, 0, 0]

    assert round(through_the_engine("MNDCG@5", grades, grades, highest=highest), 6) == mndcg


def test_question_answering_needs_linear_gain_and_log2():
    grades, gold = [0, 3, 2], [3, 2, 1]

    values = {
        "linear": through_the_engine("nDCG@3", grades, gold, highest=3),
        "original": through_the_engine("nDCG@3", grades, gold, discount="original-2002"),
        "reciprocal": through_the_engine("nDCG@3", grades, gold, discount="reciprocal"),
        "exponential": through_the_engine("nDCG@3", grades, gold, gain="exponential"),
        "own": through_the_engine("nDCG@3", grades, [*gold, 0], ideal="returned"),
    }

    assert {name: round(value, 6) for name, value in values.items()} == {
        "linear": 0.607492,
        "original": 0.756866,
        "reciprocal": 0.5,
        "exponential": 0.629899,
        "own": 0.678762,
    }
    assert round(dcg_of(grades, discounts("log2", 3)), 3) == 2.893


def test_question_answering_with_one_right_answer_in_third_place():
    made = collection(
        {"q": {"a": 0, "b": 0, "c": 1}}, [{"q": {"a": 3.0, "b": 2.0, "c": 1.0}}], ScoringRuler(highest=1)
    )

    got = {name: made.values(name)[0, 0] for name in ("Top@1", "Top@2", "Accuracy@3", "P@2", "RR", "AP")}

    assert got == {"Top@1": 0, "Top@2": 0, "Accuracy@3": 1, "P@2": 0, "RR": 1 / 3, "AP": 1 / 3}


def test_a_question_without_a_right_answer_is_undefined_and_zero_only_in_trec_mode():
    qrels, run = {"q": {"a": 0, "b": 0}}, {"q": {"a": 2.0, "b": 1.0}}

    assert np.isnan(collection(qrels, [run], ScoringRuler(highest=1)).values("nDCG@2")[0, 0])
    assert collection(qrels, [run], ScoringRuler(highest=1, trec=True)).values("nDCG@2")[0, 0] == 0.0


def test_accuracy_cannot_tell_what_ndcg_can():
    barely, perfect = [0, 0, 0, 0, 1], [3, 3, 3, 3, 3]

    accuracies = [
        through_the_engine("Accuracy@5", grades, perfect, highest=3) for grades in (perfect, perfect)
    ]
    barely_right = through_the_engine("Accuracy@5", barely, [1, 3, 3, 3, 3, 0, 0, 0, 0], highest=3)

    assert accuracies[0] == barely_right == 1.0
    assert through_the_engine("nDCG@5", barely, [1, 3, 3, 3, 3, 0, 0, 0, 0], highest=3) < 0.1
    assert through_the_engine("nDCG@5", perfect, perfect, highest=3) == 1.0
