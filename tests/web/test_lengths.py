"""Texts that are too long are refused in words of ours."""

from __future__ import annotations

import importlib
import pkgutil

import pytest
from flask_wtf import FlaskForm
from wtforms.validators import Length

from app import web


def forms() -> list[type[FlaskForm]]:
    """Return all forms of the site."""
    modules = [
        importlib.import_module(each.name)
        for each in pkgutil.walk_packages(web.__path__, "app.web.")
        if each.name.endswith(".forms")
    ]
    found = {each for module in modules for each in vars(module).values() if isinstance(each, type)}
    return sorted((each for each in found if issubclass(each, FlaskForm)), key=lambda each: each.__name__)


@pytest.mark.parametrize("form", forms())
def test_every_limit_of_a_text_has_a_message(app, form):
    with app.test_request_context():
        silent = [
            field.name
            for field in form()
            for check in field.validators
            if isinstance(check, Length) and not check.message
        ]
    assert silent == []
