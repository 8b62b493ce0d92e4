"""A source that names a ranker is said at the import: people see it while they rate."""

from __future__ import annotations

import pytest

from app.services.collection.documents import prepare_documents, read_document_digests
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import plan_run
from tests.furniture.files import bring_run, corpus, file_of, run_text


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "BM25 tuned", {"q1": "d1"})
    return project


@pytest.mark.parametrize(
    ("source", "told"), [("bm25-tuned", ("bm25-tuned",)), ("BM25 tuned", ("BM25 tuned",)), ("website", ())]
)
def test_documents_with_a_ranker_as_their_source_are_said(session, project, source, told):
    file = file_of(f"doc_id,text,source\nn1,Some text,{source}\nn2,Other text,elsewhere\n", "d.csv")

    work = prepare_documents(session, project, read_document_digests(file))

    assert work.result.betraying == told


def test_a_run_of_a_ranker_that_documents_name_as_their_source_is_said(session, project, make):
    make.document(project, "n1", source="neural_v2")
    lists = read_run_file(file_of(run_text({"q1": "d1 d2"})))

    known, other = (
        plan_run(session, project, lists, RunOptions(ranker=name)).report for name in ("Neural v2", "other")
    )

    assert (known.named_documents, other.named_documents) == (1, 0)
    assert any("with the name of this ranker as source" in warning for warning in known.warnings)
