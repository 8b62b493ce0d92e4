"""The fields that an owner has chosen are shown in their order; those that name rankers are said."""

import pytest
from sqlalchemy import select

from app.models import Event, EventKind
from app.services.collection.answer_fields import (
    AnswerFields,
    change_fields,
    fields_found,
    fields_naming_rankers,
    text_of,
)
from app.services.collection.documents import prepare_documents, read_document_digests
from app.services.collection.run_files import RunOptions, read_run_file
from app.services.collection.run_import import plan_run
from app.services.errors import InvalidError
from tests.furniture.files import bring_run, corpus, file_of, run_text

EXTRA = {"price": 12.5, "brand": "Lamy", "name": "Pen", "page": "https://shop.example/1", "format": "text"}


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "BM25 tuned", {"q1": "d1"})
    make.document(project, "n1", extra=EXTRA)
    return project


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, ""),
        (12.5, "12.5"),
        (" red ", "red"),
        (["Ada", None, "Ben"], "Ada, Ben"),
        ({"width": 3, "unit": "cm", "odd": None}, "width: 3, unit: cm"),
        (True, "yes"),
        ("x" * 600, "x" * 499 + "…"),
    ],
)
def test_a_value_of_any_kind_is_words(value, text):
    assert text_of(value) == text


def test_fields_are_shown_as_title_link_and_lines_in_the_chosen_order():
    fields = AnswerFields(title="name", lines=("brand", "price", "missing"), link="page")

    assert fields.shown(EXTRA, "Own title", "https://old.example") == {
        "title": "Pen",
        "url": "https://shop.example/1",
        "lines": (("brand", "Lamy"), ("price", "12.5")),
    }


def test_what_an_answer_lacks_leaves_its_own_title_and_address():
    fields = AnswerFields(title="name", lines=("brand",), link="page")

    shown = fields.shown({"page": "javascript:alert(1)"}, "Own title", "https://old.example")

    assert shown == {"title": "Own title", "url": "https://old.example", "lines": ()}


def test_the_fields_of_the_documents_are_offered_with_an_example(session, project):
    assert fields_found(session, project.id) == {
        "price": "12.5",
        "brand": "Lamy",
        "name": "Pen",
        "page": "https://shop.example/1",
    }


def test_a_change_of_the_fields_is_one_event(session, project):
    fields = AnswerFields(lines=("price",))

    assert change_fields(session, project, fields)
    assert not change_fields(session, project, fields)

    assert AnswerFields.of(project.options) == fields
    (event,) = session.scalars(select(Event).where(Event.kind == EventKind.FIELDS_CHANGED))
    assert event.payload["after"]["lines"] == ["price"]


@pytest.mark.parametrize(
    ("fields", "place"),
    [
        (AnswerFields(title="colour"), "title"),
        (AnswerFields(lines=("price", "price")), "lines"),
        (AnswerFields(image="photo"), "image"),
    ],
)
def test_unknown_fields_and_a_line_chosen_twice_are_refused(session, project, fields, place):
    with pytest.raises(InvalidError) as refused:
        change_fields(session, project, fields)

    assert refused.value.code == place
    assert AnswerFields.of(project.options) == AnswerFields()


def test_a_shown_field_that_names_a_ranker_is_said_where_it_is_chosen(session, project, make):
    make.document(project, "n2", extra={"found by": "bm25-TUNED", "brand": "Pilot"})

    assert fields_naming_rankers(session, project.id, ["found by", "brand", "price"]) == {
        "found by": ["BM25 tuned"]
    }


def test_a_shown_field_that_names_a_ranker_is_said_at_the_import(session, project):
    change_fields(session, project, AnswerFields(lines=("brand",)))
    file = file_of("doc_id,text,brand,shelf\nn5,Some text,bm25_tuned,bm25_tuned\n", "d.csv")

    work = prepare_documents(session, project, read_document_digests(file))

    assert work.result.betraying_fields == ("brand",)


def test_a_run_of_a_ranker_that_a_shown_field_names_is_said(session, project):
    change_fields(session, project, AnswerFields(lines=("brand",)))
    lists = read_run_file(file_of(run_text({"q1": "d1 d2"})))

    known, other = (
        plan_run(session, project, lists, RunOptions(ranker=name)).report for name in ("LAMY", "other")
    )

    assert (known.named_documents, other.named_documents) == (1, 0)
