"""Projects: the home page, a new project, its people, its guidelines and its settings."""

from flask import Blueprint

blueprint = Blueprint("projects", __name__)

from app.web.projects import answers, guidelines, home, new, notes, people, quality, settings, webhooks  # noqa: E402, F401 - they add their routes
