"""Downloads by GET in the audit trail: written by a thread of its own, and of the same thing once an hour.

Programs ask for page after page, and a GET writes nothing by itself. An export by POST records itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from flask import current_app
from sqlalchemy.orm import Session

from app.http.permissions import current_identity_or_404
from app.http.project import current_project
from app.http.sessions import current_network, database, settings
from app.http.tokens import current_token
from app.http.uses import Uses
from app.models import AuditKind
from app.services.accounts.audit import record

# Seconds.
NOTED_SECONDS = 3600.0
USES = "export_uses"
LINES_AT_ONCE = 500


def in_blocks(lines: Iterator[str]) -> Iterator[str]:
    """Yield the lines of an export in blocks: a block is sent while the next one is made."""
    while some := list(islice(lines, LINES_AT_ONCE)):
        yield "".join(some)


class Download(NamedTuple):
    """Who took what, with which token if with any."""

    actor_id: int | None
    project_id: int
    token_id: int | None
    what: str
    format: str


def note_export(what: str, format: str) -> None:
    """Have it recorded that whoever asks takes something out of the project of this request."""
    token = current_token()
    taken = Download(
        current_identity_or_404().actor_id, current_project().id, token.id if token else None, what, format
    )
    uses: Uses = current_app.extensions.setdefault(USES, Uses(_record, NOTED_SECONDS))
    if uses.is_due(taken):
        uses.note(database(), taken, current_network(), at_once=not settings().testing)


def _record(session: Session, downloads: dict[Download, str]) -> None:
    for taken, network in downloads.items():
        session.info["network"] = network
        record(
            session,
            AuditKind.EXPORTED,
            actor_id=taken.actor_id,
            project_id=taken.project_id,
            what=taken.what,
            format=taken.format,
            **({} if taken.token_id is None else {"token": taken.token_id}),
        )
