"""The overview: one number per ranker, the truth behind it, and what to do next."""

from flask import Blueprint

blueprint = Blueprint("dashboard", __name__)

from app.web.dashboard import (  # noqa: E402 - they add their routes
    downloads,  # noqa: F401
    exports,  # noqa: F401
    notes,  # noqa: F401
    report,  # noqa: F401
    shared,  # noqa: F401
    sharing,  # noqa: F401
    views,  # noqa: F401
)
