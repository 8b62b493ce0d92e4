"""The words of a question are edited by ledger events, and the earlier ones are kept."""

from __future__ import annotations

import pytest

from app.models import Event
from app.services.collection.queries import earlier_wordings, edit_query, ratings_given
from app.services.errors import ConflictError
from app.services.ledger import head_of
from app.services.projects.settings import archive_project


def test_earlier_words_are_kept_newest_first_also_after_ratings(session, make):
    project = make.project()
    query, owner = make.query(project, "qa", text="flat tyre"), make.member(project, "owner", name="Olga")
    candidate, annotator = make.candidate(query), make.member(project, "annotator")
    make.judgment(candidate, annotator, 3)
    make.judgment(candidate, annotator, 2)

    first = edit_query(
        session, project, query, {"text": "flat tire", "intent": "", "tags": ["a"]}, actor_id=owner.id
    )
    second = edit_query(
        session, project, query, {"text": "flat tire", "intent": "repair", "tags": ["a", "b", "a"]}
    )

    earlier = earlier_wordings(session, query)
    event = session.get(Event, (project.id, head_of(session, project.id)))
    assert (first, second) == (True, True)
    assert (query.text, query.intent, query.tags) == ("flat tire", "repair", ["a", "b"])
    assert [(one.content["text"], one.content["tags"], one.by) for one in earlier] == [
        ("flat tire", ["a"], ""),
        ("flat tyre", [], "Olga"),
    ]
    assert (event.kind, event.payload["query_ids"]) == ("queries_edited", [query.id])
    assert ratings_given(session, query) == 1


def test_another_weight_is_an_edit_that_keeps_the_earlier_one(session, make):
    project = make.project()
    query = make.query(project, "qa", text="flat tyre")

    assert edit_query(session, project, query, {"text": "flat tyre", "intent": "", "tags": [], "weight": 2.5})
    assert not edit_query(session, project, query, {"text": "flat tyre", "intent": "", "tags": []})

    event = session.get(Event, (project.id, head_of(session, project.id)))
    assert query.weight == 2.5
    assert event.payload["before"]["weight"] == 1.0
    assert [one.content["weight"] for one in earlier_wordings(session, query)] == [1.0]


def test_the_same_words_again_make_no_event(session, make):
    project = make.project()
    query = make.query(project, "qa", text="flat tyre")
    before = head_of(session, project.id)

    assert not edit_query(session, project, query, {"text": "flat tyre", "intent": "", "tags": []})
    assert head_of(session, project.id) == before


def test_other_questions_keep_their_own_history(session, make):
    project = make.project()
    query, other = make.query(project, "qa"), make.query(project, "qb")

    edit_query(session, project, query, {"text": "new words", "intent": "", "tags": []})

    assert earlier_wordings(session, other) == []


def test_nothing_is_edited_in_an_archived_project(session, make):
    project = make.project()
    query = make.query(project, "qa")
    archive_project(session, project)

    with pytest.raises(ConflictError, match="archived"):
        edit_query(session, project, query, {"text": "new words", "intent": "", "tags": []})
