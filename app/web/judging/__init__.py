"""Rating: a question, its answers in the annotator's own order, and stars. Blind by construction."""

from flask import Blueprint

blueprint = Blueprint("judging", __name__, url_prefix="/p/<slug>/rate")

from app.web.judging import actions, introduction, ratings, undoing, views  # noqa: E402, F401 - they add their routes to the blueprint
