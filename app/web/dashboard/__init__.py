"""The overview: one number per ranker, the truth behind it, and what to do next."""

from flask import Blueprint

blueprint = Blueprint("dashboard", __name__)

from app.web.dashboard import exports, notes, page, scores, shared  # noqa: E402, F401 - they add their routes
