"""Ids of files against ids of the project."""

from __future__ import annotations

import pytest

from app.models import Document, Query
from app.services.collection import unknown_ids as external_ids
from app.services.collection.files import numbers_of
from app.services.collection.unknown_ids import nearest_ids


def test_numbers_stand_in_the_order_asked_for_and_unknown_ones_are_minus_one(session, make):
    project, other = make.project(), make.project()
    first, second = make.document(project, "a"), make.document(project, "b")
    make.document(other, "c")

    numbers = numbers_of(session, Document, project.id, ["b", "c", "a", "B"])

    assert numbers.tolist() == [second.id, -1, first.id, -1]


@pytest.mark.parametrize(
    ("wrong", "known"),
    [("q41", "q14"), ("Q14", "q14"), ("q014", "q14"), ("q-14", "q14"), ("wobly", "wobbly"), ("zebra", None)],
)
def test_slips_find_their_nearest_id(session, make, wrong, known):
    project = make.project()
    for name in ("q14", "q2", "wobbly"):
        make.query(project, name)

    assert nearest_ids(session, Query, project.id, [wrong]).get(wrong) == known


def test_in_a_large_project_only_cheap_slips_are_looked_for(session, make, monkeypatch):
    monkeypatch.setattr(external_ids, "FEW", 1)
    project = make.project()
    for name in ("q14", "wobbly"):
        make.query(project, name)

    assert nearest_ids(session, Query, project.id, ["q41", "wobly"]) == {"q41": "q14"}
