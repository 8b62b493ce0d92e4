"""The small forms of adjudication, for browsers without scripts."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import HiddenField, IntegerField, TextAreaField
from wtforms.validators import UUID, AnyOf, InputRequired, Length, Optional

from app.http.languages import later as _


class DecisionForm(FlaskForm):
    """A grade, or "cleared"."""

    id = HiddenField(validators=[InputRequired(), UUID()])
    base = HiddenField(validators=[Optional(), UUID()])
    grade = IntegerField(validators=[Optional()])
    reason = HiddenField(validators=[Optional(), AnyOf(["cleared"])])
    place = IntegerField(validators=[Optional()])
    of = IntegerField(validators=[Optional()])


class AdjudicationNoteForm(FlaskForm):
    """A note on an answer."""

    text = TextAreaField(validators=[Length(max=2000, message=_("A note holds 2,000 characters."))])
