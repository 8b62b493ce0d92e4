"""A purge takes everything of one project and nothing of any other."""

from __future__ import annotations

import pytest
from sqlalchemy import func, select

from app.models import Base, Person, Project
from app.services.collection.judgment_files import JudgmentOptions
from app.services.errors import ConflictError
from app.services.projects.projects import change_guidelines
from app.services.projects.purging import loss_of, purge_project
from app.services.projects.settings import archive_project
from tests.furniture.files import bring_run, corpus, file_of, import_judgments


def filled(session, make, owner):
    from app.models import Role
    from app.services.accounts.memberships import give_role

    project = make.project(k=2, pool_depth=2)
    give_role(session, project.id, owner.id, Role.OWNER)
    corpus(session, project)
    bring_run(session, project, "one", {"q1": "d1 d2"})
    import_judgments(session, project, file_of("q1 0 d1 3\n", "q.txt"), JudgmentOptions())
    change_guidelines(session, project, "Rate with care.")
    return project


def row_counts(session):
    return {
        table.name: session.scalar(select(func.count()).select_from(table))
        for table in Base.metadata.sorted_tables
        if table.name != "audit_entry"  # who purged a project is known for ever
    }


def test_everything_of_the_project_goes_and_the_others_stay(session, make):
    owner = make.person()
    filled(session, make, owner)
    before = row_counts(session)
    doomed = filled(session, make, owner)
    # What is added by hand is no version of a ranker.
    make.run(
        make.ranker(doomed, "By hand", kind="manual"),
        {make.query(doomed, "by-hand"): [make.document(doomed, "by-hand")]},
    )
    archive_project(session, doomed)

    loss = loss_of(session, doomed)
    purge_project(session, doomed, typed_slug=doomed.slug)

    assert loss.startswith("3 questions, 7 answers, 1 version and 1 rating")
    assert loss.endswith(", with their history")
    assert row_counts(session) == before
    assert session.scalar(select(func.count()).where(Person.kind == "imported")) == 1


@pytest.mark.parametrize(
    ("archived", "typed", "told"),
    [(True, "other", "To delete this project, type its short name"), (False, None, "Archive")],
)
def test_a_purge_wants_the_slug_and_an_archived_project(session, make, archived, typed, told):
    project = filled(session, make, make.person())
    if archived:
        archive_project(session, project)

    with pytest.raises(ConflictError, match=told):
        purge_project(session, project, typed_slug=typed or project.slug)

    assert session.get(Project, project.id) is not None
