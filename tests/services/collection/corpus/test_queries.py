"""Queries come in whole or not at all, and never change under a rating."""

from __future__ import annotations

import io

import pytest
from openpyxl import Workbook
from sqlalchemy import select

from app.formats.errors import FormatError
from app.models import Event, Query
from app.services.collection.files import ImportFile
from app.services.collection.queries import import_queries, prepare_queries, read_query_rows
from app.services.ledger import head_of
from tests.furniture.files import file_of


@pytest.fixture
def project(make):
    return make.project()


@pytest.fixture
def bring(session, project):
    def bring(text, **options):
        return import_queries(session, project, file_of(text), **options)

    return bring


def queries_of(session, project):
    return session.scalars(select(Query).where(Query.project_id == project.id).order_by(Query.id)).all()


def test_new_queries_carry_the_revision_of_their_event(session, project, bring):
    done = bring("q1\tflat tyre\nq2\twobbly wheel\n")

    event = session.get(Event, (project.id, done.revision))
    assert (done.added, event.kind, event.payload) == (
        2,
        "queries_added",
        {"count": 2, "file": "file.tsv"},
    )
    assert [(q.external_id, q.text, q.added_revision) for q in queries_of(session, project)] == [
        ("q1", "flat tyre", done.revision),
        ("q2", "wobbly wheel", done.revision),
    ]


def test_intent_and_tags_are_kept(session, project, bring):
    bring("query_id\ttext\tintent\ttags\nq1\tflat\trepair at home\ttyres;home\n")

    (query,) = queries_of(session, project)
    assert (query.intent, query.tags) == ("repair at home", ["tyres", "home"])


def test_a_weight_is_read_and_a_file_without_weights_leaves_it(session, project, bring):
    bring("query_id,text,weight\nq1,flat,2.5\nq2,wobbly,\n")
    assert [query.weight for query in queries_of(session, project)] == [2.5, 1.0]

    assert bring("query_id,text\nq1,flat\n").unchanged == 1
    bring("query_id,text\nq1,flat tyre\n", replace=True)
    bring("query_id,text,weight\nq2,wobbly,4\n", replace=True)

    session.expire_all()
    assert [(query.text, query.weight) for query in queries_of(session, project)] == [
        ("flat tyre", 2.5),
        ("wobbly", 4.0),
    ]


@pytest.mark.parametrize(
    "file",
    [
        "query_id,text\nq1,flat\n",
        "query_id,text,intent\nq1,flat,at home\n",
        "query_id,text,tags,weight\nq1,flat,tyres,2.5\n",
        '{"query_id": "q1", "text": "flat"}\n',
    ],
)
def test_a_column_that_the_file_lacks_makes_no_difference_and_deletes_nothing(session, project, bring, file):
    bring("query_id,text,intent,tags,weight\nq1,flat,at home,tyres,2.5\n")

    assert bring(file).unchanged == 1
    assert bring(file.replace("flat", "flat tyre"), replace=True).replaced == 1

    session.expire_all()
    (query,) = queries_of(session, project)
    assert (query.text, query.intent, query.tags, query.weight) == ("flat tyre", "at home", ["tyres"], 2.5)


@pytest.mark.parametrize(
    "file",
    [
        "query_id,text,intent,tags,weight\nq1,flat,,,\n",
        '{"query_id": "q1", "text": "flat", "intent": null, "tags": [], "weight": null}\n',
    ],
)
def test_a_column_that_is_empty_is_refused_by_name_and_deletes(session, project, bring, file):
    bring("query_id,text,intent,tags,weight\nq1,flat,at home,tyres,2.5\n")

    with pytest.raises(FormatError, match=r"different content for this id \(intent, tags, weight\): 'q1'"):
        bring(file)
    assert bring(file, replace=True).replaced == 1

    session.expire_all()
    (query,) = queries_of(session, project)
    assert (query.intent, query.tags, query.weight) == ("", [], 1.0)


def test_a_bad_line_leaves_nothing_of_its_file(session, project, bring):
    before = head_of(session, project.id)

    with pytest.raises(FormatError) as refused:
        bring("q1\tflat tyre\nq\u00a02\twobbly wheel\n")

    assert [problem.line for problem in refused.value.problems] == [2]
    assert queries_of(session, project) == []
    assert head_of(session, project.id) == before


def test_the_same_file_again_changes_nothing(session, project, bring):
    bring("q1\tflat tyre\n")
    before = head_of(session, project.id)

    done = bring("q1\tflat tyre\n")

    assert (done.added, done.unchanged, done.revision) == (0, 1, None)
    assert head_of(session, project.id) == before


def test_other_content_is_refused_with_everything_else_of_the_file(session, project, bring):
    bring("q1\tflat tyre\nq2\twobbly wheel\n")

    with pytest.raises(FormatError) as refused:
        bring("q1\tflat tire\nq\u00a03\tnew\nq2\twobbly wheels\nq4\tnew\n")

    assert [(p.line, p.value, p.code) for p in refused.value.problems] == [
        (1, "q1", "other-content"),
        (2, "q\\xa03", "id-space"),
        (3, "q2", "other-content"),
    ]
    assert [query.text for query in queries_of(session, project)] == ["flat tyre", "wobbly wheel"]


def test_replace_takes_over_the_content_with_an_event(session, project, bring):
    bring("q1\tflat tyre\nq2\twobbly wheel\n")

    done = bring("q1\tflat tire\nq2\twobbly wheel\n", replace=True)

    session.expire_all()
    first = queries_of(session, project)[0]
    event = session.get(Event, (project.id, done.revision))
    assert (done.replaced, done.unchanged, first.text) == (1, 1, "flat tire")
    assert (event.kind, event.payload) == ("queries_edited", {"query_ids": [first.id]})


def test_a_rated_query_keeps_its_text_and_may_change_its_tags(session, project, bring, make):
    bring("query_id\ttext\ttags\nq1\tflat tyre\ta\n")
    (query,) = queries_of(session, project)
    make.judgment(make.candidate(query), make.member(project, "annotator"), 2)

    with pytest.raises(FormatError, match="were rated"):
        bring("q1\tflat tire\n", replace=True)
    done = bring("query_id\ttext\ttags\nq1\tflat tyre\tb\n", replace=True)

    session.expire_all()
    assert (done.replaced, query.tags, query.text) == (1, ["b"], "flat tyre")


def test_a_choice_that_cannot_work_for_a_rated_query_is_not_offered(session, project, bring, make):
    bring("q1\tflat tyre\nq2\twobbly wheel\n")
    make.judgment(make.candidate(queries_of(session, project)[0]), make.member(project, "annotator"), 2)

    with pytest.raises(FormatError) as refused:
        bring("q1\tflat tire\nq2\twobbly wheels\n")

    assert [(p.value, p.code) for p in refused.value.problems] == [
        ("q1", "judged-query"),
        ("q2", "other-content"),
    ]


def test_the_plan_says_what_will_be_done_and_writes_nothing(session, project, bring):
    bring("q1\tflat tyre\n")
    before = head_of(session, project.id)

    work = prepare_queries(session, project, read_query_rows(file_of("q1\tflat tyre\nq2\tx\nq2\tx\n")))

    assert (work.result.added, work.result.unchanged, work.result.repeated) == (1, 1, 1)
    assert len(queries_of(session, project)) == 1
    assert head_of(session, project.id) == before


def test_other_projects_may_use_the_same_ids(session, bring, make):
    other = make.project()
    import_queries(session, other, file_of("q1\tother text\n"))

    assert bring("q1\tflat tyre\n").added == 1


def test_an_empty_cell_at_the_end_of_a_row_of_a_spreadsheet_deletes(session, project, bring):
    bring("query_id,text,tags\nq1,flat,tyres\nq2,wobbly,wheels\n")
    made, file = Workbook(), io.BytesIO()
    for row in (["query_id", "text", "tags"], ["q1", "flat"], ["q2", "wobbly", "wheels"]):
        made.active.append(row)
    made.save(file)

    done = import_queries(
        session, project, ImportFile(content=file.getvalue(), name="questions.xlsx"), replace=True
    )

    session.expire_all()
    assert (done.replaced, done.unchanged) == (1, 1)
    assert [query.tags for query in queries_of(session, project)] == [[], ["wheels"]]
