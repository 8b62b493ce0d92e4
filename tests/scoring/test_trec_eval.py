"""The engine in its trec_eval mode against trec_eval's own code, over generated collections."""

import numpy as np
import pytest
import pytrec_eval

from app.scoring.ruler import ScoringRuler
from tests.scoring.made import collection

NAMES = {
    "nDCG@5": "ndcg_cut_5",
    "nDCG@10": "ndcg_cut_10",
    "nDCG@30": "ndcg_cut_30",
    "nDCG": "ndcg",
    "P@1": "P_1",
    "P@10": "P_10",
    "Recall@5": "recall_5",
    "Recall@30": "recall_30",
    "Success@1": "success_1",
    "Success@5": "success_5",
    "RR": "recip_rank",
    "AP": "map",
    "AP@10": "map_cut_10",
    "Rprec": "Rprec",
    "bpref": "bpref",
    "infAP": "infAP",
}
ASKED = {
    "ndcg_cut.5,10,30", "ndcg", "P.1,10", "recall.5,30", "success.1,5", "recip_rank", "map", "map_cut.10",
    "Rprec", "bpref", "infAP",
}  # fmt: skip
SCORES = [0.0, -1.0, 1.0, 2.5, 0.12345678, 0.123456784, 16777216.0, 16777217.0, 1e-30, 7e4]


def generated(seed, highest=3):
    """Return judgments and three runs with ties, negative grades, silent and unjudged queries."""
    rng = np.random.default_rng(seed)
    documents = [f"d{n}" for n in range(60)] + ["ä", "Z", "a", "é1", "\U0001f600", "\uffee"]
    qrels, runs = {}, [{}, {}, {}]
    for query in (f"q{n}" for n in range(25)):
        if rng.random() < 0.95:
            chosen = rng.choice(documents, size=rng.integers(1, 50), replace=False)
            grades = (
                rng.integers(-2, highest + 1, size=len(chosen))
                if rng.random() < 0.9
                else np.zeros(len(chosen))
            )
            grades[0] = max(grades[0], 0)  # trec_eval stops, or never ends, where all grades are negative
            qrels[query] = dict(zip(chosen.tolist(), map(int, grades), strict=True))
        for run in runs:
            if rng.random() < 0.95:
                listed = rng.choice(documents, size=rng.integers(1, 60), replace=False).tolist()
                spread = SCORES if rng.random() < 0.5 else rng.normal(size=200).tolist()
                run[query] = dict(zip(listed, rng.choice(spread, size=len(listed)).tolist(), strict=True))
    return qrels, runs


def mode(**choices):
    return ScoringRuler(lowest=0, highest=3, gain="raw", trec=True, **choices)


@pytest.mark.parametrize("seed", range(40))
def test_every_value_equals_trec_eval_to_the_last_bit(seed):
    level = 1 + seed % 2
    qrels, runs = generated(seed)
    made = collection(qrels, runs, mode(threshold=level))
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED, relevance_level=level)
    truth = [evaluator.evaluate(run) for run in runs]

    for ours, theirs in NAMES.items():
        values = made.values(ours)

        for number, expected in enumerate(truth):
            got = {q: values[number, made.queries.index(q)] for q in expected}
            assert got == {q: row[theirs] for q, row in expected.items()}, ours


def test_lists_of_hundreds_of_documents_equal_trec_eval_too():
    rng = np.random.default_rng(9)
    names = [f"d{n}" for n in range(900)]
    grades = {name: int(grade) for name, grade in zip(names, rng.integers(-1, 4, size=900), strict=True)}
    run = {name: float(score) for name, score in zip(names, rng.integers(0, 300, size=900), strict=True)}
    qrels, runs = {"q1": grades, "q2": {"d1": 1}}, [{"q1": run, "q2": run}]
    made = collection(qrels, runs, mode())
    truth = pytrec_eval.RelevanceEvaluator(qrels, ASKED).evaluate(runs[0])

    for ours, theirs in NAMES.items():
        assert made.values(ours)[0].tolist() == [truth["q1"][theirs], truth["q2"][theirs]], ours
