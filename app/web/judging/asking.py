"""Who rates in this request."""

from __future__ import annotations

from app.http.permissions import current_identity_or_404, current_place
from app.http.sessions import read_session
from app.models import Role
from app.services.assignment import get_assignment
from app.services.judging import Annotator


def current_annotator() -> Annotator:
    """Return who rates; blind unless they could ever see the rankers of this project."""
    place = current_place()
    blind = place.role is Role.ANNOTATOR and not place.saw_rankers
    return Annotator(place.project, current_identity_or_404().id, blind)


def annotator_of(batch: int) -> Annotator:
    """Return who rates, once it is sure that the batch of the address is theirs.

    Raises
    ------
    NotFoundError
        It is somebody else's, or there is none.
    """
    annotator = current_annotator()
    get_assignment(read_session(), annotator.project.id, annotator.person_id, batch)
    return annotator
