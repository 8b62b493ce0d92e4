"""Adjudication: disputed answers, decided blind by an owner or somebody whom an owner has named."""

from flask import Blueprint

blueprint = Blueprint("adjudication", __name__, url_prefix="/p/<slug>/adjudicate")

from app.web.adjudication import actions, views  # noqa: E402, F401 - they add their routes to the blueprint
