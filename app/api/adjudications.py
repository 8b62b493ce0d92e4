"""Decisions over HTTP: one idempotent PUT for each, as for ratings, and the note beside it."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify

from app.api.annotators import current_annotator
from app.api.bodies import read_object, text_of
from app.api.judgments import OPTIONAL, REQUIRED, rating_of
from app.http import Access, allow, write_session
from app.services.judging.adjudication import record_decision, write_note_on

blueprint = Blueprint("api_adjudications", __name__, url_prefix="/api/v1/candidates/<candidate_id>")


@blueprint.put("/adjudication")
@allow(Access.ADJUDICATE)
def put_adjudication(candidate_id: str) -> tuple[Response, int]:
    """Record one decision: 201 when it is new, 200 when the same was sent before."""
    rating = rating_of(read_object(REQUIRED, OPTIONAL), candidate_id)
    adjudicator = current_annotator()
    with write_session() as session:
        decision = record_decision(session, adjudicator, candidate_id, rating)
    return jsonify(decision.rating.facts), 201 if decision.is_new else 200


@blueprint.put("/adjudication/note")
@allow(Access.ADJUDICATE)
def put_note(candidate_id: str) -> Response:
    """Keep one's note on an answer; an empty text takes it away."""
    text = text_of(read_object({"text"}), "text")
    adjudicator = current_annotator()
    with write_session() as session:
        return jsonify({"text": write_note_on(session, adjudicator, candidate_id, text)})
