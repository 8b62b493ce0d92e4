"""The engine against independent implementations: ir_measures, ranx and scikit-learn."""

import shutil
import warnings

import numpy as np
import pytest

from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

SEEDS = range(6)
pytestmark = pytest.mark.filterwarnings("ignore")  # what other people's packages warn about


def generated(seed, highest=3, queries=30):
    """Return judgments and a run without ties; every query has a relevant and a non-relevant document."""
    rng = np.random.default_rng(seed)
    documents = np.array([f"d{n}" for n in range(40)])
    qrels, run = {}, {}
    for query in (str(n) for n in range(1, queries + 1)):
        judged = rng.permutation(documents)[: rng.integers(3, 30)].tolist()
        grades = rng.integers(0, highest + 1, size=len(judged)).tolist()
        qrels[query] = dict(zip(judged, grades, strict=True)) | {judged[0]: 0, judged[1]: highest}
        listed = rng.permutation(documents)[: rng.integers(1, 40)].tolist()
        run[query] = dict(zip(listed, np.sort(rng.random(len(listed)))[::-1].tolist(), strict=True))
    return qrels, run


def ours(name, qrels, run, **choices):
    made = collection(qrels, [run], ScoringRuler(**choices))
    values = made.values(name)[0]
    return {query: values[number] for number, query in enumerate(made.queries)}


def theirs(measure, qrels, run):
    import ir_measures

    return {one.query_id: one.value for one in ir_measures.iter_calc([measure], qrels, run)}


def assert_same(got, expected, tolerance):
    assert set(got) == set(expected)
    assert max(abs(got[query] - expected[query]) for query in got) <= tolerance


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval, which ir_measures runs, needs perl")
@pytest.mark.parametrize("seed", SEEDS)
def test_exponential_ndcg_and_err_equal_gdeval_to_its_five_printed_digits(seed):
    from ir_measures import ERR, nDCG

    qrels, run = generated(seed, highest=4)

    exponential = ours("nDCG@10", qrels, run, highest=4, gain="exponential")
    err = ours("ERR@10", qrels, run, highest=4)

    assert_same(exponential, theirs(nDCG(dcg="exp-log2") @ 10, qrels, run), 5.1e-6)
    assert_same(err, theirs(ERR @ 10, qrels, run), 5.1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("patience", [0.5, 0.8, 0.95])
def test_rank_biased_precision_of_binary_grades_equals_cwl(seed, patience):
    from ir_measures import RBP

    qrels, run = generated(seed, highest=1)

    assert_same(
        ours(f"RBP({patience})", qrels, run, highest=1), theirs(RBP(rel=1, p=patience), qrels, run), 1e-12
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_judged_share_and_condensed_ndcg_equal_ir_measures(seed):
    from ir_measures import Judged, nDCG

    qrels, run = generated(seed)

    assert_same(ours("judged@10", qrels, run), theirs(Judged @ 10, qrels, run), 1e-12)
    condensed = theirs(nDCG(judged_only=True) @ 10, qrels, run)
    assert_same(ours("condensed-nDCG@10", qrels, run), condensed, 1e-12)
    assert_same(ours("nDCG@10", qrels, run, unjudged="condensed"), condensed, 1e-12)


RANX = {
    "nDCG@10": "ndcg@10",
    "nDCG": "ndcg",
    "P@7": "precision@7",
    "Recall@10": "recall@10",
    "AP": "map",
    "AP@5": "map@5",
    "RR": "mrr",
    "RR@3": "mrr@3",
    "Success@3": "hit_rate@3",
    "Rprec": "r-precision",
    "bpref": "bpref",
}


def through_ranx(names, qrels, run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ranx import Qrels, Run, evaluate

        held = Run(run)
        evaluate(Qrels(qrels), held, names, return_mean=False)
    return held.scores


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.thorough
def test_ranx_agrees_where_nothing_is_tied_and_something_is_judged_not_relevant(seed):
    qrels, run = generated(seed)

    truth = through_ranx([*RANX.values(), "ndcg_burges@10"], qrels, run)

    for name, expected in RANX.items():
        assert_same(ours(name, qrels, run), truth[expected], 1e-12)
    exponential = ours("nDCG@10", qrels, run, gain="exponential")
    assert_same(exponential, truth["ndcg_burges@10"], 1e-12)


@pytest.mark.parametrize("seed", SEEDS)
def test_scikit_learn_agrees_where_every_listed_document_is_judged_and_nothing_tied(seed):
    from sklearn.metrics import ndcg_score

    rng = np.random.default_rng(seed)
    grades, scores = (
        rng.integers(0, 4, size=(20, 12)),
        rng.permuted(np.tile(np.arange(12.0), (20, 1)), axis=1),
    )
    grades[:, 0] = 3
    names = [f"d{n:02}" for n in range(12)]
    qrels = {f"q{n:02}": dict(zip(names, map(int, row), strict=True)) for n, row in enumerate(grades)}
    run = {f"q{n:02}": dict(zip(names, row.tolist(), strict=True)) for n, row in enumerate(scores)}

    got = ours("nDCG@5", qrels, run)

    expected = {query: ndcg_score([grades[n]], [scores[n]], k=5) for n, query in enumerate(qrels)}
    assert_same(got, expected, 1e-12)
