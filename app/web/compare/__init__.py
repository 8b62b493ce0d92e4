"""Compare: two versions side by side, on the questions that both cover."""

from flask import Blueprint

blueprint = Blueprint("compare", __name__)

from app.web.compare import page  # noqa: E402, F401 - it adds its routes to the blueprint
