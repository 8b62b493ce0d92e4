"""The demo project in a database: loaded, reloaded, removed, each in one transaction."""

from __future__ import annotations

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.database import Database
from app.demo import settings
from app.demo.plan import build_plan
from app.demo.writing import write_plan
from app.models import Membership, Person, PersonKind, Project, Role
from app.services.accounts.memberships import give_role
from app.services.errors import ConflictError
from app.services.projects.projects import find_project
from app.services.projects.purging import purge_project
from app.services.projects.settings import archive_project


def load_demo(database: Database) -> None:
    """Load the demo project: eight weeks, replayed one after the other.

    :raise ConflictError: There is one already, or its short name is taken by another project.
    """
    plan = build_plan()
    with database.write() as session:
        if _find_demo(session) is not None:
            raise ConflictError("The demo is loaded already: use `--reset` to reload it.", code="demo_loaded")
        write_plan(session, plan)


def remove_demo(database: Database) -> None:
    """Purge the demo project, whatever was added to it; no other project is touched.

    :raise ConflictError: There is none.
    """
    with database.write() as session:
        _purge(session)


def reset_demo(database: Database) -> None:
    """Purge the demo project if there is one, and load it; people keep their roles in it."""
    plan = build_plan()
    with database.write() as session:
        demo = _find_demo(session)
        people = [] if demo is None else _people_in(session, demo)
        if demo is not None:
            _purge(session)
        project = write_plan(session, plan)
        for person_id, role, saw_rankers in people:
            give_role(session, project.id, person_id, Role(role)).saw_rankers |= saw_rankers


def _find_demo(session: Session) -> Project | None:
    project = find_project(session, settings.SLUG)
    return project if project is not None and project.is_demo else None


def _people_in(session: Session, project: Project) -> list[tuple[int, str, bool]]:
    rows = session.execute(
        select(Membership.person_id, Membership.role, Membership.saw_rankers)
        .join(Person, Person.id == Membership.person_id)
        .where(
            Membership.project_id == project.id,
            Membership.role.is_not(None),
            Person.kind == PersonKind.PERSON,
        )
    )
    return [(row.person_id, str(row.role), row.saw_rankers) for row in rows]


def _purge(session: Session) -> None:
    project = _find_demo(session)
    if project is None:
        raise ConflictError("There is no demo project to remove.", code="no_demo")
    if project.state != "archived":
        archive_project(session, project)
    purge_project(session, project, typed_slug=project.slug)
