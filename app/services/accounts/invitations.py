"""Links that work once: invitations (7 days), password resets (30 minutes), and the set-up link."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import select
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Person, Role
from app.models.token import Invitation
from app.sentences import message
from app.services.accounts.audit import record
from app.services.accounts.people import account_exists, is_open, normal_email, revoke_links
from app.services.accounts.secrets import new_token, token_hash
from app.services.errors import ConflictError, GoneError, InvalidError, NotFoundError

LIVES = {"invite": timedelta(days=7), "reset": timedelta(minutes=30), "set_up": timedelta(days=365)}
GONE = message("This link was used, has expired, or was revoked.")
SET_UP_GONE = message(
    "This set-up link does not work. While the site has no account, the server prints a new link "
    "each time it starts."
)


def invite(
    session: Session,
    *,
    project_id: int | None,
    role: Role,
    email: str | None = None,
    note: str = "",
    created_by: int | None = None,
    token: str | None = None,
) -> str:
    """Create an invitation and return its token; it is stored hashed and shown this once.

    `note` says for whom it is. With an address, nobody else can take it. A token that is not drawn here must
    be as hard to guess.
    """
    link = Invitation(
        kind="invite",
        project_id=project_id,
        role=role.value,
        email=normal_email(email) if email and email.strip() else None,
        note=note,
        created_by=created_by,
    )
    token = _issue(session, link, token)
    record(session, AuditKind.INVITATION_MADE, project_id=project_id, invitation=link.id, role=role.value)
    return token


def issue_reset(session: Session, person: Person, *, created_by: int | None = None) -> str:
    """Create a link with which a person chooses a new password, and return its token.

    Raises
    ------
    InvalidError
        No person uses the account.
    ConflictError
        It is disabled.
    """
    if person.kind != "person" or person.erased_at is not None:
        raise InvalidError(f"{person.name} is not an account that signs in.", code="no_account")
    if person.disabled_at is not None:
        raise ConflictError(f"The account of {person.name} is disabled: enable it first.", code="disabled")
    record(session, AuditKind.PASSWORD_LINK_MADE, person_id=person.id)
    return _issue(session, Invitation(kind="reset", person_id=person.id, created_by=created_by))


def issue_set_up(session: Session) -> str | None:
    """Create this start's set-up link and return its token; None once somebody can sign in.

    The links of earlier starts stop working.
    """
    revoke_links(session, Invitation.kind == "set_up")
    return None if account_exists(session) else _issue(session, Invitation(kind="set_up"))


def get_invitation(session: Session, token: str, *kinds: str) -> Invitation:
    """Return the invitation behind a token that still works.

    Raises
    ------
    GoneError
        It is unknown, used, expired or revoked: one answer for all of them.
    """
    found = session.scalar(
        select(Invitation).where(
            Invitation.token_hash == token_hash(token),
            Invitation.kind.in_(kinds),
            is_open(),
        )
    )
    if found is None or (found.kind == "set_up" and account_exists(session)):
        raise gone(*kinds)
    return found


def gone(*kinds: str) -> GoneError:
    """Return the refusal of a link of these kinds: its code says which, since not the same helps."""
    if kinds == ("set_up",):
        return GoneError(SET_UP_GONE, code="set_up_gone")
    return GoneError(GONE, code="reset_gone") if kinds == ("reset",) else GoneError(GONE)


def revoke_invitation(session: Session, project_id: int, invitation_id: int) -> None:
    """Take an open invitation of a project back.

    Raises
    ------
    NotFoundError
        The project has no such invitation.
    ConflictError
        It was used or taken back before.
    """
    here = (Invitation.id == invitation_id, Invitation.project_id == project_id, Invitation.kind == "invite")
    if revoke_links(session, *here):
        record(session, AuditKind.INVITATION_REVOKED, project_id=project_id, invitation=invitation_id)
        return
    if session.scalar(select(Invitation.id).where(*here)) is None:
        raise NotFoundError("There is no such invitation.")
    raise ConflictError("This invitation was already used or revoked.", code="not_open")


def revoke_links_of(session: Session, person_id: int, project_id: int) -> None:
    """Take back the invitations to a project that a person has made."""
    revoke_links(session, Invitation.created_by == person_id, Invitation.project_id == project_id)


def open_invitations(session: Session, project_id: int) -> list[Invitation]:
    """Return the invitations of a project that still work, newest first."""
    return list(
        session.scalars(
            select(Invitation)
            .where(
                Invitation.project_id == project_id,
                Invitation.kind == "invite",
                is_open(),
            )
            .order_by(Invitation.created_at.desc())
        )
    )


def _issue(session: Session, link: Invitation, token: str | None = None) -> str:
    token = token or new_token()
    link.token_hash = token_hash(token)
    link.expires_at = now_utc() + LIVES[link.kind]
    session.add(link)
    session.flush()
    return token
