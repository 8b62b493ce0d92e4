"""A self-written sample for the paper-recommender template: six targets, 22 candidates, three toy models.

All papers are invented. The models are really run; nobody has rated what they recommend.
"""

from __future__ import annotations

from dataclasses import dataclass

from app.demo.corpus import rows_of
from app.demo.rankers.blends import fused_ranks
from app.demo.rankers.bm25 import bm25_scores
from app.demo.rankers.lists import ScoredList, top_lists
from app.demo.rankers.terms import Matrix, count_terms
from app.demo.rankers.topics import entropy_topics
from app.demo.rankers.words import plain_words, stemmed_words
from app.services.projects.templates import PAPERS

DIMENSIONS = 12


@dataclass(frozen=True, slots=True)
class PaperRun:
    """What one toy model recommends: eight papers for each target, best first."""

    ranker: str
    version: str
    note: str
    lists: dict[str, ScoredList]


@dataclass(frozen=True, slots=True)
class PaperSample:
    """Targets and candidates under the product's column names, and the runs of the toy models."""

    queries: list[dict[str, str]]
    documents: list[dict[str, str]]
    runs: list[PaperRun]


def build_paper_sample() -> PaperSample:
    """Return the sample, with its models run once more: the same in every build."""
    queries = [_renamed(row, PAPERS.columns["queries"]) for row in rows_of("papers/targets.jsonl")]
    documents = [_renamed(row, PAPERS.columns["documents"]) for row in rows_of("papers/candidates.jsonl")]
    ids = [document["doc_id"] for document in documents]
    words, topics = word_scores(queries, documents), topic_scores(queries, documents)
    models = {
        "Words": ("Words of the target, looked up in titles and abstracts", words),
        "Topics": ("Twelve topics, found in titles and abstracts", topics),
        "Both": ("Places in the other two put together", fused_ranks(words, topics, ids)),
    }
    runs = [
        PaperRun(ranker, "v1", note, _lists(queries, ids, scores))
        for ranker, (note, scores) in models.items()
    ]
    return PaperSample(queries, documents, runs)


def word_scores(queries: list[dict[str, str]], documents: list[dict[str, str]]) -> Matrix:
    """Return BM25 of titles and abstracts, shape (targets, candidates)."""
    texts = [plain_words(f"{document['title']} {document['text']}") for document in documents]
    targets = [plain_words(f"{query['text']} {query['intent']}") for query in queries]
    return bm25_scores(count_terms(texts, targets))


def topic_scores(queries: list[dict[str, str]], documents: list[dict[str, str]]) -> Matrix:
    """Return cosines of titles and abstracts in twelve dimensions, shape (targets, candidates)."""
    texts = [stemmed_words(f"{document['title']} {document['text']}") for document in documents]
    targets = [stemmed_words(f"{query['text']} {query['intent']}") for query in queries]
    return entropy_topics(count_terms(texts, targets), DIMENSIONS)


def _renamed(row: dict[str, str], columns: dict[str, str]) -> dict[str, str]:
    return {columns[name]: value for name, value in row.items()}


def _lists(queries: list[dict[str, str]], ids: list[str], scores: Matrix) -> dict[str, ScoredList]:
    lists = top_lists(scores, ids, length=PAPERS.pool_depth)
    return {query["query_id"]: found for query, found in zip(queries, lists, strict=True)}
