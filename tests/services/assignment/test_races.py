"""Several annotators at once, each in a thread with sessions of its own, as the doors have them."""

import threading
from collections import Counter

import pytest
from sqlalchemy import select

from app.models import Assignment, AssignmentCandidate, Candidate, Judgment, Origin
from app.services.assignment import deal_batch, finish_batch
from app.services.judging import record_judgment
from app.services.ledger import head_of
from tests.furniture.factories import making_in
from tests.furniture.rating import make_workshop, rating


def work(database, shop, person, started, failures):
    """Rate until nothing is left, as fast as it goes."""
    started.wait()
    try:
        while True:
            with database.write() as session:
                batch = deal_batch(session, shop.project.id, person.id)
                if batch is None:
                    return
                public_ids = session.scalars(
                    select(Candidate.public_id)
                    .join(AssignmentCandidate, AssignmentCandidate.candidate_id == Candidate.id)
                    .where(AssignmentCandidate.assignment_id == batch.id)
                ).all()
            for public_id in public_ids:
                with database.write() as session:
                    record_judgment(session, shop.annotator(person), public_id, rating(2, batch=batch.batch))
            with database.write() as session:
                finish_batch(session, shop.project.id, person.id, batch.batch)
    except BaseException as error:
        failures.append(error)


@pytest.mark.parametrize(("people", "overlap"), [(2, 1), (4, 2)])
def test_annotators_who_race_meet_the_overlap_exactly(database, people, overlap):
    with making_in(database)() as make:
        shop = make_workshop(make, queries=4, answers=14, overlap=overlap)
        more = [make.member(shop.project, "annotator") for _ in range(people - 2)]
        before = head_of(make.session, shop.project.id)
    crew = [shop.ada, shop.bo, *more]
    started, failures = threading.Barrier(len(crew)), []
    threads = [
        threading.Thread(target=work, args=(database, shop, person, started, failures)) for person in crew
    ]

    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)

    assert failures == []
    with database.read() as session:
        rows = session.execute(select(Judgment.candidate_id, Judgment.annotator_id, Judgment.role)).all()
        leases = session.execute(
            select(AssignmentCandidate.candidate_id, Assignment.person_id).join(
                Assignment, Assignment.id == AssignmentCandidate.assignment_id
            )
        ).all()
        batches = session.scalars(select(Assignment.batch)).all()
        revisions = session.scalars(select(Judgment.revision).order_by(Judgment.revision)).all()
    assert Counter(row.candidate_id for row in rows) == Counter({row.candidate_id: overlap for row in rows})
    assert len({row.candidate_id for row in rows}) == 56
    assert {row.role for row in rows} == {Origin.PLANNED}
    assert len(leases) == len(set(leases)) == 56 * overlap
    assert sorted(batches) == list(range(1, len(batches) + 1))
    assert revisions == list(range(before + 1, before + 1 + 56 * overlap))
