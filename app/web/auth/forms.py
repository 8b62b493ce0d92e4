"""Forms of sign-in, links and account."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import (
    BooleanField,
    EmailField,
    PasswordField,
    SelectField,
    SelectMultipleField,
    StringField,
)
from wtforms.fields import SelectChoice
from wtforms.validators import DataRequired, EqualTo, Length, NumberRange, Optional
from wtforms.widgets import CheckboxInput

from app.http.languages import later as _
from app.services.accounts.preferences import MAILS, MOST_A_DAY, TAPS
from app.services.accounts.sign_in import LONGEST, SHORTEST
from app.services.translations import LANGUAGES
from app.web.arguments import WholeNumberField, at_most

PASSWORD_RULES = [
    DataRequired(_("Choose a password.")),
    Length(min=SHORTEST, message=_("Choose a password of at least %(count)s characters.", count=SHORTEST)),
    Length(max=LONGEST, message=_("Choose a password of at most %(count)s characters.", count=LONGEST)),
]
NEW_PASSWORD = {"autocomplete": "new-password", "minlength": SHORTEST}


class SignInForm(FlaskForm):
    """E-mail address and password."""

    email = EmailField(
        _("E-mail address"),
        [DataRequired(_("Enter your e-mail address."))],
        render_kw={"autocomplete": "username"},
    )
    password = PasswordField(
        _("Password"),
        [DataRequired(_("Enter your password."))],
        render_kw={"autocomplete": "current-password"},
    )


class NewAccountForm(FlaskForm):
    """A new account, from an invitation or the set-up link."""

    name = StringField(
        _("Your name"),
        [DataRequired(_("Enter your name.")), at_most(200)],
        render_kw={"autocomplete": "name"},
    )
    email = EmailField(
        _("E-mail address"),
        [DataRequired(_("Enter your e-mail address."))],
        render_kw={"autocomplete": "username"},
    )
    password = PasswordField(_("Password"), PASSWORD_RULES, render_kw=NEW_PASSWORD)


class NewPasswordForm(FlaskForm):
    """A new password, twice."""

    password = PasswordField(_("New password"), PASSWORD_RULES, render_kw=NEW_PASSWORD)
    again = PasswordField(
        _("Repeat the new password"),
        [EqualTo("password", _("The two passwords differ."))],
        render_kw={"autocomplete": "new-password"},
    )


class ChangePasswordForm(NewPasswordForm):
    """The present password, and a new one twice."""

    present = PasswordField(
        _("Current password"),
        [DataRequired(_("Enter your current password."))],
        render_kw={"autocomplete": "current-password"},
    )


class ConfirmPasswordForm(NewPasswordForm):
    """The password of before the link, and a new one twice."""

    earlier = PasswordField(
        _("Your password from before the link"),
        [DataRequired(_("Enter the password you had before the link."))],
        render_kw={"autocomplete": "off"},
    )


class PreferencesForm(FlaskForm):
    """What a person sets for themselves."""

    name = StringField(_("Your name"), [DataRequired(_("Enter your name.")), at_most(200)])
    keys = BooleanField(_("Rate with single keys"))
    advance = BooleanField(_("Go to the next answer after a digit"))
    tap = SelectField(
        _("Go to the next answer after a tap or click"),
        choices=[*map(SelectChoice, TAPS, (_("On touch screens"), _("Always"), _("Never")))],
    )
    single = BooleanField(_("On phones, show one answer at a time"))
    marks = BooleanField(_("Highlight the question’s exact words"))
    goal = WholeNumberField(
        _("Daily goal, in answers"),
        [Optional(), NumberRange(0, MOST_A_DAY, _("Choose 0 to %(most)s answers a day.", most=MOST_A_DAY))],
        filters=[lambda value: value or 0],
    )
    language = SelectField(_("Language"), choices=[*map(SelectChoice, LANGUAGES, LANGUAGES.values())])
    mails = SelectMultipleField(
        _("E-mails"),
        choices=[
            *map(
                SelectChoice,
                MAILS,
                (
                    _("Invitations to projects"),
                    _("Replies to your notes and reports"),
                    _("New answers to rate, at most once a day"),
                    _("A weekly summary of the projects you own"),
                ),
            )
        ],
        option_widget=CheckboxInput(),
    )


class TokenForm(FlaskForm):
    """A new token."""

    name = StringField(
        _("Name"),
        [
            DataRequired(_("Say what will use the token.")),
            at_most(120),
        ],
    )
    project = SelectField(_("Project"))
    scopes = SelectMultipleField(
        _("It may"),
        [DataRequired(_("Choose at least one thing that it may do."))],
        option_widget=CheckboxInput(),
    )
    days = SelectField(
        _("Works for"),
        default="90",
        choices=[
            SelectChoice("30", _("30 days")),
            SelectChoice("90", _("90 days")),
            SelectChoice("365", _("1 year")),
            SelectChoice("0", _("until it is revoked")),
        ],
    )


class ConfirmForm(FlaskForm):
    """A button and its token; nothing to fill in."""
