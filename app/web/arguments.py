"""What people send in addresses and forms, read without trusting it."""

from __future__ import annotations

from flask import request
from flask_babel import LazyString
from flask_babel import gettext as _
from wtforms import IntegerField
from wtforms.validators import Length

from app.http.languages import later, written_number

LARGEST_ID = 2**31 - 1


def at_most(count: int) -> Length:
    """Return what refuses a text with more characters."""
    written = LazyString(lambda: str(written_number(count)))
    return Length(max=count, message=later("Use at most %(count)s characters.", count=written))


class WholeNumberField(IntegerField):  # type: ignore[misc]  # WTForms has no types
    """A field for a whole number that says so where something else was sent."""

    def process_formdata(self, valuelist: list[str]) -> None:
        """Read what was sent.

        :raise ValueError: It is no whole number.
        """
        try:
            super().process_formdata(valuelist)
        except ValueError as problem:
            raise ValueError(_("Enter a whole number.")) from problem


def whole_number(text: str | None, *, digits: int = 9) -> int | None:
    """Return a whole number with a limited number of digits; None for anything else."""
    text = text or ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def id_from(text: str | None) -> int | None:
    """Return a number that a row of the database can have; None for anything else."""
    number = whole_number(text, digits=10)
    return number if number and number <= LARGEST_ID else None


def asked_page(name: str = "page") -> int:
    """Return the page of a list that the address asks for; the first for what is no number."""
    return whole_number(request.args.get(name)) or 1
