"""What only the JSON door refuses: bodies that are not what an address takes."""

from __future__ import annotations

from flask import Flask, Response

from app.api.bodies import BodyError
from app.http.errors import problem


def install(app: Flask) -> None:
    """Answer them with a problem document like all the others."""
    app.register_error_handler(BodyError, on_body_error)


def on_body_error(error: BodyError) -> Response:
    """Answer a body that cannot be read."""
    return problem(400, error.code, error.message)
