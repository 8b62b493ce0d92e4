"""Who rates in this request, and where they go on."""

from __future__ import annotations

from flask import redirect, url_for
from werkzeug.wrappers import Response

from app.http.permissions import current_access, current_identity_or_404
from app.http.sessions import close_read_session, database, read_session
from app.jobs.assignment import find_next_batch
from app.services.assignment.batch_lifecycle import get_assignment
from app.services.judging.rating import Annotator


def current_annotator() -> Annotator:
    """Return who rates; blind unless they could ever see rankers here, or may be somebody else."""
    access = current_access()
    return Annotator(access.project, current_identity_or_404().id, access.is_blind)


def go_on(annotator: Annotator) -> Response:
    """Lead to the batch at hand, or else to a new one; where nothing is left, to the page that says so."""
    slug = annotator.project.slug
    if annotator.project.state != "open":
        return redirect(url_for("judging.done", slug=slug))
    close_read_session()
    batch = find_next_batch(database(), annotator.project.id, annotator.person_id)
    if batch is None:
        return redirect(url_for("judging.done", slug=slug))
    return redirect(url_for("judging.batch", slug=slug, batch=batch))


def annotator_of(batch: int) -> Annotator:
    """Return who rates, once it is sure that the batch of the address is theirs.

    :raise NotFoundError: It is somebody else's, or there is none.
    """
    annotator = current_annotator()
    get_assignment(read_session(), annotator.project.id, annotator.person_id, batch)
    return annotator
