"""A source that names a ranker is said at the import: people see it while they rate."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.models import Document, Run
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


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("bm25-tuned", ("bm25-tuned",)),
        ("BM25 tuned", ("BM25 tuned",)),
        ("found by bm25 tuned v2", ("found by bm25 tuned v2",)),
        ("Spring release", ("Spring release",)),
        ("website", ()),
        ("offspring releases", ()),
        ("BM25 untuned", ()),
    ],
)
def test_documents_with_a_ranker_as_their_source_are_said(session, project, source, told):
    session.scalars(select(Run)).one().version = "spring"
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
    assert any("seeming to name this ranker or version in the" in warning for warning in known.warnings)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("options", "naming"),
    [
        (RunOptions(ranker="dense"), 1),
        (RunOptions(ranker="other", version="2024 Index"), 1),
        (RunOptions(ranker="other", version="2024"), 0),
        (RunOptions(ranker="den"), 0),
        # As a volume of a journal has it.
        (RunOptions(ranker="other", version="v1"), 0),
    ],
)
def test_a_source_that_contains_the_name_of_the_ranker_or_its_version_is_said(
    session, project, make, options, naming
):
    make.document(project, "n1", source="Dense, v1")
    make.document(project, "n2", source="the 2024 index")
    lists = read_run_file(file_of(run_text({"q1": "d1 d2"})))

    assert plan_run(session, project, lists, options).report.named_documents == naming


@pytest.mark.parametrize(("returned", "own"), [(20, 20), (19, 19), (10, 0)])
def test_a_source_that_almost_only_the_documents_of_one_ranker_have_is_said(
    session, project, make, returned, own
):
    for number in range(20):
        make.document(project, f"n{number}", source="dense")
        make.document(project, f"o{number}", source="sparse")
    documents = " ".join(f"n{number}" for number in range(returned))

    report = plan_run(
        session, project, read_run_file(file_of(run_text({"q1": documents}))), RunOptions(ranker="vector")
    ).report

    assert report.own_source_documents == own
    assert any(
        "a source that almost only this ranker's documents have" in told for told in report.warnings
    ) == bool(own)


def test_one_source_of_all_documents_is_no_rankers_own(session, project, make):
    for document in session.scalars(select(Document)):
        document.source = "site"
    for number in range(20):
        make.document(project, f"n{number}", source="site")
        # Nobody sees an answer without a text.
        make.document(project, f"o{number}", title="", text="")
    ids = " ".join(session.scalars(select(Document.external_id)))

    plan = plan_run(
        session, project, read_run_file(file_of(run_text({"q1": ids}))), RunOptions(ranker="vector")
    )

    assert plan.report.own_source_documents == 0
