"""Health of the ground truth: what questions, texts and the pool leave unknown, and what can be done."""

from flask import Blueprint

blueprint = Blueprint("health", __name__)

from app.web.health import duplicates, probes, views  # noqa: E402, F401 - they add their routes to the blueprint
