"""Topic match: found by the company that words keep."""

from __future__ import annotations

import numpy as np
import pytest

from app.demo.rankers.terms import count_terms
from app.demo.rankers.topics import entropy_topics, entropy_weights, rarity_weights, tfidf_topics

DOCUMENTS = [
    ["wheel", "true"],
    ["wheel", "wobble"],
    ["wobble", "true", "rim"],
    ["price", "euro"],
    ["euro", "service"],
]


def test_a_word_in_every_document_weighs_nothing():
    counts = count_terms([["bike", "bell"], ["bike", "lamp"]], [])

    weights = rarity_weights(counts.documents)

    assert weights.tolist() == pytest.approx([np.log(2), 0.0, np.log(2)])


def test_entropy_weighs_one_place_one_and_even_spread_nothing():
    counts = count_terms([["bike", "bell"], ["bike", "lamp"]], [])

    weights = entropy_weights(counts.documents)

    assert weights.tolist() == pytest.approx([1.0, 0.0, 1.0])


def test_few_topics_find_a_document_that_shares_no_word_with_the_query():
    counts = count_terms(DOCUMENTS, [["rim"]])

    narrow = tfidf_topics(counts, dimensions=2)[0]

    assert narrow[1] > 0.9
    assert abs(narrow[3]) < 1e-6


def test_all_topics_together_are_cosines_with_the_part_of_the_query_that_documents_can_express():
    counts = count_terms(DOCUMENTS, [["wheel", "euro"]])
    weights = rarity_weights(counts.documents)
    documents, query = counts.documents * weights, counts.queries[0] * weights
    mixture, *_ = np.linalg.lstsq(documents.T, query, rcond=None)
    expressed = documents.T @ mixture

    full = tfidf_topics(counts, dimensions=99)[0]

    lengths = np.linalg.norm(documents, axis=1) * np.linalg.norm(expressed)
    assert full == pytest.approx(documents @ expressed / lengths)


def test_more_dimensions_than_documents_are_no_error():
    counts = count_terms(DOCUMENTS, [["wheel"]])

    assert entropy_topics(counts, dimensions=60).shape == (1, 5)


def test_a_query_of_unknown_words_matches_nothing():
    counts = count_terms(DOCUMENTS, [["submarine"]])

    assert not tfidf_topics(counts, dimensions=2).any()
