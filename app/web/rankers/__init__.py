"""Rankers and their versions: names, the mark in production, and the way out of the pool and back."""

from flask import Blueprint

blueprint = Blueprint("rankers", __name__)

from app.web.rankers import views  # noqa: E402, F401 - they add their routes to the blueprint
