"""What an annotator does to a whole question: no good answer, not for me, later, a flag."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response, jsonify
from sqlalchemy.orm import Session

from app.api.annotators import current_annotator
from app.api.bodies import choice_of, flag_of, moment_of, read_object, uuid_of, uuids_of, whole_of
from app.api.judgments import INPUTS
from app.api.presenters import remarked, step
from app.http import Access, allow, database, write_session
from app.http.permissions import current_identity_or_404
from app.http.sessions import close_read_session, read_session
from app.jobs.assignment import assign_next_ahead, is_last_batch
from app.models import Reason
from app.services.accounts.preferences import preferences_of, record_guidelines_seen
from app.services.assignment.batch_lifecycle import (
    decline_query,
    find_assignment,
    finish_batch,
    get_assignment,
    park_batch,
    take_back_decline,
)
from app.services.assignment.batches import take_up
from app.services.assignment.wanted import BATCH_SIZE
from app.services.judging.no_good_answer import record_no_good_answer, take_back_no_good_answer
from app.services.judging.pages import batch_page
from app.services.judging.rating import Annotator, Rating, current_wording
from app.services.judging.recording import check_rating_is_open
from app.services.judging.remarks import flag_query
from app.services.projects.projects import find_guideline

blueprint = Blueprint("api_batches", __name__, url_prefix="/api/v1/projects/<slug>/batches")

STEP = {"id", "at", "input"}
WHY = tuple(reason.name.lower() for reason in Reason if reason is not Reason.CLEARED)


@blueprint.post("")
@allow(Access.RATE)
def post_ahead(slug: str) -> Response:
    """Assign one's next batches ahead of need, so that going on works without the network.

    `is_last` tells whether nothing is left for them but the batch at hand (`after`) and these.
    `wording` is that of the question at hand, null where that is not theirs.
    """
    del slug
    after = whole_of(read_object({"after"}), "after")
    annotator = current_annotator()
    close_read_session()
    batches = assign_next_ahead(database(), annotator.project.id, annotator.person_id, after=after)
    place = (database(), annotator.project.id, annotator.person_id)
    is_last = is_last_batch(*place, after, *batches, at_once=bool(batches))
    with database().read() as session:
        at_hand = find_assignment(session, annotator.project.id, annotator.person_id, after)
        wording = at_hand and current_wording(session, at_hand.query_id)
    return jsonify({"batches": batches, "is_last": is_last, "wording": wording})


@blueprint.put("/<int:batch>/no-good-answer")
@allow(Access.RATE)
def put_no_good_answer(slug: str, batch: int) -> Response:
    """Give the lowest grade to one's unrated answers of a batch's question, in whichever batch they are.

    `undo` names a step to take back, and `also` ratings that undoing has put in place of its own.
    """
    del slug
    body = read_object(STEP, {"undo", "also", "active_ms", "guidelines"})
    rating = _rating_of(body, batch)
    annotator = current_annotator()
    with write_session() as session:
        if body.get("undo") is None:
            return jsonify(step(rating.id, record_no_good_answer(session, annotator, rating)))
        also = uuids_of(body, "also", most=BATCH_SIZE)
        undone = take_back_no_good_answer(session, annotator, uuid_of(body, "undo"), rating, also=also)
        return jsonify(step(rating.id, undone))


@blueprint.get("/<int:batch>/left")
@allow(Access.RATE)
def get_left(slug: str, batch: int) -> Response:
    """Return how many answers of a batch's question one has still to rate: in it, and outside it."""
    del slug
    annotator = current_annotator()
    page = batch_page(read_session(), annotator.project.id, annotator.person_id, batch)
    left = {"here": len(page.answers) - page.settled, "elsewhere": page.parts.more}
    return jsonify({**left, "better_elsewhere": page.better_elsewhere})


@blueprint.put("/<int:batch>/declined")
@allow(Access.RATE)
def put_declined(slug: str, batch: int) -> Response:
    """Say that one cannot judge the question, with a reason; null takes it back."""
    del slug
    body = read_object({"reason"})
    reason = None if body["reason"] is None else choice_of(body, "reason", WHY)
    annotator = current_annotator()
    with write_session() as session:
        place = (session, annotator.project.id, annotator.person_id, batch)
        if reason is None:
            take_back_decline(*place)
        else:
            check_rating_is_open(annotator.project)
            decline_query(*place, Reason[reason.upper()])
    return jsonify({"reason": reason})


@blueprint.put("/<int:batch>/state")
@allow(Access.RATE)
def put_state(slug: str, batch: int) -> Response:
    """Take up a batch (`open`) or leave it: `done` when every answer is done, `parked` for later."""
    del slug
    body = read_object({"state"}, {"guidelines"})
    state = choice_of(body, "state", ("open", "done", "parked"))
    seen = whole_of(body, "guidelines") if "guidelines" in body else 0
    annotator = current_annotator()
    place = (annotator.project.id, annotator.person_id, batch)
    with write_session() as session:
        if state == "open":
            take_up(session, get_assignment(session, *place))
            _remember_guidelines(session, annotator, seen)
        elif state == "done":
            finish_batch(session, *place)
        else:
            park_batch(session, *place)
    return jsonify({"state": state})


@blueprint.put("/<int:batch>/flag")
@allow(Access.RATE)
def put_flag(slug: str, batch: int) -> Response:
    """Raise one's flag on the question, or take it back."""
    del slug
    flagged = flag_of(read_object({"flagged"}), "flagged")
    annotator = current_annotator()
    with write_session() as session:
        assignment = get_assignment(session, annotator.project.id, annotator.person_id, batch)
        flag_query(session, annotator, assignment, flagged=flagged)
    return jsonify(remarked(flagged=flagged))


def _remember_guidelines(session: Session, annotator: Annotator, shown: int) -> None:
    # A question that was fetched ahead of need says which ones its page shows, now that somebody sees it.
    project_id = annotator.project.id
    seen = preferences_of(current_identity_or_404().preferences)["guidelines"].get(str(project_id), 0)
    if shown > seen and find_guideline(session, project_id, version=shown):
        record_guidelines_seen(session, annotator.person_id, project_id, shown)


def _rating_of(body: dict[str, Any], batch: int) -> Rating:
    return Rating(
        id=uuid_of(body, "id"),
        grade=None,
        batch=batch,
        active_ms=whole_of(body, "active_ms") if "active_ms" in body else 0,
        guidelines=whole_of(body, "guidelines") if "guidelines" in body else None,
        input=INPUTS[choice_of(body, "input", tuple(INPUTS))],
        at=moment_of(body, "at"),
    )
