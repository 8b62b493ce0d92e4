"""Scores of whole files against trec_eval's own code, which reads and scores the same files."""

import itertools

import numpy as np
import pytest
import pytrec_eval

from tests.scoring.test_trec_eval import ASKED, NAMES, generated

MEASURES = " ".join(NAMES)


@pytest.mark.parametrize("seed", range(25))
def test_every_value_of_generated_files_equals_trec_eval(files, seed):
    gap = " " * (1 + seed % 2)
    qrels, runs = generated(seed)
    paths = [files.run(f"run{n}", run, gap=gap) for n, run in enumerate(runs)]
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED)

    found = files.score(files.qrels(qrels), *paths, measures=MEASURES, trec=True)

    for number, run in enumerate(runs):
        truth = evaluator.evaluate(run)
        assert found.per_query(number, list(NAMES)) == {
            query: {ours: row[theirs] for ours, theirs in NAMES.items()} for query, row in truth.items()
        }
        means = {ours: np.mean([row[theirs] for row in truth.values()]) for ours, theirs in NAMES.items()}
        assert found.runs[number].measures == pytest.approx(means, abs=1e-12)
        assert found.runs[number].scored == len(truth)


# trec_eval takes time with the square of the highest grade: seconds for one query at 100,000.
@pytest.mark.parametrize(
    ("highest", "queries"), [(1_001, 25), (2_000, 25), pytest.param(100_000, 1, marks=pytest.mark.thorough)]
)
def test_grades_of_any_scale_score_as_in_trec_eval(files, highest, queries):
    qrels, runs = generated(queries, highest)
    qrels = dict(itertools.islice(qrels.items(), queries))
    paths = [files.run(f"run{n}", run) for n, run in enumerate(runs)]

    found = files.score(files.qrels(qrels), *paths, measures=MEASURES, trec=True, compare=[("run0", "run1")])

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, ASKED)
    for number, run in enumerate(runs[: 1 if highest > 2_000 else 3]):
        assert found.per_query(number, list(NAMES)) == {
            query: {ours: row[theirs] for ours, theirs in NAMES.items()}
            for query, row in evaluator.evaluate(run).items()
        }
        low, high = found.runs[number].bounds["nDCG@10"]
        assert 0 < low < found.runs[number].measures["nDCG@10"] < high < 1
    assert found.comparisons[0]["bounds"] is not None


def test_lines_in_any_order_score_the_same(files):
    qrels, runs = generated(3)
    rng = np.random.default_rng(1)
    path = files.run("run", runs[0])
    lines = path.read_text().splitlines(keepends=True)
    mixed = files.text("mixed.run", "".join(rng.permutation(lines)))

    found = files.score(files.qrels(qrels), path, mixed, measures=MEASURES, trec=True)

    assert found.per_query(0, list(NAMES)) == found.per_query(1, list(NAMES))


def test_a_query_with_negative_grades_only_scores_0_as_in_a_fresh_trec_eval(files):
    qrels = files.qrels({"q1": {"a": 1}, "q2": {"a": -1, "b": -2}})
    run = files.run("run", {"q1": {"a": 1.0}, "q2": {"a": 1.0}})

    found = files.score(qrels, run, measures="nDCG@10 AP bpref", trec=True)

    assert found.per_query(0, ["nDCG@10", "AP", "bpref"]) == {
        "q1": {"nDCG@10": 1.0, "AP": 1.0, "bpref": 1.0},
        "q2": {"nDCG@10": 0.0, "AP": 0.0, "bpref": 0.0},
    }


def test_dropping_unjudged_documents_equals_trec_evals_judged_only_mode(files):
    qrels, runs = generated(11)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map"}, judged_docs_only_flag=True)

    found = files.score(
        files.qrels(qrels), files.run("run", runs[0]), measures="nDCG@10 AP", trec=True, unjudged="condensed"
    )

    truth = evaluator.evaluate(runs[0])
    assert found.per_query(0, ["nDCG@10", "AP"]) == {
        query: {"nDCG@10": row["ndcg_cut_10"], "AP": row["map"]} for query, row in truth.items()
    }
