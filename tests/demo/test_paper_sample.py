"""The sample of the paper-recommender template: shaped like the evaluation it models, and really run."""

from __future__ import annotations

import pytest

from app.demo.paper_sample import build_paper_sample


@pytest.fixture(scope="module")
def sample():
    return build_paper_sample()


def test_two_builds_are_equal(sample):
    assert build_paper_sample() == sample


def test_there_are_six_targets_and_candidates_with_the_columns_of_the_product(sample):
    assert len(sample.queries) == 6
    assert all(set(query) == {"query_id", "text", "intent"} for query in sample.queries)
    assert all(set(document) == {"doc_id", "title", "text"} for document in sample.documents)
    assert all(40 <= len(document["text"].split()) <= 80 for document in sample.documents)


def test_each_of_three_models_recommends_eight_papers_for_each_target(sample):
    known = {document["doc_id"] for document in sample.documents}

    assert [run.ranker for run in sample.runs] == ["Words", "Topics", "Both"]
    for run in sample.runs:
        assert set(run.lists) == {query["query_id"] for query in sample.queries}
        for found in run.lists.values():
            assert len({doc_id for doc_id, _ in found} & known) == 8
            assert found == sorted(found, key=lambda hit: (hit[1], hit[0].encode()), reverse=True)


def test_no_target_is_recommended_to_itself(sample):
    targets = {query["query_id"] for query in sample.queries}
    titles = {query["text"] for query in sample.queries}

    assert not targets & {document["doc_id"] for document in sample.documents}
    assert not titles & {document["title"] for document in sample.documents}


def test_models_agree_on_part_of_the_pool_only(sample):
    proposed = [(q, d) for run in sample.runs for q, found in run.lists.items() for d, _ in found]

    assert len(proposed) == 3 * 6 * 8
    assert 48 < len(set(proposed)) < len(proposed)
