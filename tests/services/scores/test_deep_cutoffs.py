"""Cutoffs deeper than every list: imported runs of five ranks, scored down to 10, to 50, and whole."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
import pytrec_eval

from app.scoring.ruler import ScoringRuler
from app.services.collection.judgment_files import JudgmentOptions
from app.services.evidence.store import evidence_of
from app.services.scores.scoreboard import score_runs
from tests.furniture.evidence import bounds_of
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus, file_of, import_judgments
from tests.scoring.enumerated import enumerated
from tests.scoring.made import collection

if TYPE_CHECKING:
    from app.database import Database
    from app.services.evidence.state import Evidence

DOCUMENTS = [f"d{number}" for number in range(1, 13)]
QUERIES = [f"q{number}" for number in range(1, 10)]
RANKS = 5
SAME = {
    "nDCG@10": "ndcg_cut_10", "nDCG@50": "ndcg_cut_50", "nDCG": "ndcg", "P@10": "P_10", "P@50": "P_50",
    "Recall@10": "recall_10", "Recall@50": "recall_50", "AP@50": "map_cut_50", "AP": "map",
}  # fmt: skip
THEIRS = {"ndcg_cut.10,50", "ndcg", "P.10,50", "recall.10,50", "map_cut.50", "map"}
Lists = dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def drawn() -> tuple[dict[str, dict[str, int]], Lists]:
    """Return grades of what two rankers return, and of much that neither does; and their lists."""
    rng = random.Random(11)
    qrels = {q: {d: rng.randint(0, 3) for d in DOCUMENTS if rng.random() < 0.6} for q in QUERIES}
    lists = {
        name: {q: rng.sample(DOCUMENTS, rng.choice([RANKS, RANKS, 2])) for q in QUERIES}
        for name in ("First", "Second")
    }
    return {q: grades | {DOCUMENTS[at]: 3} for at, (q, grades) in enumerate(qrels.items())}, lists


@pytest.mark.parametrize("k", [10, 50])
def test_a_cutoff_below_the_end_of_every_list_scores_as_trec_eval_does(
    database: Database, drawn: tuple[dict[str, dict[str, int]], Lists], k: int
) -> None:
    qrels, lists = drawn
    evidence = imported(database, qrels, lists, k)

    with database.read() as session:
        board = score_runs(evidence, evidence.current_runs(), measures=" ".join(SAME), session=session)

    evaluator = pytrec_eval.RelevanceEvaluator(qrels, THEIRS)
    for row, run in enumerate(board.runs):
        listed = lists[run.run.ranker]
        truth = evaluator.evaluate(scored(listed))
        values = board.per_query(row)
        assert {q: {ours: values[q][ours] for ours in SAME} for q in QUERIES} == {
            q: {ours: truth[q][theirs] for ours, theirs in SAME.items()} for q in QUERIES
        }
        for query, found in listed.items():
            judged = sum(document in qrels[query] for document in found) / len(found)
            assert (values[query]["judged@10"], values[query]["judged@50"]) == (judged, judged)


@pytest.mark.parametrize("k", [10, 50])
def test_bounds_at_a_cutoff_below_the_end_of_every_list_are_the_ends_of_all_completions(
    database: Database, drawn: tuple[dict[str, dict[str, int]], Lists], k: int
) -> None:
    qrels, lists = drawn
    evidence = imported(database, qrels, lists, k)
    board = score_runs(evidence, evidence.current_runs())

    runs = [scored(lists[run.run.ranker]) for run in board.runs]
    made = collection(qrels, runs, ScoringRuler(), pool_depth=k)
    reached = [enumerated(made.lists, made.judged, query, k) for query in range(len(QUERIES))]

    lows = np.mean([values.min(axis=1) for values in reached], axis=0)
    highs = np.mean([values.max(axis=1) for values in reached], axis=0)
    assert np.allclose(bounds_of(evidence, board), np.stack([lows, highs], axis=1), rtol=0, atol=1e-12)
    assert (lows < highs).all()


def imported(database: Database, qrels: dict[str, dict[str, int]], lists: Lists, k: int) -> Evidence:
    """Return the evidence of a project of this cutoff, its runs and grades imported from files."""
    with database.write() as session:
        project = Make(session).project(k=k, pool_depth=k)
        corpus(session, project, queries=len(QUERIES), documents=len(DOCUMENTS))
        for name, listed in lists.items():
            bring_run(session, project, name, {query: " ".join(found) for query, found in listed.items()})
        text = "".join(f"{q} 0 {d} {grade}\n" for q, grades in qrels.items() for d, grade in grades.items())
        import_judgments(session, project, file_of(text, "qrels.txt"), JudgmentOptions())
        number = project.id
    return evidence_of(database, number)


def scored(lists: dict[str, list[str]]) -> dict[str, dict[str, float]]:
    """Return lists with scores that fall from rank to rank."""
    return {
        query: {document: float(-rank) for rank, document in enumerate(documents)}
        for query, documents in lists.items()
    }
