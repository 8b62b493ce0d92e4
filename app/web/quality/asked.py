"""What the addresses of this room ask for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flask import request

from app.http.permissions import current_place
from app.http.sessions import close_read_session, database
from app.services.evidence import evidence_of

if TYPE_CHECKING:
    from app.services.evidence import Evidence

LARGEST_ID = 2**31 - 1


def fresh_evidence() -> Evidence:
    """Return the evidence of this project."""
    project_id = current_place().project.id
    close_read_session()  # a long reader costs everybody who writes
    return evidence_of(database(), project_id)


def page_asked() -> int:
    """Return the page that the address names, 1 by default."""
    wanted = request.args.get("page", "1")
    return max(int(wanted), 1) if wanted.isascii() and wanted.isdigit() and len(wanted) < 10 else 1


def number_of(text: str | None) -> int | None:
    """Return a number of the database that somebody sent; None for anything else."""
    if not text or not text.isascii() or not text.isdigit() or len(text) > 10:
        return None
    return number if 0 < (number := int(text)) <= LARGEST_ID else None
