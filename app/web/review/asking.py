"""Who decides in this request, what waits for them, and what an address asks for."""

from __future__ import annotations

from app.http.permissions import current_identity_or_404, current_place
from app.http.sessions import close_read_session, database, read_session
from app.models import Role
from app.services.adjudication import Queue, queue_of
from app.services.evidence import evidence_of
from app.services.judging import Annotator


def current_adjudicator() -> Annotator:
    """Return who adjudicates; blind unless they could ever see the rankers of this project."""
    place = current_place()
    blind = place.role is Role.ANNOTATOR and not place.saw_rankers
    return Annotator(place.project, current_identity_or_404().id, blind)


def may_see_names() -> bool:
    """Tell whether who asks may learn who rated what: owners only."""
    return current_place().role is Role.OWNER


def current_queue() -> Queue:
    """Return what waits in the project of this request."""
    project = current_place().project
    close_read_session()
    return queue_of(read_session(), evidence_of(database(), project.id), project)
