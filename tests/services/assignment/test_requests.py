"""What owners ask to be rated first: how much there is, until when it waits, and what is refused."""

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Event, Membership, Reason, Request
from app.services.assignment.coming import request_summaries
from app.services.assignment.requests import (
    request_answer,
    request_pair,
    request_question,
    waiting_requests,
    withdraw_request,
)
from app.services.collection.queries import retire_queries
from app.services.errors import ConflictError, NotFoundError
from app.services.evidence.store import evidence_of
from app.services.projects.settings import SettingChanges, archive_project, change_settings
from tests.furniture.databases import made_in
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop


@pytest.fixture
def making(database):
    return making_in(database)


@pytest.fixture
def shop(database):
    return made_in(database, make_workshop, queries=3, answers=4, k=2, pool_depth=4)


def ask(database, shop, what, *target):
    evidence = evidence_of(database, shop.project.id)
    with database.write() as session:
        return what(session, shop.project, *target, evidence=evidence, actor_id=shop.owner.id)


def left(database, shop):
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        return [one.answers for one in waiting_requests(session, evidence)]


def candidates(database, shop, query=0):
    with database.read() as session:
        wanted = select(Candidate).where(Candidate.query_id == shop.queries[query].id).order_by(Candidate.id)
        return session.scalars(wanted).all()


def rate(making, shop, candidate, grade=2):
    with making() as make:
        make.judgment(candidate, shop.ada, grade)


def test_a_question_asks_for_its_unrated_answers_and_is_done_once_they_are_rated(database, making, shop):
    first, *others = candidates(database, shop)
    rate(making, shop, first)

    assert ask(database, shop, request_question, shop.queries[0].id) == 3
    assert left(database, shop) == [3]
    for candidate in others:
        rate(making, shop, candidate)
    assert left(database, shop) == []


def test_an_answer_is_asked_for_by_its_public_id(database, shop):
    assert ask(database, shop, request_answer, candidates(database, shop)[3].public_id) == 1
    assert left(database, shop) == [1]


def test_two_versions_ask_for_the_unrated_answers_in_the_top_of_both(database, making, shop):
    with making() as make:
        lists = {query: shop.documents[query.id][::-1] for query in shop.queries}
        other = make.run(make.ranker(shop.project), lists)
        third = make.run(make.ranker(shop.project), lists)
    rate(making, shop, candidates(database, shop)[0])

    assert ask(database, shop, request_pair, (other.id, third.id)) == 6
    first = evidence_of(database, shop.project.id).structure.runs[0].id
    assert ask(database, shop, request_pair, (first, other.id)) == 11


def test_requests_wait_in_the_order_asked_and_none_is_asked_twice(database, shop):
    ask(database, shop, request_question, shop.queries[2].id)
    ask(database, shop, request_question, shop.queries[0].id)

    with pytest.raises(ConflictError, match="already"):
        ask(database, shop, request_question, shop.queries[2].id)
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        asked = [one.request.query_id for one in waiting_requests(session, evidence)]
    assert asked == [shop.queries[2].id, shop.queries[0].id]


def test_what_a_newer_version_returns_is_not_asked_for(database, making, shop):
    ask(database, shop, request_question, shop.queries[0].id)
    with making() as make:
        make.run(make.ranker(shop.project), {shop.queries[0]: [make.document(shop.project)]})

    assert left(database, shop) == [4]


def test_a_withdrawn_request_waits_no_more_and_both_are_events(database, shop):
    ask(database, shop, request_question, shop.queries[0].id)
    with database.write() as session:
        (request,) = session.scalars(select(Request))
        withdraw_request(session, shop.project, request.id, actor_id=shop.owner.id)
        withdraw_request(session, shop.project, request.id, actor_id=shop.owner.id)

    assert left(database, shop) == []
    with database.read() as session:
        events = session.execute(
            select(Event.kind, Event.payload)
            .where(Event.kind.in_(["requested", "request_withdrawn"]))
            .order_by(Event.revision)
        ).all()
    assert [tuple(row) for row in events] == [
        ("requested", {"request_id": request.id, "answers": 4}),
        ("request_withdrawn", {"request_id": request.id}),
    ]
    assert ask(database, shop, request_question, shop.queries[0].id) == 4


def test_a_rated_answer_is_not_asked_for_and_one_that_nobody_can_judge_is_refused(database, making, shop):
    rated, passed, *_ = candidates(database, shop)
    rate(making, shop, rated)
    with making() as make:
        for person in (shop.ada, shop.bo):
            make.judgment(passed, person, None, reason=Reason.EXPERTISE)

    with pytest.raises(ConflictError, match="are rated already"):
        ask(database, shop, request_answer, rated.public_id)
    with pytest.raises(ConflictError, match="Annotators could not judge its unrated answers"):
        ask(database, shop, request_answer, passed.public_id)
    assert ask(database, shop, request_question, shop.queries[0].id) == 2


def test_whoever_asks_for_a_retired_question_or_its_answer_is_told_that_it_is_retired(database, making, shop):
    first, second, *_ = candidates(database, shop)
    rate(making, shop, first)
    with database.write() as session:
        retire_queries(session, session.merge(shop.project), [shop.queries[0].external_id])

    for what, target in ((request_question, shop.queries[0].id), (request_answer, second.public_id)):
        with pytest.raises(
            ConflictError, match=r"^The question is retired, so nobody rates it\. Restore it first"
        ):
            ask(database, shop, what, target)
    with pytest.raises(ConflictError, match="All its answers are rated already"):
        ask(database, shop, request_answer, first.public_id)


def test_whoever_asks_for_what_is_not_in_the_pool_is_told_so(database, making):
    with making() as make:
        shop = make_workshop(make, queries=1, answers=4, k=2, pool_depth=4)
        lonely = make.query(shop.project)
        change_settings(make.session, shop.project, SettingChanges(pool_depth=2))
    outside = next(one for one in candidates(database, shop) if not one.in_pool)

    with pytest.raises(ConflictError, match="This answer is not in the pool, so nobody rates it"):
        ask(database, shop, request_answer, outside.public_id)
    with pytest.raises(ConflictError, match="None of its answers is in the pool, so nobody rates them"):
        ask(database, shop, request_question, lonely.id)


def test_whoever_asks_for_answers_without_a_text_is_told_so(database, making, shop):
    first, second, *_ = candidates(database, shop)
    with making() as make:
        for one in candidates(database, shop)[1:]:
            document = make.session.get_one(Document, one.document_id)
            document.content_hash, document.text = None, ""
        for person in (shop.ada, shop.bo):
            make.judgment(first, person, None, reason=Reason.EXPERTISE)
    with pytest.raises(ConflictError, match="they have no text, or annotators could not judge them"):
        ask(database, shop, request_question, shop.queries[0].id)
    with pytest.raises(ConflictError, match="Its unrated answers have no text"):
        ask(database, shop, request_answer, second.public_id)


def test_nothing_is_asked_for_or_withdrawn_in_an_archived_project(database, shop):
    ask(database, shop, request_question, shop.queries[0].id)
    with database.write() as session:
        (asked,) = session.scalars(select(Request.id))
        archive_project(session, session.merge(shop.project))

    for what, target in ((request_question, shop.queries[1].id), (withdraw, asked)):
        with pytest.raises(ConflictError, match="is archived: restore it first"):
            ask(database, shop, what, target)
    assert left(database, shop) == [4]


def withdraw(session, project, request_id, *, actor_id, **_evidence):
    withdraw_request(session, project, request_id, actor_id=actor_id)


def test_what_is_not_in_the_project_is_not_found(database, making, shop):
    with making() as make:
        other = make_workshop(make, queries=1)
    elsewhere = evidence_of(database, other.project.id).structure.runs[0].id
    mine = evidence_of(database, shop.project.id).structure.runs[0].id

    for what, target in (
        (request_question, other.queries[0].id),
        (request_question, 999_999),
        (request_answer, candidates(database, other)[0].public_id),
        (request_pair, (mine, elsewhere)),
        (request_pair, (mine, mine)),
    ):
        with pytest.raises(NotFoundError):
            ask(database, shop, what, target)
    with database.write() as session, pytest.raises(NotFoundError):
        withdraw_request(session, shop.project, 999_999, actor_id=shop.owner.id)


def test_what_nobody_here_could_judge_is_not_asked_for(database, making, shop):
    first, second, *others = candidates(database, shop)
    with making() as make:
        for person in (shop.ada, shop.bo):
            make.session.get_one(Membership, (person.id, shop.project.id)).role = None
        newcomer = make.member(shop.project, "annotator")
        make.judgment(second, shop.ada, 2)
        make.judgment(first, newcomer, None, reason=Reason.UNCLEAR)

    assert ask(database, shop, request_question, shop.queries[0].id) == 2
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        (told,) = request_summaries(session, evidence, shop.project)
    assert (told.left, told.blocked) == (2, 1)
    for one in others:
        rate(making, shop, one)
    with pytest.raises(ConflictError) as refused:
        ask(database, shop, request_answer, first.public_id)
    assert refused.value.code == "cannot_be_rated"
