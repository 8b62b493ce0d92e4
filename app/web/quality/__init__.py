"""Quality: who rated, how far they agree, and what each of them moves. For owners alone."""

from flask import Blueprint

blueprint = Blueprint("quality", __name__)

from app.web.quality import views  # noqa: E402, F401 - it adds its routes to the blueprint
