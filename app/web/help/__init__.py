"""Help: how it works in plain words, and what every number means, built from the list of measures."""

from __future__ import annotations

from flask import Blueprint, render_template

from app.http.languages import later
from app.http.permissions import Access, allow, current_identity_or_404
from app.http.sessions import read_session
from app.models import Role
from app.scoring.choices import DISCOUNT_CHOICES, GAIN_CHOICES, IDEAL_CHOICES, UNJUDGED_CHOICES
from app.scoring.measures import MEASURES
from app.services.accounts.people import get_person, projects_of
from app.services.accounts.preferences import keys_of, preferences_of
from config import VERSION

blueprint = Blueprint("help", __name__)

CHOICES = (
    (later("Gain: what a grade g is worth"), GAIN_CHOICES),
    (later("Discount c(i): how much place i counts"), DISCOUNT_CHOICES),
    (later("Ideal: the list that a score is compared with"), IDEAL_CHOICES),
    (later("What nobody has rated"), UNJUDGED_CHOICES),
)


@blueprint.get("/help")
@allow(Access.SIGNED_IN)
def index() -> str:
    """Show how the product works, and the keys; what owners do with it, unless somebody only annotates."""
    identity = current_identity_or_404()
    mine = projects_of(read_session(), get_person(read_session(), identity.id))
    only_annotates = {role for _, role in mine} == {Role.ANNOTATOR} and not identity.is_admin
    return render_template(
        "help/index.html",
        only_annotates=only_annotates,
        is_admin=identity.is_admin,
        version=VERSION,
        keys=keys_of(preferences_of(identity.preferences)),
    )


@blueprint.get("/api")
@allow(Access.PUBLIC)
def api() -> str:
    """Show what programs can do, in the viewer that is kept in static/vendor."""
    return render_template("help/api.html")


@blueprint.get("/help/scores")
@allow(Access.SIGNED_IN)
def scores() -> str:
    """Show how a score is computed, and what the verdicts mean."""
    return render_template("help/scores.html")


@blueprint.get("/help/measures")
@allow(Access.SIGNED_IN)
def measures() -> str:
    """Show every measure with its formula and source, and the scoring settings."""
    return render_template("help/measures.html", measures=MEASURES, choices=CHOICES)
