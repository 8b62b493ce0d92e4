"""Certain questions for certain annotators, up to a target; others are assigned anything as before."""

import pytest

from app.models import Event, EventKind, Project, now_utc
from app.services.assignment.batch_lifecycle import park_batch
from app.services.assignment.eligibility import open_work_for
from app.services.assignment.query_assignments import (
    assign_queries,
    clear_query_assignment,
    query_assignments_of,
)
from app.services.assignment.report import assigned_batches
from app.services.assignment.selection import proposals_for
from app.services.assignment.wanted import BatchRequest
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evidence.store import evidence_of
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from app.services.projects.settings import archive_project, change_rating
from tests.furniture.assigning import assign_best_batch, open_candidates, progress_of
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop, rating


@pytest.fixture
def shop(database):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=4, answers=3)
        for query, tags in zip(shop.queries, (["wheels"], ["wheels", "night"], [], ["night"]), strict=True):
            query.tags = tags
            make.session.merge(query)
    return shop


@pytest.fixture
def give(database, shop):
    def give(person=None, **values):
        with database.write() as session:
            project = session.get_one(Project, shop.project.id)
            return assign_queries(session, project, (person or shop.ada).id, **values)

    return give


def dealt_to(database, shop, person):
    """Return the questions that somebody may be assigned, worked out on arrays, which the database agrees with."""
    evidence = evidence_of(database, shop.project.id)
    with database.read() as session:
        project = session.get_one(Project, shop.project.id)
        quick = set(
            open_work_for(session, evidence, BatchRequest(project, person.id, now_utc())).query_id.tolist()
        )
        slow = {slot.query_id for slot in open_candidates(session, project, person.id, now_utc())}
        proposed = proposals_for(session, evidence, BatchRequest(project, person.id, now_utc()), most=9)
        assert quick == slow >= {one.query_id for one in proposed}
    numbers = {query.id: number for number, query in enumerate(shop.queries)}
    return sorted(numbers[query] for query in quick)


def test_tags_and_named_questions_narrow_what_one_person_is_dealt(database, shop, give):
    give(tags=["wheels"], queries=["q2"])

    assert dealt_to(database, shop, shop.ada) == [0, 1, 2]
    assert dealt_to(database, shop, shop.bo) == [0, 1, 2, 3]

    give(tags=["night"])
    assert dealt_to(database, shop, shop.ada) == [1, 3]
    with database.write() as session:
        clear_query_assignment(session, session.get_one(Project, shop.project.id), shop.ada.id)
    assert dealt_to(database, shop, shop.ada) == [0, 1, 2, 3]


@pytest.mark.thorough
def test_once_the_target_is_reached_nothing_more_is_dealt(database, shop, give):
    give(tags=["wheels"], target=3)
    with database.write() as session:
        batch = assign_best_batch(session, shop.project.id, shop.ada.id)
        assert batch.query_id in {shop.queries[0].id, shop.queries[1].id}
        cards = list(shop.documents[batch.query_id])
        number, query_id = batch.batch, batch.query_id
    with database.write() as session:
        shown = batch_page(session, shop.project.id, shop.ada.id, number).answers
        assert len(shown) == len(cards) == 3
        for card in shown:
            given = rating(2, batch=number, place=card.place)
            record_judgment(session, shop.annotator(), card.public_id, given)

    assert dealt_to(database, shop, shop.ada) == []
    with database.write() as session:
        assert assign_best_batch(session, shop.project.id, shop.ada.id) is None
        assert progress_of(session, shop.project.id, shop.ada.id).waiting == 0
    give(tags=["wheels"], target=4)
    assert query_id not in {shop.queries[number].id for number in dealt_to(database, shop, shop.ada)}
    assert len(dealt_to(database, shop, shop.ada)) == 1


def test_what_is_open_counts_towards_the_target_and_numbers_respect_it(database, shop, give):
    give(target=4)
    with database.read() as session:
        assert progress_of(session, shop.project.id, shop.ada.id).waiting == 4
    with database.write() as session:
        first = assign_best_batch(session, shop.project.id, shop.ada.id)
        assert progress_of(session, shop.project.id, shop.ada.id).waiting == 4
        number = first.batch

    assert len(dealt_to(database, shop, shop.ada)) == 3, "three of four are open, so one more page comes"
    with database.write() as session:
        second = assign_best_batch(session, shop.project.id, shop.ada.id)
        assert second.query_id != first.query_id
        assert progress_of(session, shop.project.id, shop.ada.id).waiting == 6

    assert dealt_to(database, shop, shop.ada) == []
    with database.write() as session:
        park_batch(session, shop.project.id, shop.ada.id, number)
    assert len(dealt_to(database, shop, shop.ada)) == 2, "what is left for later may stay so"


def test_a_target_alone_is_over_all_questions(database, shop, give):
    given = give(target=100)
    assert (given.tags, given.queries) == ((), ())
    assert dealt_to(database, shop, shop.ada) == [0, 1, 2, 3]


def test_owners_read_first_that_a_question_was_chosen_for_its_annotator(database, shop, give):
    with database.write() as session:
        before = assign_best_batch(session, shop.project.id, shop.bo.id)
        asked = [shop.queries[-1].external_id]
    give(queries=asked)
    give(shop.bo, tags=["wheels", "night"])
    with database.write() as session:
        assign_best_batch(session, shop.project.id, shop.ada.id)

    with database.read() as session:
        chosen, earlier = assigned_batches(session, shop.project.id)

    assert chosen.why.startswith("An owner chose it for Ada Example under “Who rates what”. ")
    assert before is not None
    assert "chose it for" not in earlier.why


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tags": ["brakes"]}, "No question has the tag 'brakes'"),
        ({"queries": ["q9"]}, "There is no question 'q9'"),
        ({"target": 0}, "A target of 0 answers"),
        ({}, "Give tags, questions or a target"),
    ],
)
def test_what_cannot_be_is_named_and_changes_nothing(database, shop, give, values, message):
    with pytest.raises(InvalidError, match=message):
        give(**values)
    with database.read() as session:
        assert query_assignments_of(session.get_one(Project, shop.project.id)) == {}


def test_only_those_who_rate_here_are_given_questions_and_each_change_is_an_event(database, shop, give):
    with making_in(database)() as make:
        stranger, viewer = make.person(), make.member(shop.project, "viewer")
    for person in (stranger, viewer):
        with pytest.raises(NotFoundError):
            give(person, target=5)
    give(tags=["night"], target=7)
    with database.read() as session:
        events = session.query(Event).filter_by(kind=EventKind.QUERIES_ASSIGNED.value).all()
        assert [event.payload for event in events] == [
            {"person_id": shop.ada.id, "queries": 0, "tags": 1, "target": 7}
        ]
    with database.write() as session, pytest.raises(NotFoundError):
        clear_query_assignment(session, session.get_one(Project, shop.project.id), shop.bo.id)


def test_rating_is_paused_closed_and_opened_again(database, shop):
    def turn(state):
        with database.write() as session:
            change_rating(session, session.get_one(Project, shop.project.id), state)

    for state, assigned in (("paused", False), ("closed", False), ("open", True)):
        turn(state)
        with database.write() as session:
            assert (assign_best_batch(session, shop.project.id, shop.ada.id) is not None) is assigned
    with pytest.raises(ConflictError, match="is open already"):
        turn("open")
    with pytest.raises(InvalidError):
        turn("archived")
    with database.write() as session:
        archive_project(session, session.get_one(Project, shop.project.id))
    with pytest.raises(ConflictError, match="restore it first"):
        turn("open")
