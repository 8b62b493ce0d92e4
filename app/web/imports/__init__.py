"""Imports: files are chosen, checked, named and taken in; what came in can be undone."""

from flask import Blueprint

blueprint = Blueprint("imports", __name__)

from app.web.imports import checking, naming, overview, together  # noqa: E402, F401 - their routes
