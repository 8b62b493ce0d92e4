"""Which version of which ranker is in use in which week, and how each is run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from app.demo.corpus import Article, Question
from app.demo.rankers.blends import fused_ranks, weighted_sum
from app.demo.rankers.bm25 import bm25_scores
from app.demo.rankers.lists import ScoredList, top_lists
from app.demo.rankers.terms import Matrix, TermCounts, count_terms
from app.demo.rankers.topics import entropy_topics, tfidf_topics
from app.demo.rankers.words import plain_words, stemmed_words

Scorer = Callable[["DemoCollection"], Matrix]
Words = Callable[[str], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class DemoCollection:
    """What a ranker gets: the articles of one week and the questions."""

    articles: Sequence[Article]
    questions: Sequence[Question]
    _known: dict[Scorer, Matrix] = field(default_factory=dict, compare=False, repr=False)

    def scores(self, scorer: Scorer) -> Matrix:
        """Return what a ranker makes of this collection; blends ask for the same scores again."""
        if scorer not in self._known:
            self._known[scorer] = scorer(self)
        return self._known[scorer]

    @property
    def doc_ids(self) -> list[str]:
        """Return the ids of the articles, in the order of the score columns."""
        return [article.doc_id for article in self.articles]

    def counts(self, words: Words, *, titles_only: bool = False) -> TermCounts:
        """Return the word counts of the articles and questions, read with the given words."""
        texts = [a.title if titles_only else f"{a.title} {a.text}" for a in self.articles]
        return count_terms([words(text) for text in texts], [words(q.text) for q in self.questions])


@dataclass(frozen=True, slots=True)
class Version:
    """One version of a ranker: since when it is used, what is new about it, how it scores."""

    ranker: str
    label: str
    since: int
    note: str
    scorer: Scorer


def title_v1(collection: DemoCollection) -> Matrix:
    """Return BM25 over the titles."""
    return bm25_scores(collection.counts(plain_words, titles_only=True))


def text_v1(collection: DemoCollection) -> Matrix:
    """Return BM25 over title and text, words as they are written."""
    return bm25_scores(collection.counts(plain_words))


def text_v2(collection: DemoCollection) -> Matrix:
    """Return BM25 over title and text, word endings stripped and hyphens split."""
    return bm25_scores(collection.counts(stemmed_words))


def topic_v1(collection: DemoCollection) -> Matrix:
    """Return cosines in twenty dimensions."""
    return tfidf_topics(collection.counts(plain_words), dimensions=20)


def topic_v2(collection: DemoCollection) -> Matrix:
    """Return cosines in sixty dimensions, words weighted by entropy."""
    return entropy_topics(collection.counts(plain_words), dimensions=60)


def blend_v1(collection: DemoCollection) -> Matrix:
    """Return the fused ranks of Full text v1 and Topic match v1."""
    return fused_ranks(collection.scores(text_v1), collection.scores(topic_v1), collection.doc_ids)


def blend_v2(collection: DemoCollection) -> Matrix:
    """Return the fused ranks of Full text v2 and Topic match v1."""
    return fused_ranks(collection.scores(text_v2), collection.scores(topic_v1), collection.doc_ids)


def blend_v3(collection: DemoCollection) -> Matrix:
    """Return the weighted sum of the scaled scores of Full text v2 and Topic match v2."""
    return weighted_sum(collection.scores(text_v2), collection.scores(topic_v2))


VERSIONS = (
    Version("Title match", "v1", 1, "Words of the question looked up in titles", title_v1),
    Version("Full text", "v1", 1, "Words of the question looked up in titles and texts", text_v1),
    Version("Full text", "v2", 4, "Word endings stripped, hyphens split", text_v2),
    Version("Topic match", "v1", 1, "Twenty topics found in the texts", topic_v1),
    Version("Topic match", "v2", 6, "Sixty topics, words weighted by entropy", topic_v2),
    Version("Blend", "v1", 2, "Combines the places of Full text v1 and Topic match v1", blend_v1),
    Version("Blend", "v2", 5, "Uses Full text v2", blend_v2),
    Version("Blend", "v3", 7, "Adds up scores, 65 % from the text", blend_v3),
)


def versions_in(week: int) -> list[Version]:
    """Return the version of each ranker that is in use in a week, rankers in order of arrival."""
    current: dict[str, Version] = {}
    for version in VERSIONS:
        if version.since <= week:
            current[version.ranker] = version
    return list(current.values())


def lists_of(version: Version, collection: DemoCollection) -> dict[str, ScoredList]:
    """Return the ranked list of each question that the version finds anything for, by question id."""
    lists = top_lists(collection.scores(version.scorer), collection.doc_ids)
    return {q.query_id: found for q, found in zip(collection.questions, lists, strict=True) if found}
