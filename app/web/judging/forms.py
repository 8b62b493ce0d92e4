"""The small forms of the rating page, for browsers without scripts."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import BooleanField, HiddenField, IntegerField, SubmitField, TextAreaField
from wtforms.validators import UUID, AnyOf, InputRequired, Length, Optional

from app.http.languages import later as _
from app.web.reasons import QUERY_REASONS, REASONS


class RatingForm(FlaskForm):
    """A grade, a reason why there is none, or neither: cleared."""

    id = HiddenField(validators=[InputRequired(), UUID()])
    base = HiddenField(validators=[Optional(), UUID()])
    grade = IntegerField(validators=[Optional()])
    reason = HiddenField(validators=[Optional(), AnyOf([*dict(REASONS), "cleared"])])
    place = IntegerField(validators=[Optional()])
    of = IntegerField(validators=[Optional()])
    guidelines = IntegerField(validators=[Optional()])
    note = TextAreaField(validators=[Length(max=2000, message=_("A note holds 2,000 characters."))])


class NoteForm(FlaskForm):
    """A note on an answer."""

    text = TextAreaField(validators=[Length(max=2000, message=_("A note holds 2,000 characters."))])


class FlagForm(FlaskForm):
    """A flag on an answer or a question."""

    flagged = BooleanField()


class StepForm(FlaskForm):
    """A step that concerns the whole question."""

    id = HiddenField(validators=[InputRequired(), UUID()])
    undo = HiddenField(validators=[Optional(), UUID()])
    sure = BooleanField()
    submit = SubmitField()


class UndoForm(FlaskForm):
    """One step back, or with `again` one forth; `sure` names a step on another page that was asked about."""

    again = BooleanField()
    sure = HiddenField(validators=[Optional(), UUID()])


class DeclineForm(FlaskForm):
    """Why somebody cannot judge a question; without a reason it is taken back."""

    reason = HiddenField(validators=[Optional(), AnyOf(list(dict(QUERY_REASONS)))])
