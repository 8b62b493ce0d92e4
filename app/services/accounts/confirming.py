"""A password set by a link that somebody else made: what is rated counts as not blind until it is confirmed.

Whoever makes a link can open it. So the link, and the password chosen with it, prove nothing about who rates.
What proves it is what the link's maker does not have: a device on which the person signed in before, the
password of before, or the word of another administrator. DECISIONS.md has the reasons.
"""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Person, UnconfirmedPassword
from app.models.token import ApiToken, Invitation
from app.services.accounts.audit import record
from app.services.accounts.tokens import revoke_tokens_of
from app.services.errors import ConflictError


def mark_unconfirmed(session: Session, person: Person, link: Invitation) -> None:
    """Note that a link sets the password of an account that somebody has used; call it before the change.

    The first password of a new account needs no confirmation: nobody has rated with it yet. Of several links
    the first one counts: what was true before it stays the proof.
    """
    is_new = person.password_hash is None and person.last_sign_in_at is None
    if is_new or find_unconfirmed(session, person.id) is not None:
        return
    since = link.used_at or now_utc()
    session.add(UnconfirmedPassword(person_id=person.id, since=since, earlier_hash=person.password_hash))
    session.flush()


def find_unconfirmed(session: Session, person_id: int) -> UnconfirmedPassword | None:
    """Return what is known of a password that waits for confirmation, or None."""
    return session.get(UnconfirmedPassword, person_id)


def unconfirmed_among(session: Session, person_ids: list[int]) -> set[int]:
    """Return those of some people whose passwords wait for confirmation."""
    wanted = select(UnconfirmedPassword.person_id).where(UnconfirmedPassword.person_id.in_(person_ids))
    return set(session.scalars(wanted))


def is_own_device(session: Session, waiting: UnconfirmedPassword, signed_in: dict[int, datetime]) -> bool:
    """Return whether a device is the person's: they signed in on it before, and no maker of a link ever did.

    Parameters
    ----------
    signed_in
        Since when each account is known on the device.
    """
    since = signed_in.get(waiting.person_id)
    return since is not None and since < waiting.since and not _makers_of(session, waiting) & signed_in.keys()


def confirm(session: Session, person_id: int, by: str) -> None:
    """Take the password as the person's own from now on; `by` says what proved it.

    Tokens that were made since the link are revoked: they would go on acting for the person.

    :raise ConflictError: There is nothing to confirm.
    """
    waiting = find_unconfirmed(session, person_id)
    if waiting is None:
        raise ConflictError("This password needs no confirmation.", code="confirmed")
    session.delete(waiting)
    revoke_tokens_of(session, person_id, ApiToken.created_at >= waiting.since)
    record(session, AuditKind.PASSWORD_CONFIRMED, person_id=person_id, by=by)


def confirm_for(session: Session, person_id: int, admin_id: int) -> None:
    """Confirm somebody's password on the word of an administrator who has made no such link.

    :raise ConflictError: There is nothing to confirm, or this administrator cannot.
    """
    waiting = find_unconfirmed(session, person_id)
    if waiting is not None and admin_id in {*_makers_of(session, waiting), person_id}:
        raise ConflictError(
            "Another administrator must confirm this: you made the password link, or it is your own account.",
            code="own_link",
        )
    if find_unconfirmed(session, admin_id) is not None:
        raise ConflictError("Confirm your own password first, on your account page.", code="unconfirmed")
    confirm(session, person_id, "admin")


def _makers_of(session: Session, waiting: UnconfirmedPassword) -> set[int]:
    """Return who made the links that have set the password since the first one."""
    wanted = select(Invitation.created_by).where(
        Invitation.kind == "reset",
        Invitation.person_id == waiting.person_id,
        Invitation.used_at >= waiting.since,
        Invitation.created_by.is_not(None),
    )
    return {maker for maker in session.scalars(wanted) if maker is not None}
