"""Help: how it works in plain words, and what every number means, built from the list of measures."""

from __future__ import annotations

from flask import Blueprint, render_template

from app.http.permissions import Access, allow
from app.scoring.measures import MEASURES

blueprint = Blueprint("help", __name__)


@blueprint.get("/help")
@allow(Access.SIGNED_IN)
def index() -> str:
    """Show how the product works, and the keys."""
    return render_template("help/index.html")


@blueprint.get("/help/scores")
@allow(Access.SIGNED_IN)
def scores() -> str:
    """Show how a score is worked out, and every measure with its formula and source."""
    return render_template("help/scores.html", measures=MEASURES)
