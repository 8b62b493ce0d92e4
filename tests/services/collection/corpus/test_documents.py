"""Documents are checked whole, written in chunks that can be repeated, and edited only on purpose."""

from __future__ import annotations

import json
import pickle

import pytest
from sqlalchemy import select

from app.formats.content import content_hash
from app.formats.errors import FormatError
from app.models import Document, Event, EventKind, Project
from app.services.collection import documents as documents_module
from app.services.collection.documents import (
    import_documents,
    prepare_documents,
    read_document_digests,
)
from app.services.evidence.store import evidence_of
from app.services.ledger import head_of
from tests.furniture.factories import making_in
from tests.furniture.files import file_of

TWO = '{"doc_id": "d1", "title": "Tyres", "text": "Mend it.", "author": "Kim"}\n{"doc_id": "d2", "text": "True it."}\n'


@pytest.fixture
def project(make):
    return make.project()


@pytest.fixture
def bring(session, project):
    def bring(text, **options):
        return import_documents(session, project, file_of(text, "documents.jsonl"), **options)

    return bring


def documents_of(session, project):
    session.expire_all()
    return session.scalars(
        select(Document).where(Document.project_id == project.id).order_by(Document.id)
    ).all()


def test_new_documents_are_stored_with_everything_and_one_event(session, project, bring):
    done = bring(TWO)

    first, second = documents_of(session, project)
    event = session.get(Event, (project.id, done.revision))
    assert (first.external_id, first.title, first.text, first.extra) == (
        "d1",
        "Tyres",
        "Mend it.",
        {"author": "Kim"},
    )
    assert second.content_hash == bytes.fromhex(content_hash("", "True it."))
    assert (event.kind, event.payload) == (
        "documents_added",
        {"count": 2, "ranges": [[first.id, second.id]], "file": "documents.jsonl"},
    )


def test_a_bad_line_leaves_nothing_of_its_file(session, project, bring):
    with pytest.raises(FormatError) as refused:
        bring(TWO + '{"doc_id": "d3 ", "text": "x"}\nnot json\n')

    assert [problem.line for problem in refused.value.problems] == [3, 4]
    assert documents_of(session, project) == []


def test_the_same_file_again_changes_nothing(session, project, bring):
    bring(TWO)
    before = head_of(session, project.id)

    done = bring(TWO)

    assert (done.added, done.unchanged, done.revision) == (0, 2, None)
    assert head_of(session, project.id) == before


def test_bad_lines_and_other_content_are_said_together(session, project, bring):
    bring(TWO)
    other = '{"doc_id": "d1", "text": "Mend it!"}\n{"doc_id": "d3 ", "text": 1}\n{"doc_id": "d4", "text": "New."}\n'

    with pytest.raises(FormatError) as refused:
        bring(other)

    assert [(p.line, p.code) for p in refused.value.problems] == [
        (1, "other-content"),
        (2, "id-space"),
        (2, "text"),
    ]
    assert len(documents_of(session, project)) == 2


@pytest.mark.parametrize(
    ("other", "names"),
    [
        ('"text": "Mend it!"', "text"),
        ('"text": "Mend it.", "url": "https://x.example"', "url"),
        ('"text": "", "author": "Lee", "year": 0, "place": ""', "text, 'author', 'year'"),
    ],
)
def test_other_content_is_refused_and_its_columns_are_named(session, project, bring, other, names):
    bring(TWO)

    with pytest.raises(FormatError, match=rf"different content for this id \({names}\): 'd1'"):
        bring(f'{{"doc_id": "d3", "text": "new"}}\n{{"doc_id": "d1", "title": "Tyres", {other}}}\n')

    assert [document.external_id for document in documents_of(session, project)] == ["d1", "d2"]


def test_replace_is_an_edit_after_which_earlier_judgments_count_no_more(session, project, bring):
    bring(TWO)
    before = head_of(session, project.id)

    done = bring('{"doc_id": "d1", "title": "Tyres", "text": "Buy one."}\n', replace=True)

    first, second = documents_of(session, project)
    event = session.get(Event, (project.id, done.revision))
    assert (done.replaced, done.edited, first.text) == (1, 1, "Buy one.")
    assert (event.kind, event.payload) == ("documents_edited", {"document_ids": [first.id]})
    assert (first.edited_revision, second.edited_revision) == (before + 1, None)


WHOLE = "doc_id,title,text,url,source,year,place\nd1,Tyres,Mend it.,https://x.example,blog,1957,Rome\n"


@pytest.mark.parametrize(
    "file",
    [
        "doc_id,text\nd1,Mend it.\n",
        "doc_id,title,url\nd1,Tyres,https://x.example\n",
        "doc_id,title,year\nd1,Tyres,1957\n",
        '{"doc_id": "d1", "text": "Mend it.", "place": "Rome"}\n',
    ],
)
def test_a_column_that_the_file_lacks_makes_no_difference(session, project, bring, file):
    bring(WHOLE)

    done = bring(file)

    assert (done.unchanged, done.without_text, done.revision) == (1, 0, None)


def test_a_column_that_the_file_lacks_deletes_nothing(session, project, bring):
    bring(WHOLE)

    done = bring("doc_id,title,url,year\nd1,Tyres,https://y.example,1958\n", replace=True)

    session.expire_all()
    (document,) = documents_of(session, project)
    assert (done.replaced, done.edited, done.without_text) == (1, 0, 0)
    assert (document.title, document.text, document.source) == ("Tyres", "Mend it.", "blog")
    assert (document.url, document.extra) == ("https://y.example", {"year": "1958", "place": "Rome"})


@pytest.mark.parametrize(
    ("file", "kept"),
    [
        (
            "doc_id,title,year\nd1,Tires,1958\n",
            ("Tires", "Buy one.", "https://y.example", {"year": "1958", "place": "Oslo"}),
        ),
        (
            "doc_id,text,url\nd1,Mend it now.,\n",
            ("Tyres", "Mend it now.", "", {"year": "1957", "place": "Oslo"}),
        ),
    ],
)
def test_an_edit_during_an_import_stays_in_the_columns_that_the_file_lacks(
    session, project, bring, file, kept
):
    bring(WHOLE)
    digests = read_document_digests(file_of(file))
    first, *others = prepare_documents(session, project, digests, replace=True).steps()
    first.write(session)
    bring('{"doc_id": "d1", "text": "Buy one.", "url": "https://y.example", "place": "Oslo"}\n', replace=True)

    for step in others:
        step.write(session)

    (document,) = documents_of(session, project)
    assert (document.title, document.text, document.url, document.extra) == kept
    assert document.content_hash == bytes.fromhex(content_hash(document.title, document.text))


def test_each_set_of_columns_takes_little_memory():
    names = [f"column{number}" for number in range(100)]
    rows = [
        {"doc_id": f"d{number}", "text": "x"} | {name: 1 for name in names if name != names[number]}
        for number in range(100)
    ]
    found = read_document_digests(file_of("\n".join(map(json.dumps, rows)), "documents.jsonl"))

    shapes = found.shapes
    assert len(shapes) == 100
    assert len(pickle.dumps(shapes)) < 100 * 100 * 5
    assert all(
        shapes[found.shape[number]] == (frozenset({"title", "url", "source"}), frozenset(names) - {name})
        for number, name in enumerate(names)
    )


def test_a_column_that_is_empty_is_refused_and_deletes(session, project, bring):
    bring(WHOLE)
    file = "doc_id,text,url,year\nd1,Mend it.,,\n"

    with pytest.raises(FormatError, match="different content"):
        bring(file)
    bring(file, replace=True)

    session.expire_all()
    (document,) = documents_of(session, project)
    assert (document.title, document.url, document.extra) == ("Tyres", "", {"place": "Rome"})


def test_a_text_that_says_the_same_is_replaced_without_an_edit(session, project, bring):
    bring(TWO)

    done = bring('{"doc_id": "d1", "title": "TYRES", "text": "Mend  it.", "url": "u"}\n', replace=True)

    first, _ = documents_of(session, project)
    assert (done.replaced, done.edited, first.url, first.edited_revision) == (1, 0, "u", None)


def test_a_document_known_by_name_only_takes_its_text_without_being_edited(session, project, make, bring):
    make.document(project, "d1", title="", text="")

    done = bring(TWO)

    first, _ = documents_of(session, project)
    assert (done.added, done.filled, done.edited) == (1, 1, 0)
    assert (first.text, first.edited_revision) == ("Mend it.", None)


def test_an_answer_can_be_rated_as_soon_as_its_text_is_imported(database):
    with making_in(database)() as make:
        project = make.project(k=2, pool_depth=2)
        documents = [make.document(project, "d1", title="", text=""), make.document(project, "d2")]
        make.run(make.ranker(project), {make.query(project): documents})
    before = evidence_of(database, project.id).structure.textless
    with database.write() as session:
        import_documents(
            session, session.get_one(Project, project.id), file_of("doc_id,text\nd1,Mend it.\n", "d.csv")
        )

    after = evidence_of(database, project.id).structure.textless

    assert (before.sum(), after.sum()) == (1, 0)
    with database.read() as session:
        told = session.scalars(select(Event).where(Event.kind == EventKind.DOCUMENTS_FILLED)).one()
        assert told.payload == {"count": 1}


def test_documents_without_a_text_are_counted(bring, session, project):
    done = bring('{"doc_id": "d1", "text": ""}\n{"doc_id": "d2", "title": "T", "text": ""}\n')

    assert done.without_text == 1
    assert [document.content_hash is None for document in documents_of(session, project)] == [True, False]


def test_what_an_import_killed_between_two_chunks_left_is_no_document_and_in_nobodys_way(
    database, monkeypatch
):
    from tests.furniture.factories import Make

    monkeypatch.setattr(documents_module, "CHUNK", 2)
    with database.write() as session:
        project = Make(session).project()
    rows = "".join(f"d{number}\tTurn screw {number}.\n" for number in range(5))
    file = file_of("doc_id\ttext\n" + rows)
    with database.read() as session:
        work = prepare_documents(session, project, read_document_digests(file))
    first_step = next(work.steps())
    with database.write() as session:
        first_step.write(session)

    with database.write() as session:
        done = import_documents(session, project, file)

    with database.read() as session:
        assert len(documents_of(session, project)) == 5
        assert session.get(Event, (project.id, done.revision)).payload["count"] == 5
    assert (done.added, done.unchanged) == (5, 0)


def test_numbers_and_nested_values_of_unknown_columns_compare_as_they_were_stored(bring):
    text = '{"doc_id": "d1", "text": "x", "year": 1957, "score": 1.5, "deep": {"b": [1, null], "a": "é"}}\n'
    bring(text)

    assert bring(text).unchanged == 1
