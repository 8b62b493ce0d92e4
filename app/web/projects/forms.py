"""Forms about a project."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from flask_babel import gettext
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
    NumberRange,
    Optional,
    Regexp,
    StopValidation,
)
from wtforms.widgets import CheckboxInput, ListWidget

from app.http.languages import later as _
from app.http.languages import plainly
from app.scoring.choices import SCALES
from app.services.collection.answer_fields import MOST_LINES
from app.web.arguments import WholeNumberField, at_most

ROLES = [
    SelectChoice("annotator", _("Annotator: rates answers, blind")),
    SelectChoice("viewer", _("Viewer: sees the scores")),
    SelectChoice("owner", _("Owner: everything")),
]
GAINS = [
    SelectChoice("linear", _("Linear: the lowest grade is worth 0, each further star 1 more")),
    SelectChoice("exponential", _("Exponential: each further star adds twice what the one before added")),
    SelectChoice("raw", _("Raw: the number of stars, so with 1 to 5 stars the lowest grade is worth 1")),
]
DISCOUNTS = [
    SelectChoice("log2", _("1 / log2(place + 1): the usual choice")),
    SelectChoice("original-2002", _("As first published in 2002: the first two places count in full")),
    SelectChoice("reciprocal", _("1 / place: the second place counts half")),
]
CONSENSUS = [
    SelectChoice("median", _("The middle rating")),
    SelectChoice("mean", _("The mean")),
    SelectChoice("majority", _("The most frequent")),
]
MOST_INVITED = 50
LONGEST_NAME = 120
LONGEST_WORD = 40
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
LONGEST_ADDRESS = 320


def plain_word(_form: FlaskForm, field: StringField) -> None:
    """Refuse invisible characters, line ends and percent signs, which stand for values in sentences."""
    if not (field.data or "").isprintable() or "%" in (field.data or ""):
        raise StopValidation(
            gettext("Write the word on one line, without invisible characters and percent signs.")
        )


class InviteForm(FlaskForm):
    """Invitations to a project: one for each line, or one for the person who gets the link."""

    whom = TextAreaField(_("Names or e-mail addresses, one on each line"), render_kw={"rows": 5})
    role = RadioField(_("Role"), choices=ROLES, default="annotator")

    def validate_whom(self, _field: TextAreaField) -> None:
        """Refuse lines that cannot be meant."""
        lines = self.invited
        if len(lines) > MOST_INVITED:
            raise StopValidation(
                gettext(
                    "Invite at most %(most)s people at once: there are %(given)s.",
                    most=MOST_INVITED,
                    given=len(lines),
                )
            )
        for line in lines:
            if len(line) > LONGEST_NAME:
                raise StopValidation(
                    gettext("Use at most %(count)s characters on each line.", count=LONGEST_NAME)
                )
            if not line.isprintable():
                raise StopValidation(gettext("Remove the invisible characters."))
            if "@" in line and not address_in(line):
                raise StopValidation(gettext("%(text)s is not an e-mail address.", text=line))

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
        _("Guidelines in Markdown"),
        [at_most(50_000)],
        render_kw={"rows": 18, "spellcheck": "true"},
    )


class PracticeForm(FlaskForm):
    """The practice question; its answers are read beside it."""

    query = StringField(_("Question"), [at_most(2000)])


class NewProjectForm(FlaskForm):
    """A new project."""

    name = StringField(_("Name"), [DataRequired(_("Give the project a name.")), at_most(200)])
    slug = StringField(
        _("Short name for addresses and commands"),
        [
            Optional(),
            at_most(80),
            Regexp(
                r"[a-z0-9]+(-[a-z0-9]+)*$", message=_("Use lowercase letters, digits and single hyphens.")
            ),
        ],
    )
    scale = RadioField(
        _("Stars"),
        choices=[
            SelectChoice(scale, _("%(low)s to %(high)s", low=low, high=high))
            for scale, (low, high) in SCALES.items()
        ],
        default="0-3",
    )
    k = WholeNumberField(
        _("Top answers that are scored (k)"), [NumberRange(1, 100, _("Choose 1 to 100."))], default=10
    )
    gain = SelectField(_("What a star is worth"), choices=GAINS, default="linear")
    discount = SelectField(_("What a place is worth"), choices=DISCOUNTS, default="log2")
    depth = WholeNumberField(
        _("Answers of each ranker to rate (pool depth)"),
        [Optional(), NumberRange(1, 100, _("Choose 1 to 100."))],
    )
    overlap = WholeNumberField(_("Ratings per answer"), [NumberRange(1, 50, _("Choose 1 to 50."))], default=1)
    threshold = WholeNumberField(
        _("Lowest grade that is relevant"), [Optional(), NumberRange(1, 5, _("Choose 1 to 5."))]
    )
    words = TextAreaField(
        _("Words of the grades, lowest first, one per line"),
        [Optional(), at_most(1000)],
        render_kw={"rows": 5},
    )
    guidelines = TextAreaField(_("Guidelines in Markdown"), [at_most(50_000)], render_kw={"rows": 8})
    sample = BooleanField(_("Add a sample, to try everything at once"))

    def validate_words(self, field: TextAreaField) -> None:
        """Refuse another number of words than the scale has grades."""
        low, high = SCALES.get(self.scale.data, SCALES["0-3"])
        wanted = high - low + 1
        given = len(words_in(field.data))
        if given != wanted:
            raise StopValidation(
                gettext(
                    "Write %(wanted)s words, one per line; there are %(given)s.", wanted=wanted, given=given
                )
            )


def words_in(text: str) -> list[str]:
    """Return the words of a text with one on each line."""
    return [line.strip()[:LONGEST_WORD] for line in text.splitlines() if line.strip()]


class SettingsForm(FlaskForm):
    """What fixes the numbers, and how much is rated."""

    scale = SelectField(
        _("Stars"),
        choices=[
            SelectChoice(scale, _("%(low)s to %(high)s stars", low=low, high=high))
            for scale, (low, high) in SCALES.items()
        ],
    )
    k = WholeNumberField(_("Top answers that are scored (k)"), [NumberRange(1, 100, _("Choose 1 to 100."))])
    gain = SelectField(_("What a star is worth"), choices=GAINS)
    discount = SelectField(_("What a place is worth"), choices=DISCOUNTS)
    threshold = SelectField(_("Lowest grade that is relevant"), coerce=int)
    consensus = SelectField(
        _("When several people rated an answer"),
        choices=CONSENSUS,
    )
    unjudged = RadioField(
        _("Answers that nobody rated"),
        choices=[
            SelectChoice(
                "open",
                _("Keep them open: they count 0 for now, and verdicts say what they could still change"),
            ),
            SelectChoice(
                "complete",
                _(
                    "Treat them as not relevant: they still count 0, but no verdict waits for them. "
                    "Choose this once the ratings are finished."
                ),
            ),
        ],
    )
    only_blind = BooleanField(_("Leave out ratings by people who could see rankers"))
    depth = WholeNumberField(_("Pool depth"), [NumberRange(1, 100, _("Choose 1 to 100."))])
    overlap = WholeNumberField(_("Ratings per answer"), [NumberRange(1, 50, _("Choose 1 to 50."))])


class WordsForm(FlaskForm):
    """Names and words; they move no score."""

    name = StringField(_("Name"), [DataRequired(_("Give the project a name.")), at_most(200)])
    headline = StringField(_("Heading of the overview"), [at_most(300)])
    answer_format = SelectField(
        _("Answers are written in"),
        choices=[SelectChoice("text", _("Plain text")), SelectChoice("markdown", _("Markdown"))],
        default="text",
    )
    language = StringField(_("Language of questions and answers"), [at_most(35)])
    marked = StringField(_("Words to mark in every answer"), [at_most(2000)])
    unmarked = StringField(_("Words never to mark"), [at_most(2000)])
    search = StringField(_("Link for looking up a question"), [at_most(500)])
    query = StringField(plainly("One question is called"), [at_most(40), plain_word])
    queries = StringField(plainly("Several questions are called"), [at_most(40), plain_word])
    document = StringField(plainly("One answer is called"), [at_most(40), plain_word])
    documents = StringField(plainly("Several answers are called"), [at_most(40), plain_word])


def words_form(labels: Sequence[str]) -> type[WordsForm]:
    """Return the form with a field for the word of each grade, `word-0` for the lowest."""
    fields = {
        f"word-{number}": StringField(label, [DataRequired(_("Enter a word.")), at_most(LONGEST_WORD)])
        for number, label in enumerate(labels)
    }
    return type("GradeWordsForm", (WordsForm,), fields)


class AnswerFieldsForm(FlaskForm):
    """Which fields of the imported files an answer shows; `LINES` below its title."""

    title = SelectField(_("Title"), default="", validate_choice=False)
    link = SelectField(_("Link to the source"), default="", validate_choice=False)
    image = SelectField(_("Image"), default="", validate_choice=False)
    alt = SelectField(_("What the image shows, in words"), default="", validate_choice=False)


LINES = tuple(f"line_{number}" for number in range(1, MOST_LINES + 1))
for _number, _name in enumerate(LINES, start=1):
    setattr(
        AnswerFieldsForm,
        _name,
        SelectField(_("Line %(number)s", number=_number), default="", validate_choice=False),
    )


class NotesForm(FlaskForm):
    """Which grades need a note, and quick reasons."""

    grades = SelectMultipleField(
        _("Grades that need a note"), coerce=int, option_widget=CheckboxInput(), widget=ListWidget()
    )
    reasons = TextAreaField(_("Quick reasons"), [at_most(2000)], render_kw={"rows": 5})


class NumberField(FloatField):
    """A field for a number that says so where something else was sent."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read what was sent.

        :raise ValueError: It is no number.
        """
        try:
            super().process_formdata(valuelist)
        except ValueError as problem:
            raise ValueError(gettext("Enter a number.")) from problem


class WebhookForm(FlaskForm):
    """Where messages go, about what, and how they are written."""

    address = StringField(
        _("Address"), [at_most(1000)], render_kw={"inputmode": "url", "autocomplete": "off"}
    )
    events = SelectMultipleField(_("Send a message when"), option_widget=CheckboxInput(), widget=ListWidget())
    points = NumberField(_("Points"), [InputRequired(_("Enter a number."))], default=2)
    template = TextAreaField(_("Body"), [at_most(4000)], render_kw={"rows": 4, "spellcheck": "false"})
    paused = BooleanField(_("Paused: nothing is sent"))


class CopyForm(FlaskForm):
    """What a copy is called, and whether ratings are copied."""

    name = StringField(
        _("Name of the copy"),
        [DataRequired(_("Give the copy a name.")), at_most(200)],
    )
    ratings = BooleanField(_("With all ratings, notes and reported problems"))


class PurgeForm(FlaskForm):
    """The short name, typed."""

    typed = StringField(_("Type the short name to confirm"), [DataRequired(_("Type the short name."))])


class PercentField(NumberField):
    """A share in percent, from 0 to the most there can be."""

    def __init__(self, label: str, most: int, **values: Any) -> None:
        checks = [
            InputRequired(_("Enter a number.")),
            NumberRange(0, most, _("%(name)s: choose 0 to %(most)s.", name=label, most=most)),
        ]
        super().__init__(label, checks, render_kw={"inputmode": "decimal"}, **values)

    def _value(self) -> str:
        """Return what the box holds: as it was typed, or the number without needless digits."""
        if self.raw_data:
            return str(self.raw_data[0])
        return "" if self.data is None else f"{self.data:g}"


class QualityForm(FlaskForm):
    """How answers are assigned and checked."""

    dealing = RadioField(
        _("Which answer comes next"),
        choices=[SelectChoice("front", _("Top answers first")), SelectChoice("random", _("Random order"))],
    )
    share_twice = PercentField(_("Share of answers rated by two people, in percent"), 100)
    repeats = PercentField(_("Answers shown to the same person again, in percent"), 50)
    gold = PercentField(_("Gold answers, in percent"), 50)
    feedback = BooleanField(_("Show annotators the others’ grade once a question is finished"))
