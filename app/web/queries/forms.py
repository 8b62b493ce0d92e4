"""The form about one question."""

from __future__ import annotations

import re
from functools import cached_property
from typing import cast

from flask import request
from flask_babel import gettext as _
from flask_wtf import FlaskForm
from wtforms import Field, StringField, TextAreaField
from wtforms.validators import DataRequired, StopValidation

from app.formats.errors import BadValueError
from app.formats.limits import LARGEST_WEIGHT
from app.formats.values import name_of, weight_of
from app.http.languages import later as _l
from app.http.languages import written_number
from app.http.project import INTENT_NAME
from app.models.query import Query
from app.services.collection.queries import CONTENT, QueryContent
from app.web.arguments import at_most

LONGEST_TEXT = 20_000
LONGEST_TAGS = 2_000
BETWEEN_TAGS = ";"
DECIMAL_COMMA = re.compile(r"0,\d+|\d+,(?!\d{3}$)\d+")
"""Three digits after a comma may be thousands."""
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
        written_weight(field.data)
    except BadValueError as error:
        raise StopValidation(str(WEIGHTS) % {"most": written_number(int(LARGEST_WEIGHT))}) from error


def written_weight(text: str | None) -> float | None:
    """Return the weight that somebody typed, also with a decimal comma; None for none.

    :raise BadValueError: It is no weight.
    """
    typed = (text or "").strip()
    return weight_of(typed.replace(",", ".") if DECIMAL_COMMA.fullmatch(typed) else typed)


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
        validators=[DataRequired(message=_l("Say what was asked.")), at_most(LONGEST_TEXT)],
    )
    intent = TextAreaField(INTENT_NAME, validators=[at_most(LONGEST_TEXT)])
    tags = StringField(_l("Tags"), validators=[at_most(LONGEST_TAGS), plain_tags])
    weight = StringField(_l("Weight"), validators=[plain_weight])

    @cached_property
    def opened(self) -> dict[str, str]:
        """What each field held when the page was opened."""
        return {name: request.form.get(f"opened-{name}", self[name].object_data) for name in CONTENT}

    @property
    def changed(self) -> list[str]:
        """The fields that hold something else now."""
        return [name for name in CONTENT if not _are_same(self[name].data, self.opened[name])]

    @property
    def content(self) -> QueryContent:
        """What was changed on the form; an empty weight leaves the present one as it is."""
        values = {
            "text": self.text.data,
            "intent": self.intent.data or "",
            "tags": parted_tags(self.tags.data or ""),
            "weight": written_weight(self.weight.data),
        }
        kept = {name: values[name] for name in self.changed if values[name] is not None}
        return cast("QueryContent", kept)

    def refuse_overtaken(self, now: dict[str, str]) -> bool:
        """Return whether somebody else changed the same fields meanwhile; then show theirs beside each."""
        overtaken = [
            name
            for name in self.changed
            if not _are_same(now[name], self.opened[name]) and not _are_same(now[name], self[name].data)
        ]
        for name in overtaken:
            there = now[name] or "–"
            told = _("This was changed meanwhile to “%(now)s”. Save again to replace that.", now=there)
            self[name].errors = [told]
            self.opened[name] = now[name]
        return bool(overtaken)


def fields_of(query: Query) -> dict[str, str]:
    """Return what the form shows of a question."""
    return {
        "text": query.text,
        "intent": query.intent,
        "tags": f"{BETWEEN_TAGS} ".join(query.tags or ()),
        "weight": repr(query.weight).removesuffix(".0"),
    }


def _are_same(one: str | None, other: str) -> bool:
    """Return whether two texts differ in nothing but how their lines end, which browsers change."""
    return (one or "").splitlines() == other.splitlines()
