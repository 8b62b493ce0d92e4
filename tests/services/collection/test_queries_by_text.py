"""Files whose key is the text of a query: the question with that text is used, else its id is made."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.formats.errors import FormatError
from app.models import Candidate, Query
from app.services.collection.documents import import_documents
from app.services.collection.judgment_files import JudgmentOptions
from app.services.collection.queries import import_queries
from app.services.collection.run_files import RunOptions
from app.services.collection.run_import import import_run
from app.services.errors import InvalidError
from app.services.exports.judgments import export_qrels
from tests.furniture.files import file_of, import_judgments

RATINGS = "query,docid,rating\nred shoes,d 1,3\nred shoes,d2,\nblue hat,d2,0\n"
SNAPSHOT = "Query Text,Doc ID,Doc Position\nred shoes,d2,1\nred shoes,d 1,2\nblue hat,d2,1\n"


@pytest.fixture
def project(session, make):
    project = make.project()
    import_queries(session, project, file_of("query_id\ttext\tintent\nq1\tred shoes\tto buy\n"))
    import_documents(session, project, file_of("doc_id\ttext\nd 1\tRed.\nd2\tBlue.\n"))
    return project


def ids_of(session, project):
    return list(
        session.scalars(select(Query.external_id).where(Query.project_id == project.id).order_by(Query.id))
    )


def test_the_question_with_the_text_is_used_and_others_get_ids_from_theirs(session, project):
    done = import_queries(session, project, file_of(RATINGS))
    again = import_queries(session, project, file_of(RATINGS))

    assert (done.added, done.unchanged, again.added) == (1, 1, 0)
    assert ids_of(session, project) == ["q1", "blue-hat"]

    judged = import_judgments(session, project, file_of(RATINGS), JudgmentOptions())
    run = import_run(session, project, file_of(SNAPSHOT), RunOptions(ranker="shop"))

    assert (judged.added, judged.unrated_lines) == (2, 1)
    assert run.report.queries == 2
    pairs = select(Query.external_id).join(Candidate, Candidate.query_id == Query.id).distinct()
    assert set(session.scalars(pairs)) == {"q1", "blue-hat"}


def test_an_edited_text_still_finds_its_question_by_the_id_made_from_it(session, project):
    import_queries(session, project, file_of(RATINGS))
    session.scalars(select(Query).where(Query.external_id == "blue-hat")).one().text = "blue hats"

    assert import_judgments(session, project, file_of(RATINGS), JudgmentOptions()).added == 2


def test_an_unknown_name_of_a_question_is_neither_an_id_nor_a_text(session, project):
    with pytest.raises(FormatError, match="no query with this id or text: 'blue hat'"):
        import_judgments(session, project, file_of(RATINGS), JudgmentOptions())


@pytest.mark.parametrize("name", ["red shoes", "q1"])
def test_the_names_of_questions_in_json_are_ids_or_texts(session, project, name):
    ratings, results = file_of(f'{{"{name}": {{"d2": 2}}}}'), file_of(f'{{"{name}": {{"d2": 2.5}}}}')

    assert import_judgments(session, project, ratings, JudgmentOptions()).added == 1
    assert import_run(session, project, results, RunOptions(ranker="shop")).report.queries == 1


def test_an_id_in_json_comes_before_a_text(session, project):
    import_queries(session, project, file_of("query_id\ttext\nred shoes\tboots\n"))

    import_judgments(session, project, file_of('{"red shoes": {"d2": 2}}'), JudgmentOptions())

    asked = select(Query.text).join(Candidate, Candidate.query_id == Query.id)
    assert list(session.scalars(asked)) == ["boots"]


def test_an_unknown_name_in_json_is_neither_an_id_nor_a_text(session, project):
    with pytest.raises(FormatError, match="no query with this id or text: 'q9'"):
        import_judgments(session, project, file_of('{"q9": {"d2": 2}}'), JudgmentOptions())


def test_what_trec_cannot_hold_is_said_before_the_first_line(session, project):
    with pytest.raises(InvalidError, match="the document id 'd 1' contains one"):
        export_qrels(session, project)


def test_a_column_of_queries_may_hold_ids_but_not_the_id_and_the_text_of_one(session, project):
    run = import_run(session, project, file_of("query,docid,rank\nq1,d2,1\n"), RunOptions(ranker="shop"))
    assert run.report.queries == 1

    both = file_of("query,docid,rank\nq1,d2,1\nred shoes,d 1,1\n")
    with pytest.raises(InvalidError, match="in two ways, 'q1' and 'red shoes'"):
        import_run(session, project, both, RunOptions(ranker="shop"))
