"""Naming who adjudicates besides the owners."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.models import Membership
from app.services.errors import NotFoundError

if TYPE_CHECKING:
    from sqlalchemy.orm import Session


def name_adjudicator(session: Session, project_id: int, person_id: int, *, named: bool) -> None:
    """Let a member adjudicate, or no more; what they have decided stays.

    Raises
    ------
    NotFoundError
        The person has no role there.
    """
    membership = session.get(Membership, (person_id, project_id))
    if membership is None or membership.role is None:
        raise NotFoundError("This person has no role in the project.")
    membership.adjudicates = named
    session.flush()
