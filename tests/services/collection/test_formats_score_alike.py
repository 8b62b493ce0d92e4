"""The same lists and ratings give the same scores, whichever tool wrote their files."""

from __future__ import annotations

import csv
import json
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

TEXTS = {"q1": "what similarity laws must be obeyed", "q2": "heat conduction, slab", "q3": "flutter?"}
LISTS = {"q1": ["d3", "d1", "d4"], "q2": ["d2", "d5"], "q3": ["d5", "d1", "d2"]}
GRADES = {"q1": {"d1": 3, "d2": 1, "d4": 0}, "q2": {"d5": 2, "d2": 0}, "q3": {"d1": 1, "d3": 3}}
DOCUMENTS = "doc_id\ttext\n" + "".join(f"d{number}\tt{number}\n" for number in range(1, 6))
MEASURES = "DCG@2 P@2 R@2 RR AP ERR@3 bpref"


def lines(shape, names=TEXTS):
    """Return a line for each place of a list."""
    return "".join(
        shape.format(query=names[query], document=document, rank=rank, score=9 - rank)
        for query, documents in LISTS.items()
        for rank, document in enumerate(documents, 1)
    )


def rated(shape, names=TEXTS):
    """Return a line for each rating."""
    return "".join(
        shape.format(query=names[query], document=document, grade=grade)
        for query, grades in GRADES.items()
        for document, grade in grades.items()
    )


IDS = {name: name for name in TEXTS}
HITS = {
    query: [{"_id": document, "matched_queries": [TEXTS[query]]} for document in documents]
    for query, documents in LISTS.items()
}
RUNS = {
    "trec": lines("{query} Q0 {document} {rank} {score} t\n", IDS),
    "pairs": json.dumps(
        {query: {each: -rank for rank, each in enumerate(found)} for query, found in LISTS.items()}
    ),
    "snapshot": lines('mon,1,7,"{query}",{document},{rank}\n').join(
        ["Snapshot Name,Snapshot Time,Case ID,Query Text,Doc ID,Doc Position\n", ""]
    ),
    "msearch": json.dumps({"responses": [{"hits": {"hits": hits}} for hits in HITS.values()]}),
    "rank-eval": json.dumps(
        {"details": {query: {"hits": [{"hit": hit} for hit in hits]} for query, hits in HITS.items()}}
    ),
    "solr": "\n".join(
        json.dumps(
            {
                "responseHeader": {"params": {"q": TEXTS[query]}},
                "response": {"docs": [{"id": one} for one in found]},
            }
        )
        for query, found in LISTS.items()
    ),
}
BY_TEXT = {TEXTS[query]: grades for query, grades in GRADES.items()}
RATINGS = {
    "trec": rated("{query} 0 {document} {grade}\n", IDS),
    "pairs": json.dumps(GRADES),
    "quepid csv": "query,docid,rating\n" + rated('"{query}",{document},{grade}\n'),
    "book csv": "query,docid,Kim\n" + rated('"{query}",{document},{grade}.0\n'),
    "relevance csv": rated('"{query}", "{document}", "{grade}"\n'),
    "letor": rated("{grade} qid:7 1:0.5 # {document} {query}\n"),
    "quepid json": json.dumps(
        {"queries": [{"query": text, "ratings": grades} for text, grades in BY_TEXT.items()]}
    ),
    "workbench": json.dumps(
        {
            "judgmentRatings": [
                {
                    "query": text,
                    "ratings": [{"docId": one, "rating": f"{grade}.0"} for one, grade in grades.items()],
                }
                for text, grades in BY_TEXT.items()
            ]
        }
    ),
    "rank-eval": json.dumps(
        {
            "requests": [
                {
                    "id": query,
                    "ratings": [
                        {"_index": "i", "_id": one, "rating": grade} for one, grade in grades.items()
                    ],
                }
                for query, grades in GRADES.items()
            ]
        }
    ),
    "rre": json.dumps(
        {
            "queries": [
                {
                    "placeholders": {"$query": text},
                    "relevant_documents": {one: {"gain": grade} for one, grade in grades.items()},
                }
                for text, grades in BY_TEXT.items()
            ]
        }
    ),
    "discovery": "\n".join(
        json.dumps(
            {
                "natural_language_query": text,
                "examples": [{"document_id": one, "relevance": grade} for one, grade in grades.items()],
            }
        )
        for text, grades in BY_TEXT.items()
    ),
}


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
