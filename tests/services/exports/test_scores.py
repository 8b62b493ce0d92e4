"""Scores go out with their coverage, their ruler and their revision."""

from __future__ import annotations

import csv

import pytest
from sqlalchemy import select

from app.models import Candidate
from app.services.evidence.store import evidence_of
from app.services.exports.tables import export_scores
from app.services.scores.scoreboard import score_runs
from tests.furniture.factories import Make
from tests.furniture.files import bring_run, corpus


@pytest.fixture
def project(database):
    with database.write() as session:
        make = Make(session)
        project = make.project(k=2, pool_depth=2)
        corpus(session, project)
        bring_run(session, project, "one", {"q1": "d1 d2", "q2": "d3"})
        bring_run(session, project, "two", {"q1": "d2 d1", "q2": "d4"})
        annotator = make.member(project, "annotator")
        for candidate in session.scalars(select(Candidate).where(Candidate.project_id == project.id)).all():
            make.judgment(candidate, annotator, candidate.best_rank)
    return project


def test_means_and_queries_agree_with_the_scores(database, project):
    evidence = evidence_of(database, project.id)
    with database.read() as session:
        rows = list(csv.DictReader(export_scores(session, evidence, measures="P@1", data=True).lines))

    board = score_runs(evidence, evidence.current_runs(), measures="P@1")
    means = {(row["ranker"], row["measure"]): float(row["value"]) for row in rows if row["query_id"] == "all"}
    assert means == {
        (score.run.ranker, label): value for score in board.runs for label, value in score.measures.items()
    }
    single = [row for row in rows if row["ranker"] == "two" and row["measure"] == "nDCG@2"]
    values = [float(row["value"]) for row in single if row["query_id"] != "all"]
    assert sum(values) / len(values) == pytest.approx(means["two", "nDCG@2"])
    assert {row["judged"] for row in rows} == {"1.0"}
    assert {(row["scoring_settings"], row["fingerprint"], row["revision"]) for row in rows} == {
        ("linear, log2", board.ruler.fingerprint, str(board.revision))
    }


def test_without_a_scored_query_the_value_is_empty(database):
    with database.write() as session:
        project = Make(session).project(k=2, pool_depth=2)
        corpus(session, project)
        bring_run(session, project, "one", {"q1": "d1"})

    with database.read() as session:
        export = export_scores(session, evidence_of(database, project.id), format="csv", data=True)
        rows = list(csv.DictReader(export.lines))

    assert [(row["query_id"], row["value"]) for row in rows] == [("all", "")]
    assert "Scoring settings: NDCG@2 (linear, log2)" in export.notes[1]
