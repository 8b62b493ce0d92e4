"""Versions by their names: RANKER@VERSION, a ranker for its newest, and `production`."""

from __future__ import annotations

import pytest

from app.models import EventKind, Project, Run
from app.services.collection.rankers import set_production
from app.services.errors import InvalidError, NotFoundError
from app.services.scores.versions import find_version, version_name


@pytest.fixture
def versions(small):
    """Return the small project with a second version of its first ranker."""
    small.run(small.rankers[0], dict.fromkeys(small.queries, small.documents[::-1]))
    return small


def test_a_ranker_is_its_newest_version_and_each_version_has_a_name(versions, evidence_now):
    evidence = evidence_now()
    runs = evidence.structure.runs

    assert find_version(evidence, "First") == 2
    assert find_version(evidence, "Second") == 1
    assert [find_version(evidence, version_name(run)) for run in runs] == [0, 1, 2]


def test_production_is_the_marked_version(versions, evidence_now):
    with pytest.raises(NotFoundError, match="mark one first"):
        find_version(evidence_now(), "production")
    with versions.database.write() as session:
        run = session.get_one(Run, versions.runs[0].id)
        set_production(session, session.get_one(Project, versions.project.id), run)

    assert find_version(evidence_now(), "production") == 0


def test_names_may_hold_the_sign_that_parts_them(small, evidence_now):
    run = small.run("mail@home", dict.fromkeys(small.queries, small.documents))

    evidence = evidence_now()
    assert find_version(evidence, "mail@home") == 2
    assert find_version(evidence, f"mail@home@{run.version}") == 2


def test_a_name_that_means_versions_of_two_rankers_is_refused(small, evidence_now):
    small.run("First@v1", dict.fromkeys(small.queries, small.documents))
    assert "First@v1" in {version_name(run) for run in evidence_now().structure.runs}

    with pytest.raises(InvalidError, match="First@v1 can mean versions of First and First@v1: rename one"):
        find_version(evidence_now(), "First@v1")


def test_what_nothing_is_called_is_answered_with_what_there_is(versions, evidence_now):
    evidence = evidence_now()
    labels = [run.version for run in evidence.structure.runs if run.ranker == "First"]

    with pytest.raises(NotFoundError, match="no version 'Frist': there is First, Second"):
        find_version(evidence, "Frist")
    with pytest.raises(NotFoundError) as refused:
        find_version(evidence, "First@v99")
    assert str(refused.value).endswith(f"there is {', '.join(f'First@{label}' for label in labels)}.")


def test_a_withdrawn_version_is_found_only_where_it_is_asked_for(versions, evidence_now):
    newest = evidence_now().structure.runs[2]
    versions.event(EventKind.RUN_WITHDRAWN, {"run_id": newest.id})

    evidence = evidence_now()
    assert find_version(evidence, "First") == 0
    assert find_version(evidence, "First", withdrawn=True) == 2
    assert find_version(evidence, version_name(newest), withdrawn=True) == 2
    with pytest.raises(NotFoundError, match="is withdrawn: restore it first"):
        find_version(evidence, version_name(newest))
