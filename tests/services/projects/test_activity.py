"""What happened lately, in words."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from app.models import Event, EventKind, now_utc
from app.services.collection.withdrawal import withdraw_run
from app.services.ledger import record_event
from app.services.projects.activity import WORDS, activity_of, moved_last

PAYLOAD = {
    "count": 2,
    "query_ids": [1],
    "document_ids": [1, 2],
    "depth": 7,
    "overlap": 3,
    "scale": "1-5",
    "state": "paused",
    "version": 2,
    "n": 20,
    "run_id": 0,
    "answers": 3,
    "ranker": "Blend",
    "before": "Old",
    "after": "New",
    "names": ["Old", "New"],
}


@pytest.mark.parametrize("kind", list(WORDS))
def test_every_kind_that_is_told_has_its_words(session, make, kind):
    project, owner = make.project(), make.person(name="Olga")
    record_event(session, project.id, kind, PAYLOAD, actor_id=owner.id)

    newest = activity_of(session, [project.id])[0]

    assert newest.text
    assert newest.text[0].isupper() or newest.text[0].isdigit()
    assert newest.actor == "Olga"


def test_the_newest_come_first_and_others_projects_stay_out(session, make):
    project, other = make.project(), make.project()
    query, document = make.query(project), make.document(project)
    run = make.run(make.ranker(project, "Blend"), {query: [document]})
    withdraw_run(session, run)
    record_event(session, other.id, EventKind.QUERIES_ADDED, {"count": 5})

    texts = [one.text for one in activity_of(session, [project.id])]

    assert texts[:2] == ["Blend v1 withdrawn", "Blend v1 imported"]
    assert not any("5 questions" in text for text in texts)
    assert activity_of(session, []) == []
    assert len(activity_of(session, [project.id, other.id], most=1)) == 1


def test_what_a_copy_brought_along_is_told_of_the_older_project_only(session, make):
    project, copy = make.project(), make.project()
    record_event(session, project.id, EventKind.QUERIES_ADDED, {"count": 5})
    record_event(session, project.id, EventKind.QUERIES_ADDED, {"count": 6})
    session.flush()
    added = select(Event).where(Event.project_id == project.id, Event.kind == EventKind.QUERIES_ADDED.value)
    for event in session.scalars(added).all():
        told = {"kind": event.kind, "payload": event.payload, "at": event.at, "revision": event.revision + 9}
        session.add(Event(project_id=copy.id, **told))
    session.flush()

    found = activity_of(session, [project.id, copy.id])

    assert [(one.project_id, one.text) for one in found[:2]] == [
        (project.id, "6 questions added"),
        (project.id, "5 questions added"),
    ]
    assert not any(one.project_id == copy.id and "added" in one.text for one in found)
    assert [one.text for one in activity_of(session, [copy.id])][:2] == [one.text for one in found[:2]]


def test_current_ratings_of_people_are_counted_for_a_day(session, make):
    project = make.project()
    query = make.query(project)
    candidate, older = make.candidate(query), make.candidate(query)
    first, second = make.member(project, "annotator"), make.member(project, "annotator")
    make.judgment(older, second, 3, received_at=now_utc() - timedelta(hours=25))
    make.judgment(candidate, first, 1)
    make.judgment(candidate, first, 2)
    make.judgment(candidate, second, 2)
    robot = make.person(kind="simulated")
    make.judgment(candidate, robot, 3)

    texts = [one.text for one in activity_of(session, [project.id])]

    assert "2 ratings by 2 people in the last 24 hours" in texts
    # Those of before the project was made came along with a copy of an older one.
    project.created_at = now_utc() + timedelta(hours=1)
    session.flush()
    assert not any("in the last 24 hours" in one.text for one in activity_of(session, [project.id]))


def test_projects_that_moved_last_are_those_with_the_newest_row_of_any_kind(session, make):
    rated, told, older = (make.project() for _ in range(3))
    candidate = make.candidate(make.query(rated))
    record_event(session, older.id, EventKind.QUERIES_ADDED, {"count": 1}, at=now_utc() - timedelta(days=9))
    record_event(session, rated.id, EventKind.QUERIES_ADDED, {"count": 1}, at=now_utc() - timedelta(days=10))
    record_event(session, told.id, EventKind.QUERIES_ADDED, {"count": 1}, at=now_utc() - timedelta(days=1))
    make.judgment(candidate, make.member(rated, "annotator"), 1)
    ids = [older.id, told.id, rated.id]

    assert moved_last(session, ids, 1) == {rated.id}
    assert moved_last(session, ids, 2) == {rated.id, told.id}
    assert moved_last(session, ids, 3) == set(ids)
