"""The same lists and ratings give the same scores, whichever tool wrote their files."""

from __future__ import annotations

import csv
from itertools import zip_longest

import pytest

from app.services.collection.documents import import_documents
from app.services.collection.files import ImportFile
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.queries import import_queries
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.evidence.store import evidence_of
from app.services.exports.tables import export_scores
from tests.furniture.factories import Make
from tests.furniture.files import file_of, import_judgments
from tests.furniture.tool_files import ratings_in, runs_in

TEXTS = {"q1": "what similarity laws must be obeyed", "q2": "heat conduction, slab", "q3": "flutter?"}
LISTS = {"q1": ["d3", "d1", "d4"], "q2": ["d2", "d5"], "q3": ["d5", "d1", "d2"]}
GRADES = {"q1": {"d1": 3, "d2": 1, "d4": 0}, "q2": {"d5": 2, "d2": 0}, "q3": {"d1": 1, "d3": 3}}
DOCUMENTS = "doc_id\ttext\n" + "".join(f"d{number}\tt{number}\n" for number in range(1, 6))
MEASURES = "DCG@2 P@2 R@2 RR AP ERR@3 bpref"


RUNS, RATINGS = runs_in(TEXTS, LISTS), ratings_in(TEXTS, GRADES)


@pytest.fixture
def database_kind():
    """Try one database: files are read the same for both."""
    return "sqlite"


@pytest.fixture
def scores_of(database):
    """Return the function that imports a run and ratings into a new project and returns all its scores."""

    def scores_of(run, ratings):
        with database.write() as session:
            project = Make(session).project(k=3, pool_depth=3)
            queries = "".join(f"{query}\t{text}\n" for query, text in TEXTS.items())
            import_queries(session, project, file_of(queries))
            import_documents(session, project, file_of(DOCUMENTS))
            import_judgments(session, project, _file(ratings), JudgmentOptions())
            import_run(session, project, _file(run), RunOptions(ranker="r"))
        evidence = evidence_of(database, project.id)
        with database.read() as session:
            table = export_scores(session, evidence, measures=MEASURES, data=True).lines
            return [(row["query_id"], row["measure"], row["value"]) for row in csv.DictReader(table)]

    return scores_of


def _file(content):
    return ImportFile(content=content if isinstance(content, bytes) else content.encode(), name="file")


@pytest.mark.thorough
def test_every_format_gives_the_same_scores(scores_of):
    expected = scores_of(RUNS["trec"], RATINGS["trec"])

    assert len(expected) == 8 * (1 + len(TEXTS))
    for run, ratings in zip_longest(RUNS, RATINGS, fillvalue="trec"):
        assert scores_of(RUNS[run], RATINGS[ratings]) == expected, (run, ratings)
