"""What waits for an owner beside ratings: answers to adjudicate, remarks to read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from app.http.permissions import current_place
from app.http.sessions import database, read_session
from app.models import Role
from app.services.adjudication import queue_of
from app.services.evidence import evidence_of
from app.services.inbox import count_open

if TYPE_CHECKING:
    from app.models import Project


@dataclass(frozen=True)
class WaitingForOwner:
    """How many answers wait for a decision, and how many remarks for somebody to read them."""

    decisions: int
    remarks: int


def waiting_for_owner(project: Project) -> WaitingForOwner | None:
    """Return what waits in a project; None for whoever is no owner, and where nothing does."""
    if current_place().role is not Role.OWNER:
        return None
    queue = queue_of(read_session(), evidence_of(database(), project.id), project)
    found = WaitingForOwner(len(queue.waiting), count_open(read_session(), project.id))
    return found if found.decisions or found.remarks else None
