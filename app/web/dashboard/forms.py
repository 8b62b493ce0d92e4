"""The form that makes a shared link."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import SelectField, StringField
from wtforms.fields import SelectChoice
from wtforms.validators import Length, Optional

LIVES = [
    SelectChoice("1", "1 day"),
    SelectChoice("7", "7 days"),
    SelectChoice("30", "30 days"),
    SelectChoice("90", "90 days"),
    SelectChoice("365", "1 year"),
]


class ShareForm(FlaskForm):
    """A new link."""

    days = SelectField("Works for", choices=LIVES, default="30")
    note = StringField(
        "For whom",
        [Optional(), Length(max=120, message="Use at most 120 characters.")],
    )
