"""What an annotator rates next: a batch they have begun, a new one, or what they left for later."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.http.sessions import database, read_session, write_session
from app.models import now_utc
from app.services.assignment import (
    count_unsettled,
    deal_batch,
    find_open_batch,
    finish_batch,
    openings_of,
    take_up_parked,
)
from app.services.evidence import evidence_of

if TYPE_CHECKING:
    from sqlalchemy.orm import Session

    from app.models import Assignment
    from app.services.judging import Annotator

# How often others may be quicker at the same question before all of the project is searched.
TRIES = 3


def find_next_batch(annotator: Annotator) -> int | None:
    """Return the number of the batch that is next for an annotator; None where nothing is left for them."""
    place = (annotator.project.id, annotator.person_id)
    begun = find_open_batch(read_session(), *place)
    if begun is not None and count_unsettled(read_session(), begun):
        return begun.batch
    for _ in range(TRIES):
        # Where to deal from is found outside the write session: nobody's rating waits for it.
        queries = _openings(annotator)
        with write_session() as session:
            found = _begun(session, annotator)
            if found is None and queries:
                found = deal_batch(session, *place, query_id=queries[0])
            if found is None and not queries:
                found = take_up_parked(session, *place)
            if found is not None or not queries:
                return found.batch if found else None
    with write_session() as session:
        found = deal_batch(session, *place) or take_up_parked(session, *place)
        return found.batch if found else None


def _openings(annotator: Annotator) -> list[int]:
    evidence = evidence_of(database(), annotator.project.id)
    return openings_of(read_session(), evidence, annotator.project, annotator.person_id, now_utc()).queries


def _begun(session: Session, annotator: Annotator) -> Assignment | None:
    """Return the oldest open batch with something left, and close those without."""
    place = (session, annotator.project.id, annotator.person_id)
    while (begun := find_open_batch(*place)) is not None:
        if count_unsettled(session, begun):
            return begun
        finish_batch(*place, begun.batch)
    return None
