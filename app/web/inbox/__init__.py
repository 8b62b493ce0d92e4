"""The inbox: what annotators flag, note and pass on, and what owners do about it."""

from flask import Blueprint

blueprint = Blueprint("inbox", __name__)

from app.web.inbox import views  # noqa: E402, F401 - it adds its routes to the blueprint
