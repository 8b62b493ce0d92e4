"""E-mails: which are to be sent, and to whom. What each one says is written by `app.jobs.mail_texts`.

What there is to tell is looked up in the rows of the database every few minutes, so nobody who replies to a
note or imports a run has to think of e-mails. Each person is told once of the same thing.
"""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from app.models.base import now_utc
from app.models.event import Event, EventKind
from app.models.mail import MailMessage
from app.models.person import Membership, Person, PersonKind, Role
from app.models.project import Project
from app.models.remark_resolution import RemarkResolution
from app.models.token import Invitation
from app.services.accounts.invitations import get_invitation, invite
from app.services.accounts.preferences import MAILS, preferences_of
from app.services.bulk import insert_missing
from app.services.deliveries import claim_next, is_due, note_try

INVITATION, REPLIES, WORK, WEEKLY = MAILS
# So many invitations of one person are sent in a day; beyond that they hand out links themselves.
MOST_INVITED = 200
DAY = timedelta(days=1)
# Replies, and what brings work, are told when nothing was added for so long: several at once, in one e-mail.
REPLIES_SETTLED, WORK_SETTLED = timedelta(minutes=10), timedelta(minutes=30)
# What is older is not told: a server for e-mails may be named long after it happened.
REPLIES_TOLD, WORK_TOLD = timedelta(days=7), timedelta(days=2)
# The week's summary is written on Monday at 6:00, UTC, or a little later.
SUMMARY_HOUR, SUMMARY_TOLD = 6, timedelta(days=1)
# After these events there may be more to rate than before.
BRINGS_WORK = (
    EventKind.RUN_PUBLISHED,
    EventKind.RUN_RESTORED,
    EventKind.DEPTH_CHANGED,
    EventKind.OVERLAP_CHANGED,
    EventKind.QUERIES_ASSIGNED,
    EventKind.QUERY_RESTORED,
    EventKind.DECLINES_RELEASED,
    EventKind.STATE_CHANGED,
)


def invite_by_mail(session: Session, secret_key: str, **invitation: Any) -> str:
    """Create an invitation that is sent to its address as well, and return its token.

    The values are those of `invite`.
    """
    sent = MailMessage(kind=INVITATION, project_id=invitation["project_id"])
    session.add(sent)
    session.flush()
    token = invite(session, **invitation, token=token_of(secret_key, sent))
    sent.invitation_id = get_invitation(session, token, "invite").id
    session.flush()
    return token


def token_of(secret_key: str, sent: MailMessage) -> str:
    """Return the token of the invitation that an e-mail is about, made again: it is stored nowhere."""
    made = hmac.digest(secret_key.encode(), f"invitation {sent.message_id}".encode(), "sha256")
    return base64.urlsafe_b64encode(made).decode("ascii").rstrip("=")


def may_invite_by_mail(session: Session, person_id: int, count: int) -> bool:
    """Return whether a person may have so many more invitations sent today."""
    sent = session.scalar(
        select(func.count())
        .select_from(MailMessage)
        .join(Invitation, Invitation.id == MailMessage.invitation_id)
        .where(Invitation.created_by == person_id, MailMessage.created_at > now_utc() - DAY)
    )
    return (sent or 0) + count <= MOST_INVITED


def invitations_sent(session: Session, project_id: int) -> dict[int, MailMessage]:
    """Return the e-mails with invitations to a project, by the number of the invitation."""
    found = session.scalars(
        select(MailMessage).where(MailMessage.project_id == project_id, MailMessage.kind == INVITATION)
    )
    return {sent.invitation_id: sent for sent in found if sent.invitation_id is not None}


def wants(person: Person, kind: str) -> bool:
    """Return whether a person can be told something, and wants to be."""
    is_there = person.erased_at is None and person.disabled_at is None
    return is_there and bool(person.email) and kind in preferences_of(person.preferences)["mails"]


def queue_mail(session: Session) -> None:
    """Write down the e-mails that are to be sent now: about replies, new work, and the week that is over."""
    now = now_utc()
    _queue(session, REPLIES, _replied(session, now))
    _queue(session, WORK, _with_work(session, now))
    _queue(session, WEEKLY, _owners(session, now))


def _queue(session: Session, kind: str, people: Iterable[tuple[Person, int | None, datetime]]) -> None:
    rows = [
        {
            # The same thing has the same id, so that of two processes only one writes it down.
            "message_id": f"{kind}-{person.id}-{project_id or 0}-{round(moment.timestamp())}",
            "kind": kind,
            "person_id": person.id,
            "project_id": project_id,
        }
        for person, project_id, moment in people
        if wants(person, kind)
    ]
    if rows:
        session.execute(insert_missing(session, MailMessage, ["message_id"]), rows)


def _replied(session: Session, now: datetime) -> Iterable[tuple[Person, int | None, datetime]]:
    """Return people with replies that they have not read, and the moment of the last one."""
    last = func.max(RemarkResolution.replied_at)
    rows = session.execute(
        select(Person, RemarkResolution.project_id, last)
        .join(Person, Person.id == RemarkResolution.person_id)
        .join(Project, Project.id == RemarkResolution.project_id)
        .where(RemarkResolution.seen_at.is_(None), RemarkResolution.replied_at > now - REPLIES_TOLD)
        .where(Project.is_complete())
        .group_by(Person.id, RemarkResolution.project_id)
        .having(last <= now - REPLIES_SETTLED)
    )
    return [(person, project_id, moment) for person, project_id, moment in rows if moment is not None]


def _with_work(session: Session, now: datetime) -> Iterable[tuple[Person, int | None, datetime]]:
    """Return the annotators of projects in which work came, and when; at most once a day."""
    last = func.max(Event.at)
    events = session.execute(
        select(Event.project_id, last)
        .join(Project, Project.id == Event.project_id)
        .where(Event.kind.in_(BRINGS_WORK), Event.at > now - WORK_TOLD)
        .where(Project.state == "open", Project.is_demo.is_(False), Project.is_complete())
        .group_by(Event.project_id)
        .having(last <= now - WORK_SETTLED)
    )
    came = {project_id: moment for project_id, moment in events if moment is not None}
    rows = session.execute(
        select(MailMessage.person_id, MailMessage.project_id).where(
            MailMessage.kind == WORK, MailMessage.created_at > now - DAY
        )
    )
    told = {(person_id, project_id) for person_id, project_id in rows}
    annotators = session.execute(
        select(Person, Membership.project_id)
        .join(Membership, Membership.person_id == Person.id)
        .where(Membership.role == Role.ANNOTATOR, Membership.project_id.in_(came))
        .where(Person.kind == PersonKind.PERSON)
    )
    return [
        (person, project_id, came[project_id])
        for person, project_id in annotators
        if (person.id, project_id) not in told
    ]


def _owners(session: Session, now: datetime) -> Iterable[tuple[Person, int | None, datetime]]:
    """Return the owners of projects on the day on which they are told of the week."""
    monday = now.replace(hour=SUMMARY_HOUR, minute=0, second=0, microsecond=0) - now.weekday() * DAY
    if not monday <= now < monday + SUMMARY_TOLD:
        return []
    owners = select(Membership.person_id).where(Membership.role == Role.OWNER)
    rows = session.scalars(select(Person).where(Person.id.in_(owners), Person.kind == PersonKind.PERSON))
    return [(person, None, monday) for person in rows]


def is_mail_due(session: Session) -> bool:
    """Return whether there is an e-mail to be sent now."""
    return session.scalar(select(MailMessage.id).where(is_due(MailMessage)).limit(1)) is not None


def claim_mail(session: Session) -> MailMessage | None:
    """Return the next e-mail that is due; for a while nobody else gets it."""
    return claim_next(session, MailMessage)


def note_mail(session: Session, sent: MailMessage, status: int, answer: str, *, is_final: bool) -> None:
    """Write down what the server said to an e-mail; of one that is gone nothing."""
    found = session.get(MailMessage, sent.id)
    if found is not None:
        has_arrived = 200 <= status < 300
        note_try(found, sent.attempts, status, answer, has_arrived=has_arrived, is_final=is_final)


def note_unneeded(session: Session, sent: MailMessage) -> None:
    """Write down that an e-mail is not sent, because there is nothing left to say."""
    found = session.get(MailMessage, sent.id)
    if found is not None:
        found.state = "unneeded"
