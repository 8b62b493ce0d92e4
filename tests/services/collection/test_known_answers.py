"""Answers that people know of: found whatever the spelling, pooled, rated, and never scored as a ranker."""

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Project, Ranker, Run
from app.services.collection.known_answers import add_known_answer, search_documents
from app.services.collection.rankers import find_or_add_ranker
from app.services.collection.run_files import RunOptions
from app.services.collection.withdrawal import withdraw_run
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.scores.scoreboard import score_runs

pytestmark = pytest.mark.everyday


@pytest.fixture
def held(make):
    project = make.project(k=2)
    query = make.query(project, "qa")
    listed = make.document(project, "d1", title="Listed", text="Brakes squeal in the rain.")
    make.run(make.ranker(project, "First"), {query: [listed]})
    return project, query, listed


def names(found):
    return [one.external_id for one in found[0]]


def test_every_word_is_searched_in_titles_and_texts_whatever_its_case(session, make, held):
    project, query, _ = held
    make.document(project, "d2", title="Ärger mit der Bremse", text="Sie quietscht.")
    make.document(project, "d3", title="Pads", text="Clean the pads if your BRAKES squeal; 50% do.")
    make.document(make.project(), "foreign", title="Brakes squeal", text="Elsewhere.")
    make.document(project, "d4", title="brakes", text="nothing")

    assert names(search_documents(session, query, "brakes squeal")) == ["d1", "d3"]
    assert names(search_documents(session, query, "brakes")) == ["d4", "d1", "d3"]
    assert names(search_documents(session, query, "ärger")) == ["d2"]
    assert names(search_documents(session, query, "50%")) == ["d3"]
    assert names(search_documents(session, query, "5_%")) == []
    assert names(search_documents(session, query, "d3")) == ["d3"]
    assert names(search_documents(session, query, "  ")) == []
    assert [one.pooled for one in search_documents(session, query, "squeal")[0]] == [True, False]


def test_answers_without_a_text_are_not_found_and_long_lists_say_so(session, make, held):
    project, query, _ = held
    session.add(Document(project_id=project.id, external_id="bare", title="", text=""))
    for number in range(25):
        make.document(project, f"many{number:02}", title=f"Tandem {number}", text="Tandem.")

    found, more = search_documents(session, query, "tandem")

    assert (len(found), more) == (20, True)
    assert names(search_documents(session, query, "bare")) == []


@pytest.mark.thorough
def test_a_known_answer_is_pooled_by_a_manual_run(session, make, held):
    project, query, _ = held
    known = make.document(project, "d2", title="Known", text="Here it is.")
    other = make.document(project, "d3", title="Another", text="Here too.")
    owner = make.member(project, "owner")

    done = [add_known_answer(session, project, query.id, one.id, actor_id=owner.id) for one in (known, other)]

    assert [(one.version, one.new_candidates) for one in done] == [("v1", 1), ("v2", 1)]
    pooled = session.scalars(
        select(Candidate.document_id).where(Candidate.query_id == query.id, Candidate.in_pool)
    ).all()
    assert set(pooled) >= {known.id, other.id}
    ranker = session.get_one(Ranker, session.get_one(Run, done[0].run_id).ranker_id)
    assert (ranker.kind, ranker.mark) == ("manual", 0)


def test_what_cannot_be_entered_is_refused_in_one_sentence(session, make, held):
    project, query, listed = held
    bare = Document(project_id=project.id, external_id="bare", title="", text="")
    session.add(bare)
    session.flush()
    foreign = make.document(make.project(), "foreign")

    with pytest.raises(ConflictError, match="already"):
        add_known_answer(session, project, query.id, listed.id)
    with pytest.raises(InvalidError, match="bare"):
        add_known_answer(session, project, query.id, bare.id)
    for query_id, document_id in ((query.id, foreign.id), (query.id, 0), (10**9, listed.id)):
        with pytest.raises(NotFoundError):
            add_known_answer(session, project, query_id, document_id)
    project.state = "archived"
    with pytest.raises(ConflictError, match="archived"):
        add_known_answer(session, project, query.id, foreign.id)


def test_an_answer_that_was_taken_out_can_be_entered_again(session, make, held):
    project, query, _ = held
    known = make.document(project, "d2", title="Known", text="Here it is.")
    first = add_known_answer(session, project, query.id, known.id)
    withdraw_run(session, session.get_one(Run, first.run_id))

    again = add_known_answer(session, project, query.id, known.id)

    assert again.run_id == first.run_id
    assert session.get_one(Run, first.run_id).state == "published"


def test_a_ranker_cannot_take_the_name_of_the_manual_runs(session, make, held):
    project, query, _ = held
    add_known_answer(session, project, query.id, make.document(project, "d2", text="Here.").id)

    with pytest.raises(ConflictError, match="reserved for answers"):
        find_or_add_ranker(session, project.id, "Answers that people knew")
    assert RunOptions(ranker="x").kind == "system"
    assert session.get_one(Project, project.id)


@pytest.mark.thorough
def test_nothing_scores_a_manual_run(small, evidence_now):
    with small.making() as make:
        document = make.document(small.project, "d9", title="Known", text="Here.")
        add_known_answer(
            make.session, make.session.get_one(Project, small.project.id), small.queries[0].id, document.id
        )
    evidence = evidence_now()

    scored = [one.run.ranker for one in score_runs(evidence, evidence.current_runs()).runs]

    assert len(scored) == 2
    assert "Answers that people knew" not in scored
