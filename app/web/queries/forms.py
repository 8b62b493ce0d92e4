"""The form about one question."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import Field, StringField, TextAreaField
from wtforms.validators import DataRequired, Length, StopValidation

from app.formats.errors import BadValueError
from app.formats.limits import LARGEST_WEIGHT
from app.formats.values import name_of, weight_of
from app.http.languages import later as _l
from app.http.languages import written_number
from app.http.project import INTENT_NAME
from app.services.collection.queries import QueryContent

LONGEST_TEXT = 20_000
LONGEST_TAGS = 2_000
BETWEEN_TAGS = ";"
WEIGHTS = _l("Give a number above 0, at most %(most)s.")


def plain_tags(_form: FlaskForm, field: Field) -> None:
    """Refuse tags that a file could not hold."""
    try:
        parted_tags(field.data or "")
    except BadValueError as error:
        raise StopValidation(_l("A tag holds at most 200 characters, all on one line.")) from error


def plain_weight(_form: FlaskForm, field: Field) -> None:
    """Refuse what is no weight."""
    try:
        weight_of((field.data or "").strip())
    except BadValueError as error:
        raise StopValidation(str(WEIGHTS) % {"most": written_number(int(LARGEST_WEIGHT))}) from error


def parted_tags(text: str) -> list[str]:
    """Return the tags that a line holds.

    :raise BadValueError: One is too long, or holds control characters.
    """
    tags = (name_of(part, "tag") for part in text.split(BETWEEN_TAGS))
    return [tag for tag in tags if tag]


class QuestionForm(FlaskForm):
    """The words of a question, its tags and its weight."""

    text = TextAreaField(
        _l("Text"),
        validators=[DataRequired(message=_l("Say what was asked.")), Length(max=LONGEST_TEXT)],
    )
    intent = TextAreaField(INTENT_NAME, validators=[Length(max=LONGEST_TEXT)])
    tags = StringField(_l("Tags"), validators=[Length(max=LONGEST_TAGS), plain_tags])
    weight = StringField(_l("Weight"), validators=[plain_weight])

    @property
    def content(self) -> QueryContent:
        """What the form says of the question; an empty weight leaves the present one as it is."""
        content = QueryContent(
            text=self.text.data or "", intent=self.intent.data or "", tags=parted_tags(self.tags.data or "")
        )
        weight = weight_of((self.weight.data or "").strip())
        return content if weight is None else {**content, "weight": weight}
