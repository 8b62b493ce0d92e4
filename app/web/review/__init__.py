"""Review: what waits for a decision or a reply. Answers are decided blind; remarks are for owners."""

from flask import Blueprint

blueprint = Blueprint("review", __name__, url_prefix="/p/<slug>/review")

from app.web.review import actions, views  # noqa: E402, F401 - they add their routes to the blueprint
