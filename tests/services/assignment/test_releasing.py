"""What was passed on goes to others at once, and to the same people when an owner asks them again."""

import pytest
from sqlalchemy import select

from app.models import (
    Assignment,
    AssignmentCandidate,
    Candidate,
    Document,
    Event,
    EventKind,
    Judgment,
    Origin,
    Project,
    Query,
    Reason,
    now_utc,
)
from app.models.ranker import PROBES
from app.services.assignment.batch_lifecycle import decline_query, finish_batch
from app.services.assignment.passes import passed_on, release_passed_on
from app.services.assignment.report import assigned_batches
from app.services.errors import ConflictError
from app.services.judging.pages import batch_page
from app.services.judging.recording import record_judgment
from tests.furniture.assigning import assign_best_batch, open_candidates
from tests.furniture.rating import make_workshop, rating


@pytest.fixture
def shop(session, make):
    """Ada cannot judge two answers for lack of knowledge, and a whole question that is unclear to her."""
    shop = make_workshop(make, queries=2, answers=3)
    place = (session, shop.project.id, shop.ada.id)
    first = assign_best_batch(*place)
    for card, reason in zip(
        batch_page(*place, first.batch).answers, (Reason.EXPERTISE,) * 2 + (None,), strict=True
    ):
        given = rating(None if reason else 2, reason=reason, batch=1, place=card.place)
        record_judgment(session, shop.annotator(), card.public_id, given)
    finish_batch(*place, 1)
    assign_best_batch(*place)
    decline_query(*place, 2, Reason.UNCLEAR)
    return shop


def free(session, shop, person):
    project = session.get_one(Project, shop.project.id)
    return len(open_candidates(session, project, person.id, now_utc()))


def test_what_is_passed_on_is_for_others_and_listed_by_reason(session, shop):
    assert (free(session, shop, shop.ada), free(session, shop, shop.bo)) == (0, 5)

    found = {one.reason: (one.answers, one.queries, one.people) for one in passed_on(session, shop.project)}

    assert found == {Reason.EXPERTISE: (2, 0, 1), Reason.UNCLEAR: (0, 1, 1)}


def test_an_owner_asks_the_same_people_again(session, shop):
    assert release_passed_on(session, shop.project, Reason.EXPERTISE, actor_id=shop.owner.id) == (2, 0)
    assert free(session, shop, shop.ada) == 2
    assert release_passed_on(session, shop.project, Reason.UNCLEAR) == (0, 1)
    assert free(session, shop, shop.ada) == 5
    assert passed_on(session, shop.project) == []
    with pytest.raises(ConflictError, match="No answer is marked “can’t judge”"):
        release_passed_on(session, shop.project, Reason.UNCLEAR)

    cleared = session.scalars(select(Judgment).where(Judgment.reason == Reason.CLEARED)).all()
    assert {(row.annotator_id, row.role, row.batch) for row in cleared} == {(shop.ada.id, Origin.PLANNED, 1)}
    event = session.scalars(select(Event).where(Event.kind == EventKind.DECLINES_RELEASED)).first()
    assert (event.payload, event.actor_id) == ({"reason": "expertise", "count": 2}, shop.owner.id)
    assert event.revision == max(row.revision for row in cleared) + 1
    # They rate it now, and the rating counts: on the page where it is already, and the other question on a new one.
    place = (session, shop.project.id, shop.ada.id)
    batches = sorted(assign_best_batch(*place, query_id=query.id).batch for query in shop.queries)
    assert batches == [1, 4]
    first, other = ([card.grade for card in batch_page(*place, batch).answers] for batch in batches)
    assert sorted(map(str, first)) == ["2", "None", "None"]
    assert other == [None, None, None]
    assert all(card.reason is None for batch in batches for card in batch_page(*place, batch).answers)


def test_what_is_decided_is_neither_listed_nor_asked_again(session, shop, make):
    passed = select(Judgment).where(Judgment.reason == Reason.EXPERTISE).order_by(Judgment.revision)
    candidate = session.get_one(Candidate, session.scalars(passed).first().candidate_id)
    make.judgment(candidate, shop.owner, 2, role=Origin.ADJUDICATION)

    (listed,) = (one for one in passed_on(session, shop.project) if one.reason is Reason.EXPERTISE)
    assert listed.answers == 1
    assert release_passed_on(session, shop.project, Reason.EXPERTISE) == (1, 0)
    assert [one.reason for one in passed_on(session, shop.project)] == [Reason.UNCLEAR]
    cleared = session.scalars(select(Judgment).where(Judgment.reason == Reason.CLEARED)).one()
    assert cleared.candidate_id != candidate.id


def test_a_rating_stands_when_something_else_is_asked_again(session, shop):
    release_passed_on(session, shop.project, Reason.EXPERTISE)

    assert [row.grade for row in session.scalars(select(Judgment)) if row.grade is not None] == [2]
    assert session.scalars(select(Assignment.declined).order_by(Assignment.batch)).all() == [None, "unclear"]
    assert len(session.scalars(select(Candidate)).all()) == 6


def test_owners_read_why_each_batch_was_dealt(session, shop):
    last, first = assigned_batches(session, shop.project.id)

    assert (first.batch, first.person, first.why) == (
        1,
        "Ada Example",
        "One of these answers was near the top of a ranker’s list.",
    )
    assert first.answers == ["3 first ratings"]
    assert [one.batch for one in assigned_batches(session, shop.project.id, query_id=last.query_id)] == [2]


def test_a_batch_with_answers_of_a_random_probe_alone_names_the_probe(session, make, shop):
    assignment = session.scalars(select(Assignment).order_by(Assignment.batch)).first()
    held = select(AssignmentCandidate.candidate_id).where(AssignmentCandidate.assignment_id == assignment.id)
    answers = session.scalars(select(Candidate).where(Candidate.id.in_(held))).all()
    query = session.get_one(Query, assignment.query_id)
    documents = [session.get_one(Document, one.document_id) for one in answers]
    probes = make.ranker(shop.project, PROBES, kind="manual")

    make.run(probes, {query: documents[:1]})
    mixed = assigned_batches(session, shop.project.id)
    make.run(probes, {query: documents[1:]})
    drawn = assigned_batches(session, shop.project.id)
    assignment.kind = "requested"
    session.flush()
    asked = assigned_batches(session, shop.project.id)

    assert "probe" not in mixed[-1].why
    assert drawn[-1].why == "It held answers of a random probe."
    assert "probe" not in drawn[0].why
    assert asked[-1].why == "An owner asked for it to be rated first. It held answers of a random probe."


def test_each_kind_of_batch_has_its_sentence(session, shop):
    assignment = session.scalars(select(Assignment).order_by(Assignment.id)).first()
    sentences = set()
    for kind in ("requested", "finish", "front", "waiting", "random", "chosen", "check"):
        assignment.kind = kind
        session.flush()
        sentences.add(assigned_batches(session, shop.project.id)[-1].why)

    assert len(sentences) == 7
