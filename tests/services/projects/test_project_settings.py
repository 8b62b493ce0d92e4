"""Changes of a project: events, refusals, and an order that never leaves a cutoff below the pool."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.models import Candidate, Event, Gold, Membership, Origin
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.ledger import head_of
from app.services.projects.projects import contents_of
from app.services.projects.settings import (
    SettingChanges,
    archive_project,
    change_overlap,
    change_rating,
    change_ruler,
    change_scale,
    change_settings,
    give_owner,
    restore_project,
)
from app.services.scoring_settings import get_ruler
from tests.furniture.files import bring_run, corpus


@pytest.fixture
def project(session, make):
    project = make.project(k=2, pool_depth=2)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2 d3 d4"})
    return project


def kinds_since(session, project, revision):
    head = head_of(session, project.id)
    return [session.get(Event, (project.id, number)).kind for number in range(revision + 1, head + 1)]


def test_depth_and_cutoff_grow_together_and_shrink_together(session, project):
    before = head_of(session, project.id)

    grown = change_settings(session, project, SettingChanges(pool_depth=4, ruler={"k": 4}))
    shrunk = change_settings(session, project, SettingChanges(pool_depth=1, ruler={"k": 1}))

    assert (len(grown.joins), len(shrunk.leaves), project.pool_depth) == (2, 3, 1)
    assert get_ruler(session, project.id).k == 1
    assert kinds_since(session, project, before) == [
        "depth_changed",
        "ruler_set",
        "ruler_set",
        "depth_changed",
    ]


def test_a_cutoff_below_the_pool_is_refused(session, project):
    with pytest.raises(InvalidError, match="the pool depth is 2"):
        change_ruler(session, project, {"k": 3})


def test_equal_values_change_nothing(session, project):
    before = head_of(session, project.id)

    change_settings(session, project, SettingChanges(pool_depth=2, overlap=1, ruler={"k": 2}))

    assert kinds_since(session, project, before) == []


def test_an_overlap_is_an_event(session, project):
    assert change_overlap(session, project, 3)

    event = session.get(Event, (project.id, head_of(session, project.id)))
    assert (event.kind, event.payload, project.overlap) == (
        "overlap_changed",
        {"before": 1, "overlap": 3},
        3,
    )
    with pytest.raises(InvalidError, match="is not possible"):
        change_overlap(session, project, 0)


def test_a_project_is_archived_and_restored_by_events(session, project):
    before = head_of(session, project.id)

    archive_project(session, project)
    with pytest.raises(ConflictError, match="archived already"):
        archive_project(session, project)
    restore_project(session, project)

    assert project.state == "open"
    assert kinds_since(session, project, before) == ["state_changed", "state_changed"]
    with pytest.raises(ConflictError, match="is not archived"):
        restore_project(session, project)


@pytest.mark.parametrize("state", ["paused", "closed"])
def test_rating_is_as_it_was_after_a_project_is_restored(session, project, state):
    change_rating(session, project, state)
    archive_project(session, project)

    restore_project(session, project)

    assert project.state == state


def test_an_owner_needs_an_account(session, project, make):
    person = make.person(email="kim@example.org")

    give_owner(session, project, "Kim@Example.org ")

    membership = session.get(Membership, (person.id, project.id))
    assert (membership.role, membership.saw_rankers) == ("owner", True)
    with pytest.raises(NotFoundError, match="user create"):
        give_owner(session, project, "nobody@example.org")


def test_a_scale_is_changed_until_the_first_rating(session, project, make):
    project.options = {**project.options, "practice": {"query": "Which?", "answers": []}}

    assert change_scale(session, project, "1-5")
    assert not change_scale(session, project, "1-5")

    ruler = get_ruler(session, project.id)
    assert (project.scale_low, project.scale_high, len(project.grade_words)) == (1, 5, 5)
    assert (ruler.scale_low, ruler.scale_high, ruler.threshold) == (1, 5, 3)
    assert "practice" not in project.options
    kinds = session.scalars(select(Event.kind).where(Event.project_id == project.id).order_by(Event.revision))
    assert kinds.all()[-2:] == ["scale_changed", "ruler_set"]
    make.judgment(session.scalars(select(Candidate)).first(), make.person(), 5)
    with pytest.raises(ConflictError, match=r"fixed at 1-5 since the first rating") as refusal:
        change_settings(session, project, SettingChanges(scale="0-3", ruler={"k": 1}))
    assert refusal.value.code == "scale_frozen"
    assert (project.scale_high, get_ruler(session, project.id).k) == (5, 2)


def test_a_threshold_that_was_chosen_on_the_other_scale_is_left_out(session, project):
    change_settings(
        session, project, SettingChanges(scale="1-5", ruler={"threshold": 1, "gain": "exponential"})
    )

    ruler = get_ruler(session, project.id)
    assert (ruler.threshold, ruler.gain) == (3, "exponential")


def test_gold_answers_are_taken_back_before_the_scale_changes(session, project, make):
    candidate = session.scalars(select(Candidate)).first()
    gold = Gold(candidate_id=candidate.id, person_id=make.person().id, project_id=project.id, grade=3)
    session.add(gold)

    with pytest.raises(ConflictError, match="remove them first"):
        change_scale(session, project, "1-5")
    with pytest.raises(InvalidError, match=r"'1-4' is not known"):
        change_scale(session, project, "1-4")


def test_a_project_holds_its_current_ratings_without_corrections_and_checks(session, make):
    project = make.project()
    candidate, annotator = make.candidate(make.query(project)), make.member(project, "annotator")
    for grade, role in ((1, Origin.PLANNED), (2, Origin.PLANNED), (3, Origin.REPEAT)):
        make.judgment(candidate, annotator, grade, role=role)

    assert contents_of(session, project.id).judgments == 1


def test_grades_from_files_are_counted_by_themselves(session, make):
    project = make.project()
    candidate = make.candidate(make.query(project))
    for kind in ("person", "imported", "machine"):
        make.judgment(candidate, make.member(project, "annotator", kind=kind), 1)

    held = contents_of(session, project.id)

    assert (held.judgments, held.imported) == (3, 2)


def test_random_choices_are_no_rankers_of_a_project(session, make):
    project = make.project()
    for kind in ("system", "manual"):
        make.run(make.ranker(project, kind=kind), {})

    held = contents_of(session, project.id)

    assert (held.rankers, held.runs) == (1, 1)
