"""Which answers wait for an adjudicator, and that deciding is a row of the ledger like any other."""

import uuid
from dataclasses import dataclass, field

import pytest
from sqlalchemy import select

from app.models import Candidate, Document, Input, Origin, Project, Reason
from app.services.assignment.batch_lifecycle import decline_query
from app.services.assignment.wanted import shuffled
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.evidence.state import consensus_at
from app.services.evidence.store import evidence_of
from app.services.judging.adjudication import (
    grades_given,
    name_adjudicator,
    record_decision,
    request_adjudication,
    show_ratings,
    take_back_decision,
    withdraw_adjudication_request,
    write_note_on,
)
from app.services.judging.adjudication_queue import decided_of, question_page, queue_of
from app.services.judging.rating import Annotator, Rating
from tests.furniture.assigning import assign_best_batch
from tests.furniture.factories import Make
from tests.furniture.rating import NOON


@dataclass
class Court:
    """One question with four answers, three annotators, an owner, and a session for each step."""

    database: object
    overlap: int = 2
    people: list = field(default_factory=list)

    def __post_init__(self):
        with self.database.write() as session:
            make = Make(session)
            self.project = make.project(overlap=self.overlap, k=4, pool_depth=4)
            self.query = make.query(self.project, "q", text="Which screw?")
            documents = [make.document(self.project, f"d{number}") for number in range(4)]
            make.run(make.ranker(self.project), {self.query: documents})
            self.people = [make.member(self.project, "annotator", name=f"P{number}") for number in range(3)]
            self.owner = make.member(self.project, "owner", name="Olga")
            self.answers = list(session.scalars(select(Candidate).order_by(Candidate.best_rank)))

    def rate(self, answer, *grades, **values):
        """Let annotators rate an answer one after the other; a reason stands for no grade."""
        with self.database.write() as session:
            make = Make(session)
            for person, given in zip(self.people, grades, strict=False):
                reason = given if isinstance(given, Reason) else None
                if given is not None:
                    grade = None if reason else given
                    make.judgment(self.answers[answer], person, grade, reason=reason, **values)

    def waiting(self):
        """Return why each answer waits, by its place."""
        places = {answer.id: place for place, answer in enumerate(self.answers)}
        return {places[one.candidate_id]: one.why for one in self.queue().waiting}

    def queue(self):
        evidence = evidence_of(self.database, self.project.id)
        with self.database.read() as session:
            return queue_of(session, evidence, session.get_one(Project, self.project.id))

    def decide(self, answer, grade, **values):
        by = values.pop("by", self.owner)
        values = {"id": uuid.uuid4(), "input": Input.KEY, "at": NOON, **values}
        rating = Rating(grade=grade, reason=None if grade is not None else Reason.CLEARED, **values)
        with self.database.write() as session:
            who = Annotator(session.get_one(Project, self.project.id), by.id, blind=by is not self.owner)
            return record_decision(session, who, self.answers[answer].public_id, rating).rating

    def adjudicator(self):
        return Annotator(self.project, self.owner.id, blind=False)

    def consensus(self, answer):
        evidence = evidence_of(self.database, self.project.id)
        consensus = consensus_at(evidence, evidence.ruler_at())
        cell = int(evidence.structure.candidate_id.tolist().index(self.answers[answer].id))
        return int(consensus.low[cell]), int(consensus.high[cell])

    def page(self, by=None, *, with_names=True):
        queue = self.queue()
        with self.database.read() as session:
            project = session.get_one(Project, self.project.id)
            person = (by or self.owner).id
            return question_page(session, project, queue, person, self.query.id, with_names=with_names)


@pytest.fixture
def court(database):
    return Court(database)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("grades", "waits"),
    [
        ((0, 3), False),  # one more rating opens first
        ((0, 1, 3), True),
        ((0, 3, 3), False),
        ((0, 1, 2), True),
        ((1, 2), False),
        ((0, 3, Reason.EXPERTISE), True),  # nobody is left for the one more
    ],
)
def test_an_answer_waits_when_its_ratings_lie_apart_and_no_two_agree(court, grades, waits):
    court.rate(1, *grades)

    assert court.waiting() == ({1: "disputed"} if waits else {})


def test_where_rating_is_closed_nobody_waits_for_one_more_rating(court):
    court.rate(1, 0, 3)
    assert court.waiting() == {}

    with court.database.write() as session:
        session.get_one(Project, court.project.id).state = "closed"

    assert court.waiting() == {1: "disputed"}


def test_repeats_gold_and_cleared_ratings_dispute_nothing(court):
    court.rate(0, 0, 2, 3)
    court.rate(0, Reason.CLEARED)
    court.rate(1, 2, 2, 2)
    court.rate(1, 0, 3, role=Origin.REPEAT)

    assert court.waiting() == {}


def test_what_nobody_could_judge_waits_after_two_people(court):
    court.rate(0, Reason.LANGUAGE)
    court.rate(1, Reason.LANGUAGE, Reason.EXPERTISE)
    court.rate(2, Reason.LANGUAGE, Reason.EXPERTISE, 1)

    assert court.waiting() == {1: "passed"}


def test_passing_on_the_whole_question_counts_for_each_of_its_answers(court):
    with court.database.write() as session:
        assigned = assign_best_batch(session, court.project.id, court.people[0].id)
        decline_query(session, court.project.id, court.people[0].id, assigned.batch, Reason.UNCLEAR)
    court.rate(1, None, 2)
    court.rate(2, None, Reason.UNCLEAR)

    assert court.waiting() == {2: "passed"}


def test_a_decision_sets_both_middles_and_ends_the_wait_until_it_is_taken_back(court):
    court.rate(1, 0, 1, 3)
    assert court.consensus(1) == (1, 1)

    first = court.decide(1, 3, active_ms=4200)
    assert court.consensus(1) == (3, 3)
    assert (court.waiting(), first.role, first.active_ms) == ({}, Origin.ADJUDICATION, 4200)
    assert court.queue().decided == (court.answers[1].id,)

    court.decide(1, None, base=first.id)
    assert court.consensus(1) == (1, 1)
    assert court.waiting() == {1: "disputed"}


def test_an_edited_answer_is_decided_no_more(court):
    court.rate(1, 0, 1, 3)
    court.decide(1, 3)
    with court.database.write() as session:
        Make(session).edit(session.get_one(Document, session.merge(court.answers[1]).document_id))

    assert court.consensus(1) == (-1, -1)
    assert (court.waiting(), court.queue().decided) == ({}, ())
    court.decide(
        1, 2
    )  # its base is nothing: what was decided about the older text is not before anybody's eyes
    assert court.consensus(1) == (2, 2)


def test_an_owner_sends_an_answer_also_after_a_decision(court):
    name = court.answers[2].public_id
    with court.database.write() as session:
        request_adjudication(
            session, session.get_one(Project, court.project.id), name, actor_id=court.owner.id
        )
    assert court.waiting() == {2: "sent"}

    court.decide(2, 1)
    assert court.waiting() == {}
    with court.database.write() as session:
        request_adjudication(
            session, session.get_one(Project, court.project.id), name, actor_id=court.owner.id
        )
    assert court.waiting() == {2: "sent"}
    with court.database.write() as session:
        withdraw_adjudication_request(session, session.get_one(Project, court.project.id), name)
    assert (court.waiting(), court.queue().decided) == ({}, (court.answers[2].id,))


def test_the_same_decision_sent_again_is_stored_once_and_another_one_is_refused(court):
    sent = uuid.uuid4()
    first, again = court.decide(1, 2, id=sent), court.decide(1, 2, id=sent)

    assert first.revision == again.revision
    with pytest.raises(ConflictError, match="belongs to another") as caught:
        court.decide(1, 3, id=sent)
    assert caught.value.code == "id_reused"


def test_two_adjudicators_at_once_see_each_other(court):
    ana = court.people[0]
    first = court.decide(1, 2, by=ana)

    with pytest.raises(ConflictError) as caught:
        court.decide(1, 0)
    assert caught.value.code == "changed_elsewhere"
    assert caught.value.details["current"] == {"id": str(first.id), "grade": 2, "reason": None}
    court.decide(1, 0, base=first.id)
    assert court.consensus(1) == (0, 0)


def test_what_cannot_be_a_decision_is_refused(court):
    with pytest.raises(InvalidError, match="not on the scale"):
        court.decide(1, 7)
    with court.database.write() as session, pytest.raises(NotFoundError):
        who = Annotator(session.get_one(Project, court.project.id), court.owner.id, blind=False)
        take_back_decision(
            session, who, "nowhere", Rating(id=uuid.uuid4(), grade=1, input=Input.FORM, at=NOON)
        )
    with court.database.write() as session:
        session.get_one(Project, court.project.id).state = "archived"
    with pytest.raises(ConflictError, match="archived"):
        court.decide(1, 2)


def test_the_page_is_blind_in_an_order_of_its_own_until_it_is_asked_or_decided(court):
    for answer in range(4):
        court.rate(answer, 0, 1, 3)
    page = court.page()

    names = [case.public_id for case in page.cases]
    secret = court.project.shuffle_secret
    assert names == shuffled(secret, names, annotator=court.owner.id, query=court.query.id, batch=0)
    other = [case.public_id for case in court.page(court.people[0]).cases]
    assert other == shuffled(secret, other, annotator=court.people[0].id, query=court.query.id, batch=0)
    assert [case.grades for case in page.cases] == [None] * 4

    with court.database.write() as session:
        show_ratings(session, court.adjudicator(), court.answers[0].public_id)
        write_note_on(session, court.adjudicator(), court.answers[0].public_id, " Clear enough ")
    court.decide(1, 3)
    seen = {case.public_id: case for case in court.page().cases}
    shown = seen[court.answers[0].public_id]
    assert [(one.name, one.grade) for one in shown.grades] == [("P0", 0), ("P1", 1), ("P2", 3)]
    assert (shown.note, shown.grade) == ("Clear enough", None)
    assert seen[court.answers[1].public_id].grade == 3
    assert len(seen[court.answers[1].public_id].grades) == 3
    assert seen[court.answers[2].public_id].grades is None
    # What one adjudicator looked at stays hidden from the other, and names are for owners.
    others = {case.public_id: case for case in court.page(court.people[0], with_names=False).cases}
    assert others[court.answers[0].public_id].grades is None
    assert [one.name for one in others[court.answers[1].public_id].grades] == [""] * 3


def test_the_record_says_who_decided_and_whether_they_had_looked(court):
    court.rate(0, 0, 1, 3)
    court.rate(1, 0, 1, 3)
    with court.database.write() as session:
        show_ratings(session, court.adjudicator(), court.answers[0].public_id)
    court.decide(0, 2)
    court.decide(1, 1)
    with court.database.write() as session:
        show_ratings(session, court.adjudicator(), court.answers[1].public_id)

    with court.database.read() as session:
        rows = decided_of(session, court.queue(), with_names=True)
        named = grades_given(session, [court.answers[0].id], with_names=False)
    assert [(row.grade, row.by, row.looked) for row in rows] == [(1, "Olga", False), (2, "Olga", True)]
    assert [one.grade for one in named[court.answers[0].id]] == [0, 1, 3]


def test_nobody_had_looked_at_ratings_where_there_were_none(court):
    with court.database.write() as session:
        project = session.get_one(Project, court.project.id)
        for answer in court.answers[:2]:
            request_adjudication(session, project, answer.public_id, actor_id=court.owner.id)
            show_ratings(session, court.adjudicator(), answer.public_id)
    court.decide(0, 2)
    court.rate(0, 1)
    court.rate(1, 1)
    court.decide(1, 3)

    with court.database.read() as session:
        rows = decided_of(session, court.queue(), with_names=True)
    assert [(row.grade, row.looked) for row in rows] == [(3, True), (2, False)]


def test_only_members_can_be_named(court, session):
    with pytest.raises(NotFoundError):
        name_adjudicator(session, court.project.id, 999_999, named=True)
