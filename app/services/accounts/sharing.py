"""Shared links: a read-only view of a project's scores, until it expires or is taken back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, select, update
from sqlalchemy.orm import Session, aliased

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Membership, Person, Role
from app.models.project import Project
from app.models.token import SharedLink
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.secrets import new_token, token_hash
from app.services.errors import ConflictError, GoneError, InvalidError, NotFoundError

LONGEST_LIFE = 366
MOST_LISTED = 100
GONE = "This link has expired or was revoked, or its project is archived. Ask the person who sent it."
BLIND = "You rate in this project, and ratings are blind: its scores are not shown to you."


@dataclass(frozen=True)
class SharedLinkRow:
    """One link as owners see it: who made it and, once it is taken back, who did that."""

    link: SharedLink
    maker: str
    ender: str
    state: str


def share(
    session: Session, project_id: int, *, days: int, note: str = "", created_by: int | None = None
) -> str:
    """Make a link that shows the scores of a project for some days, and return its token, shown this once.

    Raises
    ------
    InvalidError
        It would live for less than a day or more than a year.
    """
    if not 1 <= days <= LONGEST_LIFE:
        raise InvalidError(
            message(
                "A shared link works for 1 to %(most)s days, not %(days)s.", most=LONGEST_LIFE, days=days
            ),
            code="days",
        )
    token = new_token()
    link = SharedLink(
        project_id=project_id,
        token_hash=token_hash(token),
        note=note.strip()[:120],
        created_by=created_by,
        expires_at=now_utc() + timedelta(days=days),
    )
    session.add(link)
    session.flush()
    record(session, AuditKind.SHARED_LINK_MADE, project_id=project_id, link=link.id, days=days)
    return token


def get_shared_project(session: Session, token: str, *, person_id: int | None = None) -> Project:
    """Return the project behind a link that still works.

    Parameters
    ----------
    person_id
        Who is signed in, if anybody.

    Raises
    ------
    GoneError
        The link is unknown, expired or taken back, or the project is archived: one answer for all.
    NotFoundError
        Somebody is signed in who rates there: annotators stay blind whatever they are sent.
    """
    project = session.scalar(
        select(Project)
        .join(SharedLink, SharedLink.project_id == Project.id)
        .where(
            SharedLink.token_hash == token_hash(token),
            SharedLink.revoked_at.is_(None),
            SharedLink.expires_at > now_utc(),
            Project.state != "archived",
        )
    )
    if project is None:
        raise GoneError(GONE, code="link_gone")
    member = session.get(Membership, (person_id, project.id)) if person_id is not None else None
    if member is not None and member.role == Role.ANNOTATOR:
        raise NotFoundError(BLIND, code="blind")
    return project


def shared_links_of(session: Session, project_id: int) -> list[SharedLinkRow]:
    """Return the links of a project, newest first, those that work no more included."""
    maker, ender = aliased(Person), aliased(Person)
    rows = session.execute(
        select(SharedLink, maker.name, ender.name)
        .join(maker, maker.id == SharedLink.created_by, isouter=True)
        .join(ender, ender.id == SharedLink.revoked_by, isouter=True)
        .where(SharedLink.project_id == project_id)
        .order_by(SharedLink.id.desc())
        .limit(MOST_LISTED)
    )
    now = now_utc()
    return [SharedLinkRow(link, made or "", ended or "", _state(link, now)) for link, made, ended in rows]


def revoke_shared_link(
    session: Session, project_id: int, link_id: int, *, revoked_by: int | None = None
) -> None:
    """Take a link back; people who open it from now on are told that it works no more.

    Raises
    ------
    NotFoundError
        The project has no such link.
    ConflictError
        It was taken back before.
    """
    here = (SharedLink.id == link_id, SharedLink.project_id == project_id)
    if revoke_shared_links(session, *here, revoked_by=revoked_by):
        record(session, AuditKind.SHARED_LINK_REVOKED, project_id=project_id, link=link_id)
        return
    if session.scalar(select(SharedLink.id).where(*here)) is None:
        raise NotFoundError("There is no such link.")
    raise ConflictError("This link is revoked already.", code="not_open")


def revoke_shared_links_of(session: Session, person_id: int, project_id: int) -> None:
    """Take back what a person has shared of a project: an owner no more must not look in by such a link."""
    revoke_shared_links(session, SharedLink.created_by == person_id, SharedLink.project_id == project_id)


def revoke_shared_links(
    session: Session, *which: ColumnElement[bool], revoked_by: int | None = None
) -> list[int]:
    """Take back those of some links that nobody has taken back, and return their numbers."""
    return list(
        session.scalars(
            update(SharedLink)
            .where(*which, SharedLink.revoked_at.is_(None))
            .values(revoked_at=now_utc(), revoked_by=revoked_by)
            .returning(SharedLink.id)
        )
    )


def _state(link: SharedLink, now: datetime) -> str:
    if link.revoked_at is not None:
        return "revoked"
    return "expired" if link.expires_at <= now else "works"
