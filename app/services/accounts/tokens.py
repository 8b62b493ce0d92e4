"""Tokens: what programs send instead of signing in. Made for some scopes, shown once, stored as a hash."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from zlib import crc32

from sqlalchemy import ColumnElement, Select, delete, or_, select, update
from sqlalchemy.orm import Session

from app.models.audit import AuditKind
from app.models.base import now_utc
from app.models.person import Membership, Person
from app.models.project import Project
from app.models.token import ApiReply, ApiToken
from app.services.accounts.audit import record
from app.services.accounts.secrets import token_hash
from app.services.errors import ConflictError, InvalidError, NotFoundError

PREFIX = "tsk_"
LETTERS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# Letters drawn at random, those that only this site can write, and those by which a scanner knows a token.
DRAWN, SIGNED, CHECKED = 30, 10, 6
LENGTH = len(PREFIX) + DRAWN + SIGNED + CHECKED
ENDING = 4
LONGEST_LIFE = 3660
MOST = 100


class Scope(StrEnum):
    """What a token may be made for."""

    SCORES = "scores"
    RUNS = "runs"
    CONTENT = "content"
    JUDGMENTS = "judgments"
    MANAGE = "manage"


MEANINGS = {
    Scope.SCORES: "read scores, rankings, ratings and everything else that viewers see",
    Scope.RUNS: "push runs, and test whether one may replace another",
    Scope.CONTENT: "push queries and documents",
    Scope.JUDGMENTS: "push judgments",
    Scope.MANAGE: "create projects, change settings and webhooks, and all of the above",
}


@dataclass(frozen=True)
class TokenRow:
    """A token as it is listed: whose it is, the project it reaches (none: all), and whether it works."""

    token: ApiToken
    person: str
    slug: str
    state: str


def new_api_token(key: str) -> str:
    """Return a token; `key` is the site's secret key, so that no other site's token is ever looked up."""
    drawn = "".join(secrets.choice(LETTERS) for _ in range(DRAWN))
    signed = PREFIX + drawn + _signature(drawn, key)
    return signed + _letters(crc32(signed.encode()), CHECKED)


def is_api_token(text: str, key: str) -> bool:
    """Return whether a text was made by `new_api_token` with this key; it may be revoked all the same."""
    if len(text) != LENGTH or not text.isascii() or not text.startswith(PREFIX):
        return False
    drawn = text[len(PREFIX) : len(PREFIX) + DRAWN]
    signed = PREFIX + drawn + _signature(drawn, key)
    return hmac.compare_digest(text, signed + _letters(crc32(signed.encode()), CHECKED))


def _signature(drawn: str, key: str) -> str:
    digest = hmac.digest(key.encode(), f"api-token:{drawn}".encode(), "sha256")
    return _letters(int.from_bytes(digest), SIGNED)


def _letters(number: int, count: int) -> str:
    found = ""
    for _ in range(count):
        number, place = divmod(number, len(LETTERS))
        found = LETTERS[place] + found
    return found


def create_token(
    session: Session,
    key: str,
    *,
    name: str,
    scopes: Iterable[str],
    project_id: int | None = None,
    person_id: int | None = None,
    days: int | None = None,
) -> tuple[ApiToken, str]:
    """Make a token, and return its row and the token itself, shown this once.

    Parameters
    ----------
    key
        The site's secret key.
    project_id
        The only project that it reaches; None for all of the person's.
    person_id
        Who it acts for; None for whoever runs the site.
    days
        How long it works; None for no end.

    Raises
    ------
    InvalidError
        A scope is unknown, there is none, or the days cannot be right.
    NotFoundError
        The person has no role in the project.
    ConflictError
        There are too many.
    """
    chosen = scopes_of(scopes)
    if days is not None and not 1 <= days <= LONGEST_LIFE:
        raise InvalidError(f"A token works for 1 to {LONGEST_LIFE} days, not {days}.", code="days")
    if project_id is not None and person_id is not None:
        _check_reach(session, project_id, person_id)
    if len(session.scalars(_working(person_id).limit(MOST)).all()) >= MOST:
        raise ConflictError(f"There are {MOST} tokens already: revoke one first.", code="tokens")
    text = new_api_token(key)
    token = ApiToken(
        token_hash=token_hash(text),
        ending=text[-ENDING:],
        name=" ".join(name.split())[:120] or "Token",
        person_id=person_id,
        project_id=project_id,
        scopes=" ".join(chosen),
        expires_at=None if days is None else now_utc() + timedelta(days=days),
    )
    session.add(token)
    session.flush()
    record(
        session,
        AuditKind.TOKEN_MADE,
        person_id=person_id,
        project_id=project_id,
        token=token.id,
        scopes=token.scopes,
    )
    return token, text


def scopes_of(given: Iterable[str]) -> list[Scope]:
    """Return scopes in their usual order.

    :raise InvalidError: One is unknown, or there is none.
    """
    words = {word for text in given for word in text.replace(",", " ").split()}
    unknown = sorted(words - set(Scope))
    if unknown:
        raise InvalidError(
            f"There is no scope {unknown[0][:60]!r}: choose from {', '.join(Scope)}.", code="scope"
        )
    if not words:
        raise InvalidError(f"A token needs a scope: choose from {', '.join(Scope)}.", code="scope")
    return [scope for scope in Scope if scope in words]


def _check_reach(session: Session, project_id: int, person_id: int) -> None:
    person = session.get_one(Person, person_id)
    membership = session.get(Membership, (person_id, project_id))
    if not person.is_admin and (membership is None or membership.role is None):
        raise NotFoundError(f"{person.name} has no role in this project.")


def _working(person_id: int | None) -> Select[ApiToken]:
    return select(ApiToken).where(
        ApiToken.person_id == person_id,
        ApiToken.revoked_at.is_(None),
        or_(ApiToken.expires_at.is_(None), ApiToken.expires_at > now_utc()),
    )


def tokens_of(session: Session, *, person_id: int | None = None, everybody: bool = False) -> list[TokenRow]:
    """Return the tokens of a person, or all there are, newest first, those that work no more included."""
    wanted = (
        select(ApiToken, Person.name, Project.slug)
        .join(Person, Person.id == ApiToken.person_id, isouter=True)
        .join(Project, Project.id == ApiToken.project_id, isouter=True)
        .order_by(ApiToken.id.desc())
    )
    if not everybody:
        wanted = wanted.where(ApiToken.person_id == person_id).limit(MOST)
    now = now_utc()
    return [
        TokenRow(token, person or "", slug or "", _state(token, now))
        for token, person, slug in session.execute(wanted)
    ]


def revoke_token(
    session: Session, token_id: int, *, person_id: int | None = None, anybody: bool = False
) -> ApiToken:
    """Revoke a token, at once and for good.

    Parameters
    ----------
    person_id
        Whose it must be, unless it may be `anybody`'s.

    Raises
    ------
    NotFoundError
        There is no such token.
    ConflictError
        It was revoked before.
    """
    token = session.get(ApiToken, token_id)
    if token is None or not (anybody or token.person_id == person_id):
        raise NotFoundError("There is no such token.")
    if token.revoked_at is not None:
        raise ConflictError("This token is revoked already.", code="not_open")
    token.revoked_at = now_utc()
    session.flush()
    record(
        session,
        AuditKind.TOKEN_REVOKED,
        person_id=token.person_id,
        project_id=token.project_id,
        token=token.id,
    )
    return token


def revoke_tokens_of(session: Session, person_id: int, *which: ColumnElement[bool]) -> None:
    """Revoke the tokens of a person, or some of them: a role has gone, or somebody else has made them."""
    session.execute(
        update(ApiToken)
        .where(ApiToken.person_id == person_id, ApiToken.revoked_at.is_(None), *which)
        .values(revoked_at=now_utc())
    )


def note_use(session: Session, uses: dict[int, datetime]) -> None:
    """Write down when tokens were last used."""
    for token_id, at in uses.items():
        session.execute(update(ApiToken).where(ApiToken.id == token_id).values(last_used_at=at))


def forget_unfinished_replies(session: Session) -> None:
    """Forget idempotency keys whose request no process works on any more; for the start of the server."""
    session.execute(delete(ApiReply).where(ApiReply.status.is_(None)))


def _state(token: ApiToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "works"
