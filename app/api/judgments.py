"""Rating over HTTP: one idempotent PUT for each rating, note and flag."""

from __future__ import annotations

from typing import Any
from uuid import UUID, uuid5

from flask import Blueprint, Response, jsonify
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Session

from app.api.annotators import current_annotator
from app.api.bodies import choice_of, flag_of, moment_of, read_object, text_of, uuid_of, whole_of
from app.api.presenters import recorded, remarked
from app.http import Access, acknowledge_rating, allow, write_session, write_together
from app.models import Input, Reason
from app.services.judging.rating import Annotator, Rating, Recorded
from app.services.judging.recording import CheckedRating, check_judgment, record_checked
from app.services.judging.remarks import flag_answer, write_note

blueprint = Blueprint("api_judgments", __name__, url_prefix="/api/v1/candidates/<candidate_id>")

REQUIRED = {"id", "grade", "at", "input"}
NUMBERS = ("place", "of", "batch", "active_ms", "guidelines")
OPTIONAL = {"reason", "base", *NUMBERS}
STEP = "step:"
INPUTS = {"key": Input.KEY, "mouse": Input.MOUSE, "touch": Input.TOUCH}


@blueprint.put("/judgment")
@allow(Access.RATE)
def put_judgment(candidate_id: str) -> tuple[Response, int]:
    """Record one rating: 201 when it is new, 200 when the same was sent before."""
    rating = rating_of(read_object(REQUIRED, OPTIONAL), candidate_id)
    result = _record(current_annotator(), candidate_id, rating)
    if result.is_new:
        acknowledge_rating()
    return jsonify(recorded(result)), 201 if result.is_new else 200


@blueprint.put("/note")
@allow(Access.RATE)
def put_note(candidate_id: str) -> Response:
    """Keep one's note on an answer; an empty text takes it away. `base` is the text that it replaces."""
    body = read_object({"text"}, {"base"})
    text, base = text_of(body, "text"), text_of(body, "base") if "base" in body else None
    annotator = current_annotator()
    with write_session() as session:
        kept = write_note(session, annotator, candidate_id, text, base=base)
    return jsonify(remarked(text=kept))


@blueprint.put("/flag")
@allow(Access.RATE)
def put_flag(candidate_id: str) -> Response:
    """Raise one's flag on an answer, or take it back."""
    flagged = flag_of(read_object({"flagged"}), "flagged")
    annotator = current_annotator()
    with write_session() as session:
        flag_answer(session, annotator, candidate_id, flagged=flagged)
    return jsonify(remarked(flagged=flagged))


def rating_of(body: dict[str, Any], candidate_id: str) -> Rating:
    """Return the rating of a candidate that a body describes.

    :raise BodyError: A value is not of its kind.
    """
    reason = body.get("reason")
    names = tuple(reason.name.lower() for reason in Reason)
    return Rating(
        id=uuid_of(body, "id"),
        grade=None if body["grade"] is None else whole_of(body, "grade"),
        reason=None if reason is None else Reason[choice_of(body, "reason", names).upper()],
        base=_base_of(body, candidate_id),
        **{name: whole_of(body, name) for name in NUMBERS if name in body},
        input=INPUTS[choice_of(body, "input", tuple(INPUTS))],
        at=moment_of(body, "at"),
    )


def _base_of(body: dict[str, Any], candidate_id: str) -> UUID | None:
    # What "no good answer" wrote may be built upon before its reply is read: `step:` and the step's id
    # stand for the row of this candidate, no matter who sends it and when.
    base = body.get("base")
    if isinstance(base, str) and base.startswith(STEP):
        return uuid5(uuid_of({"base": base.removeprefix(STEP)}, "base"), candidate_id)
    return None if base is None else uuid_of(body, "base")


def _record(annotator: Annotator, candidate_id: str, rating: Rating) -> Recorded:
    def check(session: Session) -> CheckedRating:
        return check_judgment(session, annotator, candidate_id, rating)

    # Each is checked before those beside it are written.
    about = ("person", annotator.person_id), ("candidate", candidate_id)
    try:
        return write_together(check, record_checked, about=about)
    except IntegrityError:
        # The same id arrived twice at once and the other one won: it can be read now.
        return write_together(check, record_checked, about=about)
