"""Rows in batches."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.models import Document, Project
from app.services import bulk
from app.services.bulk import batches, lock_project, ranges_of, stream, stream_plain
from app.services.errors import NotFoundError

pytestmark = pytest.mark.everyday


@pytest.mark.parametrize(
    ("numbers", "ranges"),
    [([], []), ([4], [[4, 4]]), ([3, 1, 2], [[1, 3]]), ([9, 1, 2, 5, 6], [[1, 2], [5, 6], [9, 9]])],
)
def test_numbers_become_unbroken_ranges(numbers, ranges):
    assert ranges_of(numbers) == ranges


def test_batches_hold_every_row_once():
    assert [list(some) for some in batches(range(5), 2)] == [[0, 1], [2, 3], [4]]


@pytest.mark.parametrize("way", [stream, stream_plain])
def test_streams_give_every_row_whatever_their_number(session, make, monkeypatch, way):
    monkeypatch.setattr(bulk, "STREAM", 2)
    project = make.project()
    names = [f"d{number}" for number in range(5)]
    for name in names:
        make.document(project, name)

    wanted = select(Document.external_id).where(Document.project_id == project.id).order_by(Document.id)
    assert [name for (name,) in way(session, wanted)] == names


def test_a_project_is_locked_with_its_newest_values_or_not_found(session, make):
    project = make.project()

    assert lock_project(session, project.id) is project
    with pytest.raises(NotFoundError):
        lock_project(session, 0)
    assert session.get(Project, 0) is None
