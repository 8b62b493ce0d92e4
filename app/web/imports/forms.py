"""Forms of the import pages."""

from __future__ import annotations

from flask_babel import gettext
from flask_wtf import FlaskForm
from flask_wtf.file import FileField, FileRequired, MultipleFileField
from wtforms import BooleanField, RadioField, SelectField, StringField, TextAreaField
from wtforms.validators import DataRequired, Length, Optional, StopValidation

from app.http.languages import later as _
from app.web.arguments import at_most

# No ranker has this name.
NEW = ""


def on_one_line(_form: FlaskForm, field: StringField) -> None:
    """Refuse invisible characters and line ends."""
    if not field.data.isprintable():
        raise StopValidation(gettext("Write it on one line, without invisible characters."))


class FileForm(FlaskForm):
    """A file, and how to read it."""

    file = FileField(_("File"), [FileRequired(_("Choose a file."))])
    format = SelectField(_("Read it as"), default="")


class FilesForm(FlaskForm):
    """Files of any kind, chosen together."""

    files = MultipleFileField(_("Files"), [FileRequired(_("Choose at least one file."))])


class PasteForm(FlaskForm):
    """Questions pasted as text."""

    text = TextAreaField(
        _("Questions, one per line"),
        [
            DataRequired(_("Paste at least one question.")),
            Length(max=500_000, message=_("Import it as a file.")),
        ],
        render_kw={"rows": 8},
    )


class RunForm(FlaskForm):
    """Which ranker made a run, and what this version is called."""

    ranker = RadioField(_("Which ranker made these results?"))
    name = StringField(
        _("Name of the new ranker"),
        [Optional(), at_most(200), on_one_line],
    )
    version = StringField(_("Version"), [Optional(), at_most(100), on_one_line])
    note = StringField(
        _("What is new in it"),
        [Optional(), at_most(300), on_one_line],
    )

    @property
    def chosen(self) -> str:
        """The name of the ranker that was chosen or typed."""
        chosen = self.name.data or "" if self.ranker.data == NEW else self.ranker.data or ""
        return chosen.strip()


class RatingsForm(FlaskForm):
    """Whose ratings a file holds."""

    machine = BooleanField(_("A machine gave these ratings, such as a click model or a language model"))
    annotator = StringField(
        _("Whose ratings are these?"),
        [
            DataRequired(_("Give them a name.")),
            at_most(200),
            on_one_line,
        ],
    )
