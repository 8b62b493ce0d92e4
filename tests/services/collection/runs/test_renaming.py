"""Rankers and versions under other names, and versions moved to the ranker they belong to."""

from __future__ import annotations

import pytest
from sqlalchemy import select

from app.models import Event, EventKind, Ranker, Run
from app.services.collection.rankers import move_run, rename_ranker, rename_version
from app.services.errors import ConflictError, InvalidError, NotFoundError
from app.services.scores.scoreboard import score_runs


@pytest.fixture
def again(small):
    """Return the small project with the first ranker's second version registered for a ranker "Frist"."""
    small.run("Frist", dict.fromkeys(small.queries, small.documents[::-1]))
    small.rate(0, 0, 3)
    small.rate(1, 2, 2)
    return small


def run_of(session, ranker, version="v1"):
    wanted = select(Run).join(Ranker).where(Ranker.name == ranker, Run.version == version)
    return session.scalars(wanted).one()


def message(small, *kinds):
    with small.database.read() as session:
        rows = session.scalars(
            select(Event)
            .where(Event.project_id == small.project.id, Event.kind.in_([kind.value for kind in kinds]))
            .order_by(Event.revision)
        )
        return [event.payload for event in rows]


def ranker_of(session, small, name):
    return session.scalars(
        select(Ranker).where(Ranker.project_id == small.project.id, Ranker.name == name)
    ).one()


def test_a_ranker_has_its_new_name_at_every_revision_and_scores_stay(again, evidence_now):
    before = evidence_now()
    with again.database.write() as session:
        assert rename_ranker(session, ranker_of(session, again, "First"), " Premier ")
        assert not rename_ranker(session, ranker_of(session, again, "Premier"), "Premier")

    after = evidence_now()
    assert [run.ranker for run in after.structure.runs] == ["Premier", "Second", "Frist"]
    assert message(again, EventKind.RANKER_RENAMED) == [
        {"ranker_id": again.rankers[0].id, "before": "First", "after": "Premier"}
    ]
    for revision in range(1, before.revision + 1):
        then, now = (
            score_runs(one, one.current_runs(revision), revision=revision) for one in (before, after)
        )
        assert [run.measures for run in then.runs] == [run.measures for run in now.runs]


def test_a_name_that_is_taken_says_to_move_the_versions_instead(again):
    with again.database.write() as session, pytest.raises(ConflictError) as refused:
        rename_ranker(session, ranker_of(session, again, "Frist"), "First")

    assert refused.value.message == (
        "There is a ranker called 'First' already: move the versions of Frist to it instead."
    )


@pytest.mark.parametrize("name", ["", "  ", "two\nlines", "x" * 201])
def test_what_cannot_be_a_name_is_refused(small, name):
    with small.database.write() as session:
        longest = ("1 to 200 characters", "1 to 100 characters") if name.strip() else ("^Enter a name",) * 2
        with pytest.raises(InvalidError, match=longest[0]):
            rename_ranker(session, ranker_of(session, small, "First"), name)
        with pytest.raises(InvalidError, match=longest[1]):
            rename_version(session, run_of(session, "First"), name)


@pytest.mark.thorough
def test_a_version_is_called_otherwise_but_never_as_another_of_its_ranker(again, evidence_now):
    with again.database.write() as session:
        assert rename_version(session, run_of(session, "First"), "2026-03")
        assert not rename_version(session, run_of(session, "First", "2026-03"), "2026-03")
    again.run(again.rankers[0], dict.fromkeys(again.queries, again.documents))

    assert evidence_now().structure.runs[0].version == "2026-03"
    assert message(again, EventKind.VERSION_RENAMED) == [
        {"run_id": again.runs[0].id, "ranker": "First", "before": "v1", "after": "2026-03"}
    ]
    with again.database.write() as session, pytest.raises(ConflictError, match="choose another name"):
        rename_version(session, run_of(session, "First", "v2"), "2026-03")


def test_a_moved_version_is_its_new_rankers_newest_and_the_empty_ranker_goes(again, evidence_now):
    with again.database.write() as session:
        old = ranker_of(session, again, "Frist").id
        assert move_run(session, run_of(session, "Frist"), "First")

    evidence = evidence_now()
    assert [(run.ranker, run.version) for run in evidence.structure.runs] == [
        ("First", "v1"),
        ("Second", "v1"),
        ("First", "v2"),
    ]
    assert evidence.current_runs() == [2, 1]
    number = evidence.structure.runs[2].id
    assert message(again, EventKind.RUN_MOVED, EventKind.VERSION_RENAMED) == [
        {"run_id": number, "ranker": "Frist", "before": "v1", "after": "v2"},
        {
            "run_id": number,
            "before": old,
            "after": again.rankers[0].id,
            "names": ["Frist", "First"],
        },
    ]
    with again.database.read() as session:
        assert session.get(Ranker, old) is None


def test_a_moved_version_counts_as_its_new_rankers_at_every_revision(again, evidence_now):
    then = evidence_now().revision
    assert evidence_now().current_runs(then) == [0, 1, 2]
    with again.database.write() as session:
        move_run(session, run_of(session, "Frist"), "First")

    assert evidence_now().current_runs(then) == [2, 1]
    assert evidence_now().current_runs(again.runs[1].revision) == [0, 1]


def test_a_version_moves_to_a_new_ranker_only_where_that_is_said(again, evidence_now):
    with again.database.write() as session:
        run = run_of(session, "Frist")
        with pytest.raises(NotFoundError, match="no ranker 'Thrid': there is First, Second, Frist"):
            move_run(session, run, "Thrid")
        with pytest.raises(ConflictError, match="not to a new one"):
            move_run(session, run, "First", new=True)
        assert move_run(session, run, "Third", new=True)

    assert [run.ranker for run in evidence_now().structure.runs] == ["First", "Second", "Third"]


def test_the_same_file_is_never_two_versions_of_one_ranker(again):
    with again.database.write() as session:
        run = run_of(session, "Frist")
        run.file_hash = session.get_one(Run, again.runs[0].id).file_hash
        with pytest.raises(ConflictError, match="First has this very file already, as v1"):
            move_run(session, run, "First")


def test_answers_that_people_knew_of_keep_their_names(small):
    with small.making() as make:
        known = make.run(make.ranker(small.project, "Known", kind="manual"), {})
    with small.database.write() as session:
        run = session.get_one(Run, known.id)
        for refused in (
            lambda: rename_version(session, run, "x"),
            lambda: move_run(session, run, "First"),
            lambda: rename_ranker(session, session.get_one(Ranker, run.ranker_id), "x"),
        ):
            with pytest.raises(ConflictError, match="they keep their name"):
                refused()
        with pytest.raises(ConflictError, match="choose another"):
            rename_ranker(session, ranker_of(session, small, "First"), "Known")
        with pytest.raises(ConflictError, match="choose another"):
            move_run(session, session.get_one(Run, small.runs[0].id), "Known")
