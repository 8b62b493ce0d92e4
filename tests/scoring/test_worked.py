"""The step-by-step working of every measure adds up to what the engine computes."""

import numpy as np
import pytest

from app.scoring.evaluate import evaluate
from app.scoring.lists import Lists
from app.scoring.measures import parse_measure
from app.scoring.ruler import ScoringRuler
from app.scoring.states import NONRELEVANT, POOLED, RELEVANT
from app.scoring.worked import WORKED, Known, Listed, label_of, worked_measure
from tests.scoring.collected import judged_grades
from tests.scoring.plain_ndcg import ndcg_of


@pytest.mark.thorough
@pytest.mark.parametrize("name", list(WORKED))
@pytest.mark.parametrize("k", [1, 3, 10])
def test_the_steps_add_up_to_the_engines_score(name, k):
    random = np.random.default_rng(7)
    ruler = ScoringRuler(highest=3, threshold=2)
    for _ in range(40):
        items, length = 12, int(random.integers(0, 9))
        grades = random.integers(-1, 4, items)
        pooled = random.random(items) < 0.7
        judged = judged_grades(
            grades, np.zeros(items, dtype=np.int32), ruler, queries=1, pooled=pooled | (grades >= 0)
        )
        order = random.permutation(items)[:length]
        depth = max(k, length)
        positions = np.full((depth, 1, 1), judged.absent, dtype=np.int32)
        positions[:length, 0, 0] = order
        lists = Lists(positions, np.array([[length]]))
        (values,) = evaluate([parse_measure(label_of(name, k))], lists, judged).values()
        (ndcg,) = evaluate([parse_measure(f"nDCG@{k}")], lists, judged).values()
        listed = [
            Listed(
                None if grades[cell] < 0 else float(grades[cell]),
                float(judged.gain[cell]),
                int(judged.state[cell]),
                float(judged.stop[cell]),
            )
            for cell in order
        ]
        known = Known(
            k=k,
            relevant=int(judged.relevant_counts[0]),
            nonrelevant=int(judged.nonrelevant_counts[0]),
            highest=float(ruler.gains()[-1]),
            discounts=ruler.discounts(k),
            ndcg=float(ndcg[0, 0]),
        )

        worked = worked_measure(name, listed, known)

        if judged.scored[0]:
            assert (worked.value or 0.0) == pytest.approx(float(values[0, 0]), abs=1e-12)
        assert worked.total == (worked.steps[-1].total if worked.steps else 0.0)
        if worked.perfect:
            assert (len(worked.perfect), sum(worked.perfect)) == (k, pytest.approx(worked.divisor))
        read = length if name in {"RBP", "bpref", "infAP"} else min(k, length)
        assert len(worked.steps) + worked.left_out == read
        assert all(step.worth for step in worked.steps) or not worked.left_out


def test_the_measures_that_divide_by_a_perfect_list_show_it():
    assert [name for name, recipe in WORKED.items() if recipe.perfect] == ["MNDCG", "MNG", "F1"]


def test_a_whole_list_is_told_by_the_places_that_add_something():
    listed = [Listed(0.0, 0.0, NONRELEVANT, 0.0), Listed(3.0, 3.0, RELEVANT, 0.5), Listed(None, 0, POOLED, 0)]
    known = Known(
        k=1, relevant=2, nonrelevant=1, highest=3.0, discounts=ScoringRuler(highest=3).discounts(1), ndcg=0.0
    )

    worked = worked_measure("bpref", listed, known)

    assert [(step.rank, step.weight) for step in worked.steps] == [(2, 0.0)]
    assert (worked.measure, worked.left_out, worked.divisor, worked.value) == ("bpref", 2, 2.0, 0.0)


@pytest.mark.parametrize(("relevant", "nonrelevant"), [(1, 3), (2, 1), (2, 0)])
def test_the_column_of_bpref_is_headed_by_the_formula_of_its_numbers(relevant, nonrelevant):
    listed = [Listed(0.0, 0.0, NONRELEVANT, 0.0)] * nonrelevant + [Listed(3.0, 3.0, RELEVANT, 0.5)]
    known = Known(
        k=1,
        relevant=relevant,
        nonrelevant=nonrelevant,
        highest=3.0,
        discounts=ScoringRuler().discounts(1),
        ndcg=0.0,
    )
    header = WORKED["bpref"].weight.replace("−", "-").replace("wrong above", "nonrelevant")
    counts = {"R": relevant, "N": nonrelevant, "nonrelevant": nonrelevant}

    (step,) = worked_measure("bpref", listed, known).steps

    # Where nothing wrong is known there is nothing to divide by, and nothing stands above.
    assert step.weight == (eval(header, counts) if nonrelevant else 1.0)


@pytest.mark.parametrize(
    ("grades", "nmap", "f1"), [([0, 5, 5, 5, 5], 0.8, 0.779823), ([5, 5, 0, 0, 5], 0.6, 0.734554)]
)
def test_mean_gain_and_its_f1_are_worked_out_to_the_published_digits(grades, nmap, f1):
    listed = [Listed(float(grade), float(grade), RELEVANT, 0.0) for grade in grades]
    log2 = ScoringRuler(highest=5).discounts(5)
    known = Known(
        k=5, relevant=5, nonrelevant=0, highest=5.0, discounts=log2, ndcg=ndcg_of(grades, grades, log2)
    )

    mean, both = worked_measure("MNG", listed, known), worked_measure("F1", listed, known)

    assert (mean.total, mean.divisor, mean.value) == (sum(grades), 25.0, nmap)
    assert both.quotient == nmap
    assert round(both.value, 6) == f1


def test_a_list_without_gain_has_an_f1_of_0():
    known = Known(
        k=1, relevant=1, nonrelevant=0, highest=3.0, discounts=ScoringRuler().discounts(1), ndcg=0.0
    )

    assert worked_measure("F1", [Listed(0.0, 0.0, NONRELEVANT, 0.0)], known).value == 0.0
