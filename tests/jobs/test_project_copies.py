"""Copies of projects in the background: how far they are, again after a kill, and why one was not made."""

import pytest

from app.jobs import project_copies, project_import
from app.jobs.children import Ended
from app.jobs.project_copies import make_copy
from app.jobs.turns import fail, is_wanted, work_items_of
from app.models import ProjectCopy
from app.services.errors import ConflictError, NotFoundError
from app.services.projects.copies import ATTEMPTS, find_copy, request_copy
from app.services.projects.projects import get_project


@pytest.fixture
def number(full):
    """Return the number of the project of which a copy is asked for."""
    with full.write() as session:
        project_id = get_project(session, "there").id
        request_copy(session, project_id, "second", "Second", with_ratings=True)
    return project_id


def copy_of(database, number):
    with database.read() as session:
        copy = find_copy(session, number)
        return copy.state, copy.report


def pieces(database, folder):
    return [each for each in work_items_of(database, folder) if each.work == "copying"]


def killed(*_words):
    raise KeyboardInterrupt


@pytest.mark.thorough
def test_a_copy_that_was_asked_for_is_made_once(full, number, tmp_path):
    (piece,) = pieces(full, tmp_path)
    assert is_wanted(full, piece)

    make_copy(full, tmp_path, number)
    make_copy(full, tmp_path, number)

    assert copy_of(full, number) == ("done", {})
    assert not pieces(full, tmp_path)
    assert not list(tmp_path.glob("copy-*"))
    with full.read() as session:
        assert get_project(session, "second").name == "Second"


@pytest.mark.thorough
def test_how_far_a_copy_is_can_be_read_while_it_is_made(full, number, tmp_path, monkeypatch):
    monkeypatch.setattr(project_copies, "SECONDS", 0)
    seen = []
    note = project_copies.note_copying

    def noted(session, project_id, done, total):
        note(session, project_id, done, total)
        seen.append((done, total))

    monkeypatch.setattr(project_copies, "note_copying", noted)

    make_copy(full, tmp_path, number)

    assert len(seen) > 5
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1] > 0


@pytest.mark.thorough
def test_a_copy_that_was_killed_while_it_was_written_is_made_again(full, number, tmp_path, monkeypatch):
    with monkeypatch.context() as broken, pytest.raises(KeyboardInterrupt):
        broken.setattr(project_import, "project_judgments", killed)
        make_copy(full, tmp_path, number)
    assert copy_of(full, number)[0] == "copying"
    with full.read() as session, pytest.raises(NotFoundError):
        get_project(session, "second")

    make_copy(full, tmp_path, number)

    assert copy_of(full, number)[0] == "done"


def test_a_copy_that_is_killed_every_time_is_given_up(full, number, tmp_path):
    with full.write() as session:
        session.get_one(ProjectCopy, number).attempts = ATTEMPTS

    make_copy(full, tmp_path, number)

    assert copy_of(full, number)[0] == "failed"


def test_a_copy_whose_short_name_was_taken_meanwhile_says_so(full, number, tmp_path):
    with full.write() as session:
        get_project(session, "here").slug = "second"

    make_copy(full, tmp_path, number)

    state, report = copy_of(full, number)
    assert state == "failed"
    assert report["refusal"].pattern == "There is already a project with the short name %(slug)s."


@pytest.mark.thorough
def test_a_copy_that_fails_on_our_side_keeps_nothing(full, number, tmp_path, monkeypatch):
    monkeypatch.setattr(project_import, "project_judgments", lambda *_words: 1 / 0)

    make_copy(full, tmp_path, number)

    assert copy_of(full, number) == ("failed", {"refusal": ""})
    with full.read() as session, pytest.raises(NotFoundError):
        get_project(session, "second")


def test_a_copy_that_takes_too_long_has_failed(full, number, tmp_path):
    (piece,) = pieces(full, tmp_path)

    fail(full, piece, Ended.TOOK_TOO_LONG)

    assert copy_of(full, number)[0] == "failed"
    assert not is_wanted(full, piece)


@pytest.mark.thorough
def test_only_one_copy_of_a_project_is_made_at_a_time(full, number, tmp_path):
    with full.write() as session, pytest.raises(ConflictError, match="being made"):
        request_copy(session, number, "third", "Third", with_ratings=False)

    make_copy(full, tmp_path, number)
    with full.write() as session:
        request_copy(session, number, "third", "Third", with_ratings=False)
    make_copy(full, tmp_path, number)

    assert copy_of(full, number)[0] == "done"
    with full.read() as session:
        assert get_project(session, "third").name == "Third"
