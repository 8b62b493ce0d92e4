"""What the page says comes next is what is assigned, whatever the order; and looking holds nothing."""

import pytest
from sqlalchemy import func, select

from app.jobs.assignment import assign_question, find_next_batch
from app.models import Assignment, AssignmentCandidate, Project, now_utc
from app.services.assignment.coming import (
    begun_batches,
    first_questions,
    free_answers,
    next_queries_for,
    request_summaries,
)
from app.services.assignment.requests import request_question
from app.services.assignment.selection import NOBODY
from app.services.assignment.wanted import BatchRequest
from app.services.evidence.store import evidence_of
from app.services.scores.context import context_for_members, scoring_context
from tests.furniture.contest import make_contest, rate_next
from tests.furniture.databases import made_in


@pytest.fixture
def contest(database):
    def make(**values):
        return made_in(database, make_contest, **values)

    return make


def coming(database, shop, person, most=6):
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        context = context_for_members(session, evidence, project)
        return next_queries_for(session, context, project, person.id, now_utc(), most=most)


def assigned(database, shop, batch):
    """Return the question, the kind and the number of answers of a batch."""
    with database.read() as session:
        one = session.scalars(
            select(Assignment).where(Assignment.project_id == shop.project.id, Assignment.batch == batch)
        ).one()
        held = select(func.count()).where(AssignmentCandidate.assignment_id == one.id)
        return one.query_id, one.kind, session.scalar(held)


@pytest.mark.parametrize("dealing", ["front", "random"])
@pytest.mark.thorough
def test_the_first_is_what_is_assigned_until_nothing_is_left(database, contest, dealing):
    shop = contest(queries=8, answers=14, dealing=dealing)

    while shown := coming(database, shop, shop.owner):
        batch = rate_next(database, shop, shop.owner, lambda card: card.place % 4)
        first = shown[0]
        assert (first.query_id, first.kind) == assigned(database, shop, batch)[:2]

    assert find_next_batch(database, shop.project.id, shop.owner.id) is None


def test_looking_holds_nothing_and_names_each_question_once(database, contest):
    shop = contest(queries=8, answers=14)

    shown = coming(database, shop, shop.owner)

    assert len({one.query_id for one in shown}) == len(shown) == 6
    with database.read() as session:
        assert session.scalar(select(func.count()).select_from(Assignment)) == 0


def test_each_has_a_short_reason(database, contest):
    shop = contest(queries=8, answers=14)
    asked = shop.queries[3].id
    evidence = evidence_of(database, shop.project.id)
    with database.write() as session:
        request_question(session, shop.project, asked, evidence=evidence, actor_id=shop.owner.id)

    shown = coming(database, shop, shop.owner)
    assert (shown[0].query_id, shown[0].why) == (asked, "Requested.")
    reasons = {one.kind: one.why for one in shown[1:]}
    assert reasons["finish"] == "3 rankers put an unrated answer first."
    assert reasons["front"] == "3 rankers put an unrated answer first."


@pytest.mark.thorough
def test_a_question_further_down_is_taken_by_whoever_asks_for_it(database, contest):
    shop = contest(queries=8, answers=10)
    rate_next(database, shop, shop.ada, lambda card: card.place % 4)

    wanted, other = coming(database, shop, shop.owner)[2:4]
    batch = assign_question(database, shop.project.id, shop.owner.id, wanted.query_id)

    assert assigned(database, shop, batch) == (wanted.query_id, "chosen", 10)
    second = assign_question(database, shop.project.id, shop.owner.id, other.query_id)
    with database.read() as session:
        begun = begun_batches(session, shop.project.id, shop.owner.id, now_utc())
    assert [(one.batch, one.query_id, one.left) for one in begun] == [
        (batch, wanted.query_id, 10),
        (second, other.query_id, 10),
    ]


def test_whoever_asks_again_for_a_question_gets_its_rest_and_then_the_batch_at_hand(database, contest):
    shop = contest(queries=1, answers=14, pool_depth=14)
    query = shop.queries[0].id

    first = assign_question(database, shop.project.id, shop.owner.id, query)
    second = assign_question(database, shop.project.id, shop.owner.id, query)

    assert (first, second) == (1, 2)
    with database.read() as session:
        (begun,) = begun_batches(session, shop.project.id, shop.owner.id, now_utc())
    assert (begun.batch, begun.left) == (first, 14)
    assert assign_question(database, shop.project.id, shop.owner.id, query) == first
    assert assign_question(database, shop.project.id, shop.owner.id, 10**9) is None


def test_nothing_comes_while_rating_is_paused(database, contest):
    shop = contest()
    with database.write() as session:
        session.get_one(Project, shop.project.id).state = "paused"

    assert coming(database, shop, shop.owner) == []
    assert assign_question(database, shop.project.id, shop.owner.id, shop.queries[0].id) is None


@pytest.mark.thorough
def test_the_questions_of_the_overview_follow_the_rule(database, contest):
    shop = contest(queries=30, answers=10)
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        context, request = scoring_context(evidence), BatchRequest(project, NOBODY, now_utc())
        free = free_answers(session, context, request)
        found = first_questions(session, context, request, free, most=30)
    shown = coming(database, shop, shop.owner)

    assert len(set(found)) == 30
    assert [one.query_id for one in shown[:2]] == found[:2]


def test_requests_are_told_with_what_is_left_of_them(database, contest):
    shop = contest(queries=4, answers=10)
    evidence = evidence_of(database, shop.project.id)
    with database.write() as session:
        number = shop.queries[2].id
        request_question(session, shop.project, number, evidence=evidence, actor_id=shop.owner.id)

    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        (one,) = request_summaries(session, evidence, shop.project)
    assert (one.what, one.query_id, one.left, one.blocked) == (
        "Question number 2?",
        shop.queries[2].id,
        10,
        0,
    )
    assert one.by == "Olga Owner"
    rate_next(database, shop, shop.ada, lambda card: 1)
    with database.read() as session:
        assert request_summaries(session, evidence_of(database, shop.project.id), shop.project) == []
