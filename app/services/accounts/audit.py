"""The audit trail: `record` writes it, in the transaction of what it tells of; owners and admins read it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Select, and_, delete, func, or_, select
from sqlalchemy.orm import Session, aliased

from app.models.audit import AuditEntry, AuditKind
from app.models.base import now_utc
from app.models.person import Membership, Person
from app.models.project import Project
from app.models.token import ApiToken, Invitation, SharedLink
from app.services.pages import Page, page_of

EACH = 50
READ_AT_ONCE = 1000
# What owners read of their members besides what happens in the project: it decides what counts as blind.
ABOUT_PASSWORDS = (
    AuditKind.PASSWORD_LINK_MADE,
    AuditKind.PASSWORD_LINK_USED,
    AuditKind.PASSWORD_CONFIRMED,
)
# A first role that somebody took: with an invitation, or in a project that they made. In a filter only.
JOINED = "joined"
COLUMNS = ("at", "kind", "by", "about", "project", "network", "details")
_OF_SESSION: Any = object()
# Never unknown, so that its opposite finds all other rows.
_IS_JOINING = and_(
    AuditEntry.kind == AuditKind.ROLE_CHANGED,
    func.coalesce(AuditEntry.actor_id == AuditEntry.person_id, False),
    AuditEntry.details["before"].as_string().is_(None),
)


def record(
    session: Session,
    kind: AuditKind,
    *,
    person_id: int | None = None,
    project_id: int | None = None,
    actor_id: int | None = _OF_SESSION,
    **details: Any,
) -> None:
    """Add an entry; it is saved if what it tells of is saved.

    Parameters
    ----------
    person_id, project_id
        Whom and which project it is about.
    actor_id
        Who did it. Without it, whoever the caller named in `session.info`: it also names the network there.
    details
        Numbers and fixed words, as `AuditKind` lists them; never names, addresses, or what anybody wrote.
    """
    project = session.get(Project, project_id) if project_id is not None else None
    session.add(
        AuditEntry(
            kind=kind.value,
            actor_id=session.info.get("actor") if actor_id is _OF_SESSION else actor_id,
            person_id=person_id,
            project_number=project_id,
            project_slug=project.slug if project else None,
            network=session.info.get("network", ""),
            details=details,
        )
    )
    session.flush()


@dataclass(frozen=True)
class AuditFilter:
    """Which entries: of one project as its owners read it, or by its name, of one person, kind, some days."""

    project_id: int | None = None
    project: str = ""
    person: str = ""
    kind: str = ""
    since: date | None = None
    until: date | None = None

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return what the rows must meet."""
        found: list[ColumnElement[bool]] = []
        if self.project_id is not None:
            members = select(Membership.person_id).where(Membership.project_id == self.project_id)
            of_member = and_(AuditEntry.kind.in_(ABOUT_PASSWORDS), AuditEntry.person_id.in_(members))
            found.append(or_(AuditEntry.project_number == self.project_id, of_member))
        if self.project:
            found.append(AuditEntry.project_slug == self.project)
        if self.person:
            who = select(Person.id).where(Person.public_id == self.person)
            found.append(or_(AuditEntry.actor_id.in_(who), AuditEntry.person_id.in_(who)))
        if self.kind == JOINED:
            found.append(_IS_JOINING)
        elif self.kind:
            found.append(AuditEntry.kind == self.kind)
        if self.kind == AuditKind.ROLE_CHANGED:
            found.append(~_IS_JOINING)
        if self.since:
            found.append(AuditEntry.at >= _start_of(self.since))
        if self.until:
            found.append(AuditEntry.at < _start_of(self.until + timedelta(days=1)))
        return found


@dataclass(frozen=True)
class AuditRow:
    """One entry as it is read: people and projects by their names of today.

    Attributes
    ----------
    is_joining
        Whether somebody took a first role: with an invitation, or in a project that they made.
    project, project_name
        The short name, and the name; of a deleted project both are the short one.
    """

    id: int
    at: datetime
    kind: AuditKind
    actor: str | None
    person: str | None
    is_joining: bool
    project: str | None
    project_name: str | None
    network: str
    details: dict[str, Any]

    @property
    def cells(self) -> tuple[datetime | str | None, ...]:
        """The entry as a row of a file, its details as JSON."""
        details = json.dumps(self.details, sort_keys=True) if self.details else None
        return self.at, self.kind.value, self.actor, self.person, self.project, self.network, details


def entries_of(session: Session, wanted: AuditFilter, number: int) -> tuple[Page, list[AuditRow]]:
    """Return a page of the entries, newest first."""
    total = session.scalar(select(func.count()).select_from(AuditEntry).where(*wanted.conditions())) or 0
    page = page_of(total, number, EACH)
    return page, _rows(session, _query(wanted).offset(page.rows.start).limit(EACH))


def all_entries(session: Session, wanted: AuditFilter) -> Iterator[AuditRow]:
    """Yield all entries, newest first, a thousand at a time."""
    below: int | None = None
    while True:
        query = _query(wanted)
        rows = _rows(
            session, (query if below is None else query.where(AuditEntry.id < below)).limit(READ_AT_ONCE)
        )
        yield from rows
        if len(rows) < READ_AT_ONCE:
            return
        below = rows[-1].id


def names_in(session: Session, rows: Iterable[AuditRow]) -> dict[tuple[str, int], str | None]:
    """Return what is written on the invitations, links and tokens of some entries, by kind and number.

    Entries hold only numbers, so that a name goes with the person who is erased. None for an invitation that
    names nobody; those that are gone, and links and tokens without a name, are left out.
    """
    details = [row.details for row in rows]
    for_whom = func.coalesce(func.nullif(Invitation.note, ""), Invitation.email)
    found: dict[tuple[str, int], str | None] = {}
    for kind, table, written, has_always in (
        ("invitation", Invitation, for_whom, True),
        ("link", SharedLink, func.nullif(SharedLink.note, ""), False),
        ("token", ApiToken, func.nullif(ApiToken.name, ""), False),
    ):
        numbers = {each[kind] for each in details if kind in each}
        named = select(table.id, written).where(table.id.in_(numbers)) if numbers else None
        for number, text in session.execute(named) if named is not None else ():
            if text or has_always:
                found[kind, number] = text
    return found


def people_in_trail(session: Session, project_id: int | None) -> list[tuple[str, str]]:
    """Return whom one can choose in the filter, as public id and name: those with a role, or everybody."""
    people = select(Person.public_id, Person.name).where(Person.kind == "person").order_by(Person.name)
    if project_id is not None:
        people = people.join(Membership, Membership.person_id == Person.id).where(
            Membership.project_id == project_id
        )
    return [(public_id, name) for public_id, name in session.execute(people)]


def projects_in_trail(session: Session) -> list[tuple[str, str]]:
    """Return (short name, name) of the projects that entries are about; both are short of deleted ones."""
    named = (
        select(AuditEntry.project_slug, func.max(_NAME))
        .outerjoin(Project, _OF_PROJECT)
        .where(AuditEntry.project_slug.is_not(None))
        .group_by(AuditEntry.project_slug)
        .order_by(AuditEntry.project_slug)
    )
    return [(slug or "", name) for slug, name in session.execute(named)]


def forget_old_entries(session: Session, days: int) -> int:
    """Delete entries that are older than some days, and return how many; the database keeps the last 90."""
    gone = session.execute(
        delete(AuditEntry)
        .where(AuditEntry.at < now_utc() - timedelta(days=days))
        .returning(AuditEntry.id)
        .execution_options(synchronize_session=False)
    )
    return len(gone.all())


# A short name may have been that of another project, which is deleted.
_OF_PROJECT = and_(Project.id == AuditEntry.project_number, Project.slug == AuditEntry.project_slug)
_NAME = func.coalesce(Project.name, AuditEntry.project_slug)


def _query(wanted: AuditFilter) -> Select[AuditEntry, str, str, str, bool]:
    actor, person = aliased(Person), aliased(Person)
    return (
        select(AuditEntry, actor.name, person.name, _NAME, _IS_JOINING)
        .outerjoin(actor, actor.id == AuditEntry.actor_id)
        .outerjoin(person, person.id == AuditEntry.person_id)
        .outerjoin(Project, _OF_PROJECT)
        .where(*wanted.conditions())
        .order_by(AuditEntry.id.desc())
    )


def _rows(session: Session, query: Select[AuditEntry, str, str, str, bool]) -> list[AuditRow]:
    return [
        AuditRow(
            id=entry.id,
            at=entry.at,
            kind=AuditKind(entry.kind),
            actor=actor,
            person=person,
            is_joining=is_joining,
            project=entry.project_slug,
            project_name=project_name,
            network=entry.network,
            details=entry.details,
        )
        for entry, actor, person, project_name, is_joining in session.execute(query)
    ]


def _start_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC)
