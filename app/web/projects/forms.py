"""Forms about a project."""

from __future__ import annotations

import re
from typing import Any

from flask_wtf import FlaskForm
from wtforms import (
    BooleanField,
    FloatField,
    RadioField,
    SelectField,
    SelectMultipleField,
    StringField,
    TextAreaField,
)
from wtforms.fields import SelectChoice
from wtforms.validators import (
    DataRequired,
    InputRequired,
    Length,
    NumberRange,
    Optional,
    Regexp,
    StopValidation,
)
from wtforms.widgets import CheckboxInput, ListWidget

from app.scoring.choices import CONSENSUS_CHOICES, DISCOUNT_CHOICES, GAIN_CHOICES, SCALES
from app.services.collection.answer_fields import MOST_LINES
from app.web.arguments import WholeNumberField

ROLES = [
    SelectChoice("annotator", "Annotator: rates answers, blind"),
    SelectChoice("viewer", "Viewer: sees the scores"),
    SelectChoice("owner", "Owner: everything"),
]
GAINS = [SelectChoice(choice.name, choice.label) for choice in GAIN_CHOICES]
DISCOUNTS = [SelectChoice(choice.name, choice.label) for choice in DISCOUNT_CHOICES]
MOST_INVITED = 50
LONGEST_NAME = 120
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
LONGEST_ADDRESS = 320


def plain_word(_form: FlaskForm, field: StringField) -> None:
    """Refuse invisible characters, line ends and percent signs, which stand for values in sentences."""
    if not (field.data or "").isprintable() or "%" in (field.data or ""):
        raise StopValidation("Write the word on one line, without invisible characters and percent signs.")


class InviteForm(FlaskForm):
    """Invitations to a project: one for each line, or one for the person who gets the link."""

    whom = TextAreaField("Names or e-mail addresses, one on each line", render_kw={"rows": 5})
    role = RadioField("Role", choices=ROLES, default="annotator")

    def validate_whom(self, _field: TextAreaField) -> None:
        """Refuse lines that cannot be meant."""
        lines = self.invited
        if len(lines) > MOST_INVITED:
            raise StopValidation(f"Invite at most {MOST_INVITED} people at once: there are {len(lines)}.")
        for line in lines:
            if len(line) > LONGEST_NAME:
                raise StopValidation(f"Use at most {LONGEST_NAME} characters on each line.")
            if not line.isprintable():
                raise StopValidation("Remove the invisible characters.")
            if "@" in line and not address_in(line):
                raise StopValidation(f"{line} is not an e-mail address.")

    @property
    def invited(self) -> list[str]:
        """For whom the links are; an empty line is no one, and nobody is invited twice."""
        return list(
            dict.fromkeys(line.strip() for line in (self.whom.data or "").splitlines() if line.strip())
        )


def address_in(line: str) -> str | None:
    """Return the e-mail address on a line, such as `Ada <ada@example.org>`."""
    words = re.split(r"[\s<>,;()]+", line)
    found = [word for word in words if len(word) <= LONGEST_ADDRESS and ADDRESS.fullmatch(word)]
    return found[0] if found else None


class GuidelinesForm(FlaskForm):
    """The guidelines."""

    markdown = TextAreaField(
        "Guidelines in Markdown",
        [Length(max=50_000, message="Use at most 50,000 characters.")],
        render_kw={"rows": 18, "spellcheck": "true"},
    )


class PracticeForm(FlaskForm):
    """The practice question; its answers are read beside it."""

    query = StringField("Question", [Length(max=2000)])


class NewProjectForm(FlaskForm):
    """A new project."""

    name = StringField("Name", [DataRequired("Give the project a name."), Length(max=200)])
    slug = StringField(
        "Short name for addresses and commands",
        [
            Optional(),
            Length(max=80),
            Regexp(r"[a-z0-9]+(-[a-z0-9]+)*$", message="Use lowercase letters, digits and single hyphens."),
        ],
    )
    scale = RadioField(
        "Stars",
        choices=[SelectChoice(scale, f"{low} to {high}") for scale, (low, high) in SCALES.items()],
        default="0-3",
    )
    k = WholeNumberField("Answers that count (k)", [NumberRange(1, 100, "Choose 1 to 100.")], default=10)
    gain = SelectField("What a star is worth", choices=GAINS, default="linear")
    discount = SelectField("What a place is worth", choices=DISCOUNTS, default="log2")
    depth = WholeNumberField(
        "Answers of each ranker to rate (pool depth)", [Optional(), NumberRange(1, 100, "Choose 1 to 100.")]
    )
    overlap = WholeNumberField("Ratings per answer", [NumberRange(1, 50, "Choose 1 to 50.")], default=1)
    threshold = WholeNumberField("Relevant from grade", [Optional(), NumberRange(1, 5, "Choose 1 to 5.")])
    words = TextAreaField(
        "Words of the grades, lowest first, one per line",
        [Optional(), Length(max=1000)],
        render_kw={"rows": 5},
    )
    guidelines = TextAreaField("Guidelines in Markdown", [Length(max=50_000)], render_kw={"rows": 8})
    sample = BooleanField("Add a sample, to try everything at once")

    def validate_words(self, field: TextAreaField) -> None:
        """Refuse another number of words than the scale has grades."""
        low, high = SCALES.get(self.scale.data, SCALES["0-3"])
        wanted = high - low + 1
        given = len(words_in(field.data))
        if given != wanted:
            raise StopValidation(f"Write {wanted} words, one per line; there are {given}.")


def words_in(text: str) -> list[str]:
    """Return the words of a text with one on each line."""
    return [line.strip()[:40] for line in text.splitlines() if line.strip()]


class SettingsForm(FlaskForm):
    """What fixes the numbers, and how much is rated."""

    scale = SelectField(
        "Stars",
        choices=[SelectChoice(scale, f"{low} to {high} stars") for scale, (low, high) in SCALES.items()],
    )
    k = WholeNumberField("Answers that count (k)", [NumberRange(1, 100, "Choose 1 to 100.")])
    gain = SelectField("What a star is worth", choices=GAINS)
    discount = SelectField("What a place is worth", choices=DISCOUNTS)
    threshold = SelectField("Relevant from grade (for measures that only ask: relevant or not?)", coerce=int)
    consensus = SelectField(
        "When several people rated an answer",
        choices=[SelectChoice(choice.name, choice.label) for choice in CONSENSUS_CHOICES],
    )
    unjudged = RadioField(
        "Answers that nobody rated",
        choices=[
            SelectChoice(
                "open",
                "Keep them open: they count 0 for now, and every score shows how far they could move it",
            ),
            SelectChoice(
                "complete",
                "Treat unrated answers as not relevant: they count 0, and no score waits for them. "
                "Choose this for a collection whose ratings are finished.",
            ),
        ],
    )
    only_blind = BooleanField("Leave out ratings by people who could see rankers")
    depth = WholeNumberField("Pool depth", [NumberRange(1, 100, "Choose 1 to 100.")])
    overlap = WholeNumberField("Ratings per answer", [NumberRange(1, 50, "Choose 1 to 50.")])


class WordsForm(FlaskForm):
    """Names and words; they move no score."""

    name = StringField("Name", [DataRequired("Give the project a name."), Length(max=200)])
    headline = StringField("Headline of the overview", [Length(max=300)])
    answer_format = SelectField(
        "Answers are written in",
        choices=[SelectChoice("text", "Plain text"), SelectChoice("markdown", "Markdown")],
        default="text",
    )
    language = StringField("Language of questions and answers", [Length(max=35)])
    marked = StringField("Words to mark in every answer", [Length(max=2000)])
    unmarked = StringField("Words never to mark", [Length(max=2000)])
    search = StringField("Address for looking a question up", [Length(max=500)])
    query = StringField("One question is called", [Length(max=40), plain_word])
    queries = StringField("Several questions are called", [Length(max=40), plain_word])
    document = StringField("One answer is called", [Length(max=40), plain_word])
    documents = StringField("Several answers are called", [Length(max=40), plain_word])


class AnswerFieldsForm(FlaskForm):
    """Which fields of the imported files an answer shows; `LINES` below its title."""

    title = SelectField("Title", default="", validate_choice=False)
    link = SelectField("Link to the source", default="", validate_choice=False)
    image = SelectField("Image", default="", validate_choice=False)
    alt = SelectField("What the image shows, in words", default="", validate_choice=False)


LINES = tuple(f"line_{number}" for number in range(1, MOST_LINES + 1))
for _number, _name in enumerate(LINES, start=1):
    setattr(AnswerFieldsForm, _name, SelectField(f"Line {_number}", default="", validate_choice=False))


class NotesForm(FlaskForm):
    """Which grades need a note, and quick reasons."""

    grades = SelectMultipleField(
        "Grades that need a note", coerce=int, option_widget=CheckboxInput(), widget=ListWidget()
    )
    reasons = TextAreaField("Quick reasons", [Length(max=2000)], render_kw={"rows": 5})


class NumberField(FloatField):
    """A field for a number that says so where something else was sent."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read what was sent.

        :raise ValueError: It is no number.
        """
        try:
            super().process_formdata(valuelist)
        except ValueError as problem:
            raise ValueError("Enter a number.") from problem


class WebhookForm(FlaskForm):
    """Where messages go, about what, and how they are written."""

    address = StringField(
        "Address", [Length(max=1000)], render_kw={"inputmode": "url", "autocomplete": "off"}
    )
    events = SelectMultipleField("Send a message when", option_widget=CheckboxInput(), widget=ListWidget())
    points = NumberField("Points", [InputRequired("Enter a number.")], default=2)
    template = TextAreaField("Body", [Length(max=4000)], render_kw={"rows": 4, "spellcheck": "false"})
    paused = BooleanField("Paused: nothing is sent")


class CopyForm(FlaskForm):
    """What a copy is called, and whether ratings are copied."""

    name = StringField(
        "Name of the copy",
        [DataRequired("Give the copy a name."), Length(max=200, message="Use at most 200 characters.")],
    )
    ratings = BooleanField("With all ratings, notes and flags")


class PurgeForm(FlaskForm):
    """The short name, typed."""

    typed = StringField("Type the short name to confirm", [DataRequired("Type the short name.")])


class PercentField(NumberField):
    """A share in percent, from 0 to the most there can be."""

    def __init__(self, label: str, most: int, **values: Any) -> None:
        checks = [InputRequired("Enter a number."), NumberRange(0, most, f"Choose 0 to {most}.")]
        super().__init__(label, checks, render_kw={"inputmode": "decimal"}, **values)

    def _value(self) -> str:
        """Return what the box holds: as it was typed, or the number without needless digits."""
        if self.raw_data:
            return str(self.raw_data[0])
        return "" if self.data is None else f"{self.data:g}"


class QualityForm(FlaskForm):
    """How answers are assigned and checked."""

    dealing = RadioField(
        "Which answer comes next",
        choices=[SelectChoice("front", "Top answers first"), SelectChoice("random", "Random order")],
    )
    share_twice = PercentField("Answers that two people rate, in percent", 100)
    repeats = PercentField("Answers shown to the same person again, in percent", 50)
    gold = PercentField("Gold answers, in percent", 50)
    feedback = BooleanField("Show annotators the others’ grade once a question is finished")
