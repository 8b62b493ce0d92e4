"""Forms of sign-in, links and account."""

from __future__ import annotations

from flask_wtf import FlaskForm
from wtforms import BooleanField, EmailField, PasswordField, StringField
from wtforms.validators import DataRequired, EqualTo, Length

from app.services.passwords import LONGEST, SHORTEST

PASSWORD_RULES = [
    DataRequired("Choose a password."),
    Length(SHORTEST, LONGEST, f"Choose a password of at least {SHORTEST} characters."),
]
NEW_PASSWORD = {"autocomplete": "new-password", "minlength": SHORTEST}


class SignInForm(FlaskForm):
    """E-mail address and password."""

    email = EmailField(
        "E-mail address", [DataRequired("Enter your e-mail address.")], render_kw={"autocomplete": "username"}
    )
    password = PasswordField(
        "Password", [DataRequired("Enter your password.")], render_kw={"autocomplete": "current-password"}
    )


class NewAccountForm(FlaskForm):
    """A new account, from an invitation or the set-up link."""

    name = StringField(
        "Your name",
        [DataRequired("Enter your name."), Length(max=200, message="Use at most 200 characters.")],
        render_kw={"autocomplete": "name"},
    )
    email = EmailField(
        "E-mail address", [DataRequired("Enter your e-mail address.")], render_kw={"autocomplete": "username"}
    )
    password = PasswordField("Password", PASSWORD_RULES, render_kw=NEW_PASSWORD)


class NewPasswordForm(FlaskForm):
    """A new password, twice."""

    password = PasswordField("New password", PASSWORD_RULES, render_kw=NEW_PASSWORD)
    again = PasswordField(
        "The same again",
        [EqualTo("password", "The two passwords differ.")],
        render_kw={"autocomplete": "new-password"},
    )


class ChangePasswordForm(NewPasswordForm):
    """The present password, and a new one twice."""

    present = PasswordField(
        "Present password",
        [DataRequired("Enter your present password.")],
        render_kw={"autocomplete": "current-password"},
    )


class PreferencesForm(FlaskForm):
    """What a person sets for themselves."""

    name = StringField("Your name", [DataRequired("Enter your name."), Length(max=200)])
    keys = BooleanField("Rate with single keys")
    advance = BooleanField("Move on to the next answer after a key")


class ConfirmForm(FlaskForm):
    """A button and its token; nothing to fill in."""
