"""The form that makes a shared link."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import SelectField, StringField
from wtforms.fields import SelectChoice
from wtforms.validators import Optional

from app.http.languages import later
from app.web.arguments import at_most

LIVES = [
    SelectChoice("1", later("1 day")),
    SelectChoice("7", later("7 days")),
    SelectChoice("30", later("30 days")),
    SelectChoice("90", later("90 days")),
    SelectChoice("365", later("1 year")),
]


class ShareForm(FlaskForm):
    """A new link."""

    days = SelectField(later("Works for"), choices=LIVES, default="30")
    note = StringField(
        later("For whom"),
        [Optional(), at_most(120)],
    )
