"""Quality: coverage, who rated and how far they agree, duplicates, pool bias and random probes."""

from flask import Blueprint

blueprint = Blueprint("quality", __name__)

# They add their routes to the blueprint.
from app.web.quality import duplicates, overview, probes, views, work  # noqa: E402, F401
