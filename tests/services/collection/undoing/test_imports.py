"""Every import can be undone; what would be lost is said first, and what is in use stays."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from app.models import Candidate, CurrentJudgment, Document, Event, Judgment, Query, Reason, Run
from app.services.collection.documents import import_documents
from app.services.collection.import_undo import list_imports, preview_undo, undo_import
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.queries import import_queries
from app.services.collection.withdrawal import delete_run
from app.services.errors import ConflictError, NotFoundError
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from tests.furniture.files import bring_run, corpus, file_of, import_judgments


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    return project


def counts(session, project):
    return [
        session.scalar(select(func.count()).where(model.project_id == project.id))
        for model in (Query, Document, Candidate)
    ]


def test_imports_are_listed_newest_first(session, project):
    bring_run(session, project, "one", {"q1": "d1"})
    import_judgments(session, project, file_of("q1 0 d1 3\n", "q.txt"), JudgmentOptions())

    assert [fact.what for fact in list_imports(session, project)] == [
        "1 judgment",
        "run one v1",
        "6 documents",
        "2 queries",
    ]


def test_unused_queries_and_documents_go_and_used_ones_stay(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2 d3"})
    documents, queries = [fact.revision for fact in list_imports(session, project)][1:]

    told = [preview_undo(session, project, revision).sentence for revision in (queries, documents)]
    before = counts(session, project)
    for revision in (queries, documents):
        undo_import(session, project, revision)

    assert told == [
        "This removes 1 query. 1 query in use stays.",
        "This removes 3 documents. 3 documents in use stay.",
    ]
    assert (before, counts(session, project)) == ([2, 6, 2], [1, 3, 2])
    head = head_of(session, project.id)
    events = [session.get(Event, (project.id, revision)) for revision in (head - 1, head)]
    assert [(event.kind, event.payload) for event in events] == [
        ("queries_removed", {"count": 1, "of": queries}),
        ("documents_removed", {"count": 3, "of": documents}),
    ]


def test_a_judged_query_stays_without_any_run(session, project):
    import_judgments(session, project, file_of("q2 0 d6 3\n", "q.txt"), JudgmentOptions())
    _, documents, queries = [fact.revision for fact in list_imports(session, project)]

    undo_import(session, project, queries)
    undo_import(session, project, documents)

    assert session.scalars(select(Query.external_id)).all() == ["q2"]
    assert session.scalars(select(Document.external_id)).all() == ["d6"]


def test_what_only_versions_use_says_to_delete_them_and_is_free_then(session, project):
    version = bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4 d5 d6"})
    run = session.get_one(Run, version.run_id)
    revision = list_imports(session, project)[-1].revision

    before = preview_undo(session, project, revision)
    delete_run(session, run)
    after = preview_undo(session, project, revision)

    kept = "Cannot be undone: versions use all 2 queries, or they were rated or assigned."
    assert before.sentence == f"{kept} Delete the versions that use them first, withdrawn ones too."
    assert (before.count, after.count) == (0, 2)


def test_deleting_versions_is_not_advised_once_something_is_rated(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2 d3", "q2": "d4 d5 d6"})
    import_judgments(session, project, file_of("q1 0 d1 3\n", "q.txt"), JudgmentOptions())
    revision = list_imports(session, project)[-1].revision

    assert (
        preview_undo(session, project, revision).sentence
        == "Cannot be undone: versions use all 2 queries, or they were rated or assigned."
    )


def test_removed_queries_and_documents_can_be_imported_again(session, project):
    for fact in list_imports(session, project):
        undo_import(session, project, fact.revision)
    corpus(session, project)

    assert counts(session, project) == [2, 6, 0]


def test_only_the_documents_of_that_import_go(session, project):
    import_documents(session, project, file_of("doc_id\ttext\nd7\tSeven\n"))
    import_queries(session, project, file_of("q3\tThree\n"))
    queries, documents, *_ = [fact.revision for fact in list_imports(session, project)]

    undo_import(session, project, documents)
    undo_import(session, project, queries)

    assert counts(session, project) == [2, 6, 0]


def test_what_an_import_changed_stays_and_that_is_said(session, project):
    import_documents(session, project, file_of("doc_id\ttext\nd1\tAnother text\nd7\tSeven\n"), replace=True)
    revision = next(fact.revision for fact in list_imports(session, project) if fact.what == "1 document")

    told = preview_undo(session, project, revision).sentence
    undo_import(session, project, revision)

    stays = "The changed content of 1 answer stays as it is."
    assert told == f"This removes 1 document. {stays}"
    assert preview_undo(session, project, revision).sentence == f"All of it is removed already. {stays}"
    changed = select(Document.text).where(Document.project_id == project.id, Document.external_id == "d1")
    assert session.scalar(changed) == "Another text"


def test_an_undone_import_never_takes_what_came_later(session, project):
    for fact in list_imports(session, project):
        undo_import(session, project, fact.revision)
    import_documents(session, project, file_of('{"doc_id": "first", "text": "One"}\n', "a.jsonl"))
    first = list_imports(session, project)[0].revision
    undo_import(session, project, first)
    import_documents(session, project, file_of('{"doc_id": "later", "text": "Two"}\n', "b.jsonl"))

    assert preview_undo(session, project, first).sentence == "All of it is removed already."
    with pytest.raises(ConflictError):
        undo_import(session, project, first)
    assert "later" in session.scalars(select(Document.external_id)).all()


def test_undoing_a_run_withdraws_it(session, project):
    bring_run(session, project, "one", {"q1": "d1 d2"})
    bring_run(session, project, "two", {"q1": "d2 d3"})
    revision = list_imports(session, project)[0].revision

    preview = undo_import(session, project, revision)

    assert "1 answer leaves the pool: no other version has it in its top" in preview.sentence
    assert list_imports(session, project)[0].what == "run two v1 (withdrawn)"
    assert preview_undo(session, project, revision).count == 0
    with pytest.raises(ConflictError):
        undo_import(session, project, revision)


def test_undone_judgments_are_cleared_in_the_ledger_and_come_back_with_the_file(database):
    from tests.furniture.factories import Make

    def grades():
        evidence = evidence_of(database, project.id)
        return int(evidence.counts(only_blind=False).sum())

    qrels = file_of("q1 0 d1 3\nq1 0 d2 1\n", "q.txt")
    with database.write() as session:
        project = Make(session).project(k=2, pool_depth=2)
        corpus(session, project)
        bring_run(session, project, "one", {"q1": "d1 d2"})
        import_judgments(session, project, qrels, JudgmentOptions())
        revision = list_imports(session, project)[0].revision
    counted = [grades()]
    with database.write() as session:
        preview = undo_import(session, project, revision)
        rows = session.execute(
            select(Judgment.grade, Judgment.reason).where(Judgment.project_id == project.id)
        ).all()
    counted.append(grades())
    with database.write() as session:
        again = import_judgments(session, project, qrels, JudgmentOptions())
        twice = import_judgments(session, project, qrels, JudgmentOptions())
    counted.append(grades())

    assert preview.sentence.startswith("This clears 2 ratings")
    assert sorted(rows, key=str) == sorted(
        [(3, None), (1, None), (None, Reason.CLEARED), (None, Reason.CLEARED)], key=str
    )
    assert (again.added, twice.added, counted) == (2, 0, [2, 0, 2])


def test_a_judgment_replaced_since_is_not_cleared(session, project):
    import_judgments(session, project, file_of("q1 0 d1 3\nq1 0 d2 3\n", "q.txt"), JudgmentOptions())
    revision = list_imports(session, project)[0].revision
    other = file_of("q1 0 d1 2\n", "q.txt")
    import_judgments(session, project, other, JudgmentOptions(replace=True))

    assert undo_import(session, project, revision).count == 1


def test_what_an_undone_import_replaced_comes_back_with_its_own_file(session, project):
    first, other = file_of("q1 0 d1 3\nq1 0 d2 3\n", "q.txt"), file_of("q1 0 d1 2\nq1 0 d2 3\n", "q.txt")
    import_judgments(session, project, first, JudgmentOptions())
    for _ in range(2):
        import_judgments(session, project, other, JudgmentOptions(replace=True))
        told = undo_import(session, project, list_imports(session, project)[0].revision).sentence
        again = [import_judgments(session, project, first, JudgmentOptions()) for _ in range(2)]

        assert "1 of them replaced an earlier rating, which comes back only if you import its file" in told
        assert [(one.added, one.unchanged) for one in again] == [(1, 1), (0, 2)]
    assert sorted(session.scalars(select(CurrentJudgment.grade))) == [3, 3]


def test_what_was_no_import_is_not_undone(session, project):
    with pytest.raises(NotFoundError, match="no import with the revision 1"):
        undo_import(session, project, 1)
