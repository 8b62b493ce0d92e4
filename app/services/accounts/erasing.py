"""Erase a person: what they rated stays under a pseudonym, and nothing that says who they were.

Personal data lives in `person`, in what people wrote beside the ledger, and in links. An event of the ledger
may hold a name too, in the name of a file: its text alone is rewritten, the one change of the ledger that its
triggers let pass, and only while an `Erasure` is open, which stays as the record of it. In the same way the
audit trail loses the addresses of networks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, Table, Text, and_, cast, delete, func, or_, select, update
from sqlalchemy.orm import Session

from app.models.adjudication import AdjudicationView
from app.models.audit import AuditEntry, AuditKind
from app.models.base import Base, now_utc
from app.models.event import Bookmark, Event
from app.models.judgment import Flag, JudgmentNote
from app.models.mail import MailMessage
from app.models.person import (
    Erasure,
    Membership,
    OrganisationIdentity,
    Person,
    PersonKind,
    UnconfirmedPassword,
)
from app.models.remark_resolution import RemarkResolution
from app.models.run import Run
from app.models.token import ApiReply, ApiToken, Invitation, SharedLink
from app.models.upload import Upload
from app.models.webhook import WebhookDelivery
from app.services.accounts.audit import record
from app.services.accounts.directory import check_not_last_admin
from app.services.accounts.memberships import check_not_last_owner
from app.services.accounts.people import end_sessions, find_person, revoke_links
from app.services.accounts.sharing import revoke_shared_links
from app.services.accounts.sign_in import forget_failures
from app.services.bulk import stream, table_of
from app.services.errors import ConflictError, NotFoundError

# Texts beside the collection in which a name is replaced, whoever wrote them: nothing is computed from them.
REWRITTEN = (
    (Event, "payload"),
    (Upload, "file_name"),
    (Upload, "options"),
    (Upload, "report"),
    (Invitation, "note"),
    (SharedLink, "note"),
    (ApiToken, "name"),
    (ApiReply, "body"),
    (Bookmark, "label"),
    (RemarkResolution, "reply"),
    (AdjudicationView, "note"),
    (JudgmentNote, "text"),
    (Flag, "text"),
    (Run, "note"),
    (WebhookDelivery, "data"),
    (WebhookDelivery, "answer"),
)


def get_account(session: Session, email: str) -> Person:
    """Return the account of an address.

    :raise NotFoundError: There is none.
    """
    person = find_person(session, email)
    if person is None:
        raise NotFoundError(f"There is no account for {email}.")
    return person


def get_erasable(session: Session, email: str) -> Person:
    """Return the account of an address that may be erased.

    :raise NotFoundError: There is none.
    :raise ConflictError: The site would lose its last administrator, or a project its last owner.
    """
    person = get_account(session, email)
    check_may_erase(session, person)
    return person


def check_may_erase(session: Session, person: Person) -> None:
    """Refuse to leave the site or a project without anybody who manages it.

    :raise ConflictError: It is the last administrator, the last owner of a project, or nobody who signs in.
    """
    if person.kind != PersonKind.PERSON or person.erased_at is not None:
        raise ConflictError("Only accounts of people can be erased, and only once.", code="no_account")
    check_not_last_admin(session, person)
    for membership in session.scalars(select(Membership).where(Membership.person_id == person.id)):
        check_not_last_owner(session, membership)


def erase_person(session: Session, person: Person, *, actor_id: int | None = None) -> Erasure:
    """Turn a person into a pseudonym, and return the record of it.

    Their ratings stay, and every score with them. What is removed is still in the files of the database
    until `app.jobs.erasing` has rewritten them.
    """
    name, email = person.name, person.email or ""
    erasure = Erasure(person_id=person.id, actor_id=actor_id, is_open=True)
    session.add(erasure)
    session.flush()
    pseudonym = f"Erased person {erasure.id}"
    if email:
        forget_failures(session, email)
    _delete_what_they_wrote(session, person.id)
    _end_access(session, person)
    erasure.events = _rewrite(session, [each for each in (email, name) if each], pseudonym)
    person.name, person.email, person.password_hash, person.preferences = pseudonym, None, None, {}
    person.is_admin, person.disabled_at, person.last_sign_in_at = False, None, None
    person.erased_at = now_utc()
    session.flush()
    erasure.is_open = False
    record(session, AuditKind.ACCOUNT_ERASED, person_id=person.id)
    return erasure


def _delete_what_they_wrote(session: Session, person_id: int) -> None:
    session.execute(delete(JudgmentNote).where(JudgmentNote.annotator_id == person_id))
    session.execute(update(Flag).where(Flag.person_id == person_id).values(text=""))
    session.execute(update(AdjudicationView).where(AdjudicationView.person_id == person_id).values(note=""))
    is_theirs = or_(RemarkResolution.person_id == person_id, RemarkResolution.actor_id == person_id)
    session.execute(update(RemarkResolution).where(is_theirs).values(reply=""))
    # Also what they noted about others, in links that they made.
    for link in (Invitation, SharedLink):
        session.execute(update(link).where(link.created_by == person_id).values(note=""))


def _end_access(session: Session, person: Person) -> None:
    """Take every role and link from a person, and what they handed out to others."""
    revoke_links(session, Invitation.created_by == person.id)
    revoke_shared_links(session, SharedLink.created_by == person.id)
    mine = select(ApiToken.id).where(ApiToken.person_id == person.id)
    session.execute(delete(ApiReply).where(ApiReply.token_id.in_(mine)))
    not_before = func.coalesce(ApiToken.revoked_at, now_utc())
    session.execute(
        update(ApiToken).where(ApiToken.person_id == person.id).values(revoked_at=not_before, name="")
    )
    theirs = [Invitation.person_id == person.id, Invitation.used_by == person.id]
    if person.email:
        theirs.append(Invitation.email == person.email)
    to_them = select(Invitation.id).where(or_(*theirs))
    session.execute(
        delete(MailMessage).where(
            or_(MailMessage.person_id == person.id, MailMessage.invitation_id.in_(to_them))
        )
    )
    session.execute(delete(Invitation).where(or_(*theirs)))
    is_on_its_way = Upload.state.in_(("waiting", "checking", "checked"))
    session.execute(
        update(Upload).where(Upload.person_id == person.id, is_on_its_way).values(state="cancelled")
    )
    session.execute(
        update(Membership).where(Membership.person_id == person.id).values(role=None, adjudicates=False)
    )
    # From where they did what the audit trail tells: its triggers let pass this, and only this.
    alone = and_(AuditEntry.person_id == person.id, AuditEntry.actor_id.is_(None))
    session.execute(update(AuditEntry).where(or_(AuditEntry.actor_id == person.id, alone)).values(network=""))
    for table in (UnconfirmedPassword, OrganisationIdentity):
        session.execute(delete(table).where(table.person_id == person.id))
    end_sessions(session, person.id)


def _rewrite(session: Session, words: Sequence[str], pseudonym: str) -> list[list[int]]:
    """Replace a name and an address in texts beside the collection; return which events were rewritten."""
    pattern = pattern_of(words)
    if pattern is None:
        return []
    changed: list[list[int]] = []
    for model, name in REWRITTEN:
        table = table_of(model)
        column, key = table.c[name], list(table.primary_key.columns)
        # Looked at here: SQLite knows no capitals beyond ASCII.
        cleared = {
            tuple(row[:-1]): text
            for row in stream(session, select(*key, column))
            if (text := replaced(row[-1], pattern, pseudonym)) != row[-1]
        }
        for values, text in cleared.items():
            its = [each == value for each, value in zip(key, values, strict=True)]
            session.execute(update(table).where(*its).values({name: text}))
        if model is Event:
            changed = [list(values) for values in cleared]
    return changed


def pattern_of(words: Sequence[str]) -> re.Pattern[str] | None:
    """Return what finds an address or a whole name; a name of one word is too often something else."""
    telling = [word for word in words if "@" in word or len(word.split()) > 1]
    if not telling:
        return None
    return re.compile("|".join(rf"(?<!\w){re.escape(word)}(?!\w)" for word in telling), re.IGNORECASE)


def replaced(value: Any, pattern: re.Pattern[str], pseudonym: str) -> Any:
    """Return a text, or JSON with texts in it, with a pseudonym wherever the pattern is found."""
    if isinstance(value, str):
        return pattern.sub(pseudonym, value)
    if isinstance(value, list):
        return [replaced(each, pattern, pseudonym) for each in value]
    if isinstance(value, dict):
        return {name: replaced(each, pattern, pseudonym) for name, each in value.items()}
    return value


def _mentions(column: ColumnElement[Any], words: Sequence[str]) -> ColumnElement[bool]:
    """Return whether a column holds one of some words; JSON spells letters beyond ASCII by their numbers."""
    cases = {case for word in words for case in (word, word.lower(), word.upper())}
    spelled = cases | {json.dumps(case)[1:-1] for case in cases}
    return or_(*(cast(column, Text).icontains(word, autoescape=True) for word in spelled))


def mentions_of(session: Session, words: Sequence[str]) -> dict[str, int]:
    """Return in which tables texts still hold one of these words, and in how many rows.

    What people collected or wrote for all, such as questions, answers and guidelines, is left to people.
    """
    found: dict[str, int] = {}
    words = [word for word in words if word]
    for table in Base.metadata.sorted_tables:
        texts = [column for column in table.columns if _is_text(table, column.name)]
        if texts and words:
            holds = or_(*(_mentions(column, words) for column in texts))
            if count := session.scalar(select(func.count()).select_from(table).where(holds)):
                found[table.name] = count
    return found


def _is_text(table: Table, name: str) -> bool:
    kind = table.c[name].type
    return kind.python_type in {str, dict, object} and not table.c[name].foreign_keys and name not in CODES


# Columns that no person writes into.
CODES = {"public_id", "state", "kind", "role", "arm", "fingerprint", "key_hash", "account", "source"}


def is_cleaning_due(session: Session) -> bool:
    """Return whether somebody was erased whose data may still be in the files of the database."""
    return session.scalar(select(Erasure.id).where(Erasure.cleaned_at.is_(None)).limit(1)) is not None


def note_cleaning(session: Session) -> None:
    """Say that the files hold nothing any more of those who were erased so far."""
    session.execute(update(Erasure).where(Erasure.cleaned_at.is_(None)).values(cleaned_at=now_utc()))
