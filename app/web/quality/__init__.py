"""Quality: who rated, how far they agree, and what each of them moves. For owners alone."""

from flask import Blueprint

blueprint = Blueprint("quality", __name__)

from app.web.quality import sources, views, work  # noqa: E402, F401 - they add their routes
