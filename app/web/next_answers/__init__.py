"""What to rate next and why, what finishing costs, and what the rule has saved. Never for annotators."""

from flask import Blueprint

blueprint = Blueprint("next_answers", __name__)

from app.web.next_answers import views  # noqa: E402, F401 - they add their routes to the blueprint
