"""Questions: all of them with their state, and one with every ranker's list side by side."""

from flask import Blueprint

blueprint = Blueprint("queries", __name__)

from app.web.queries import changing, views  # noqa: E402, F401 - it adds its routes to the blueprint
