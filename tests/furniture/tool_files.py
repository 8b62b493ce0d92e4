"""The same ratings and lists in the files of many tools.

`texts` is query id -> text, `grades` is query id -> document -> grade, `lists` is query id -> documents, best
first. Under each name, files either name queries by their ids (`BY_ID`) or by their texts.
"""

from __future__ import annotations

import csv
import io
import json

BY_ID = frozenset({"trec", "pairs", "rank-eval", "csv", "jsonl"})


def ratings_in(texts, grades):
    """Return a name of a format -> ratings in it."""
    by_text = {texts[query]: found for query, found in grades.items()}
    by_id = [(query, one, grade) for query, found in grades.items() for one, grade in found.items()]
    rows = [(texts[query], one, grade) for query, one, grade in by_id]
    return {
        "trec": "".join(f"{query} 0 {one} {grade}\n" for query, one, grade in by_id),
        "csv": _csv([("query_id", "doc_id", "grade"), *by_id]),
        "jsonl": "".join(
            json.dumps({"query_id": query, "doc_id": one, "grade": grade}) + "\n"
            for query, one, grade in by_id
        ),
        "pairs": json.dumps(grades),
        "quepid csv": _csv([("query", "docid", "rating"), *rows]),
        "book csv": _csv([("query", "docid", "Kim"), *((text, one, f"{n}.0") for text, one, n in rows)]),
        "relevance csv": _csv(
            [text, *(cell for one, grade in found.items() for cell in (one, grade))]
            for text, found in by_text.items()
        ),
        "letor": "".join(f"{grade} qid:7 1:0.5 # {one} {text}\n" for text, one, grade in rows),
        "quepid json": json.dumps(
            {"queries": [{"query": text, "ratings": found} for text, found in by_text.items()]}
        ),
        "workbench": json.dumps(
            {
                "judgmentRatings": [
                    {
                        "query": text,
                        "ratings": [{"docId": one, "rating": f"{grade}.0"} for one, grade in found.items()],
                    }
                    for text, found in by_text.items()
                ]
            }
        ),
        "rank-eval": json.dumps(
            {
                "requests": [
                    {
                        "id": query,
                        "ratings": [
                            {"_index": "i", "_id": one, "rating": grade} for one, grade in found.items()
                        ],
                    }
                    for query, found in grades.items()
                ]
            }
        ),
        "rre": json.dumps(
            {
                "queries": [
                    {
                        "placeholders": {"$query": text},
                        "relevant_documents": {one: {"gain": grade} for one, grade in found.items()},
                    }
                    for text, found in by_text.items()
                ]
            }
        ),
        "discovery": "\n".join(
            json.dumps(
                {
                    "natural_language_query": text,
                    "examples": [{"document_id": one, "relevance": grade} for one, grade in found.items()],
                }
            )
            for text, found in by_text.items()
        ),
        "label-studio": json.dumps(
            [
                {
                    "data": {"query": text, "doc_id": one},
                    "annotations": [
                        {"completed_by": 7, "result": [{"type": "rating", "value": {"rating": grade}}]}
                    ],
                }
                for text, one, grade in rows
            ]
        ),
    }


def runs_in(texts, lists):
    """Return a name of a format -> a run in it."""
    places = [(query, one, rank) for query, found in lists.items() for rank, one in enumerate(found, 1)]
    hits = {
        query: [{"_id": one, "matched_queries": [texts[query]]} for one in found]
        for query, found in lists.items()
    }
    names = ("Snapshot Name", "Snapshot Time", "Case ID", "Query Text", "Doc ID", "Doc Position")
    return {
        "trec": "".join(f"{query} Q0 {one} {rank} {9 - rank} t\n" for query, one, rank in places),
        "csv": _csv([("query_id", "doc_id", "rank"), *places]),
        "jsonl": "".join(
            json.dumps({"query_id": query, "doc_id": one, "score": -rank}) + "\n"
            for query, one, rank in places
        ),
        "pairs": json.dumps(
            {query: {each: -rank for rank, each in enumerate(found)} for query, found in lists.items()}
        ),
        "rank-eval": json.dumps(
            {"details": {query: {"hits": [{"hit": hit} for hit in found]} for query, found in hits.items()}}
        ),
        "snapshot": _csv([names, *(("mon", 1, 7, texts[query], one, rank) for query, one, rank in places)]),
        "msearch": json.dumps({"responses": [{"hits": {"hits": found}} for found in hits.values()]}),
        "solr": "\n".join(
            json.dumps(
                {
                    "responseHeader": {"params": {"q": texts[query]}},
                    "response": {"docs": [{"id": one} for one in found]},
                }
            )
            for query, found in lists.items()
        ),
    }


def _csv(rows):
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows(rows)
    return file.getvalue()
