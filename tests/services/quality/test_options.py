"""The quality settings of a project: what new ones start with, what is refused, and the event of a change."""

import pytest
from sqlalchemy import select

from app.models import Event, EventKind
from app.services.errors import InvalidError
from app.services.projects.assignment_settings import Quality, change_quality, quality_of
from app.services.projects.projects import NewProject, create_project
from app.services.projects.templates import project_from_template


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ({}, Quality(dealing="front", share_twice=0.2)),
        ({"overlap": 2}, Quality(dealing="front", share_twice=0.0)),
        ({"share_twice": 0.5, "dealing": "random"}, Quality(dealing="random", share_twice=0.5)),
    ],
)
def test_a_new_project_deals_by_the_open_race_and_has_a_fifth_rated_twice(session, values, expected):
    project = create_project(session, NewProject(slug="new", name="New", **values))

    assert quality_of(project) == expected
    assert (expected.repeats, expected.gold) == (0.0, 0.05)


def test_the_template_of_papers_asks_once_for_each_pair():
    assert project_from_template("papers", "p", "P", {}).share_twice == 0.0


def test_a_change_is_one_event_and_the_same_again_is_none(session, make):
    project = make.project()
    wanted = Quality(dealing="front", share_twice=0.1, repeats=0.03, gold=0.0, feedback=True)

    assert change_quality(session, project, wanted)
    assert not change_quality(session, project, wanted)

    assert quality_of(project) == wanted
    (event,) = session.scalars(select(Event).where(Event.kind == EventKind.QUALITY_CHANGED))
    assert event.payload["before"]["dealing"] == "front"
    assert event.payload["after"] == {
        "dealing": "front",
        "share_twice": 0.1,
        "repeats": 0.03,
        "gold": 0.0,
        "feedback": True,
    }


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({"share_twice": 1.2}, "share_twice"),
        ({"share_twice": float("nan")}, "share_twice"),
        ({"repeats": 0.6}, "repeats"),
        ({"gold": -0.1}, "gold"),
        ({"dealing": "sideways"}, "dealing"),
    ],
)
def test_what_cannot_be_is_refused(session, make, values, code):
    project = make.project()

    with pytest.raises(InvalidError) as refusal:
        change_quality(session, project, Quality(**values))

    assert refusal.value.code == code
    assert quality_of(project) == Quality()
